"""A check of workflow code: `run` must give the same result when it is run again.

It looks at the source of `run` and of the functions and methods of the same module that take a
`step` (they are part of it) and refuses clocks, randomness, files, network and threads there. It
finds the common mistakes, not every possible one.
"""

import ast
import inspect
import textwrap
from typing import Any

from pipeline.engine.definitions import Workflow
from pipeline.engine.errors import UnsafeWorkflowError

_MODULES = frozenset(
    {"time", "random", "secrets", "uuid", "socket", "requests", "httpx", "urllib", "subprocess"}
    | {"threading", "os", "shutil", "sqlite3", "boto3", "tempfile"}
)
_CALLS = frozenset({"open", "input", "print", "exec", "eval"})
_METHODS = frozenset({"now", "utcnow", "today", "utc_now", "new_id", "new_secret"})
_ASYNCIO = frozenset({"sleep", "to_thread", "wait_for", "timeout", "open_connection"})


def check_run(workflow: Workflow[Any]) -> None:
    """Refuse a workflow whose `run` reads the clock, draws randomness or does I/O.

    Raises:
        UnsafeWorkflowError: it does; the message names the place (not retryable).
    """
    run = inspect.unwrap(type(workflow).run)
    try:
        source = textwrap.dedent(inspect.getsource(run))
        module = ast.parse(inspect.getsource(inspect.getmodule(run) or run))
    except (OSError, TypeError, SyntaxError):  # no source: nothing to look at
        return
    functions = [ast.parse(source).body[0], *_helpers(module)]
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and (found := _unsafe(node.func)):
                raise UnsafeWorkflowError(
                    f"run() of workflow {workflow.name!r} calls {found} outside a step; move it"
                    " into step.do, or use step.now, step.random or step.uuid."
                )


def _helpers(module: ast.Module) -> list[ast.AST]:
    """Return the module's functions that take a `step`: they are called from `run`."""
    return [
        node
        for node in module.body
        if isinstance(node, ast.AsyncFunctionDef)
        and any(argument.arg == "step" for argument in node.args.args)
    ]


def _unsafe(function: ast.expr) -> str | None:
    """Return the name of a call that a replay cannot repeat."""
    if isinstance(function, ast.Name):
        return function.id if function.id in _CALLS else None
    if not isinstance(function, ast.Attribute):
        return None
    name = ast.unparse(function)
    root = name.split(".", 1)[0].split("(", 1)[0]
    if root in {"step", "self"} or "step." in name:
        return None
    if root in _MODULES or (root == "asyncio" and function.attr in _ASYNCIO):
        return name
    return name if function.attr in _METHODS else None
