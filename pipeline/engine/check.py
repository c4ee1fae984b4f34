"""A check of workflow code: `run` must give the same result when it is run again.

It looks at the source of `run`, of the async functions that are called from it and of the classes
that are given its `step`, wherever they are, and refuses clocks, randomness, files, network and
threads there. It finds the common mistakes, not every possible one.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, cast

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
    for function in _parts(type(workflow)):
        for call in _calls(function):
            if found := _unsafe(call.func):
                raise UnsafeWorkflowError(
                    f"run() of workflow {workflow.name!r} calls {found} outside a step"
                    f" ({function.__qualname__}); move it into step.do, or use step.now,"
                    " step.random or step.uuid."
                )


def _parts(workflow: type[Workflow[Any]]) -> Iterator[FunctionType]:
    """Yield `run` and all that runs with it: what it calls that is async or was given the step."""
    waiting: list[tuple[FunctionType, type]] = [(_plain(workflow.run), workflow)]
    seen = set()
    while waiting:
        function, owner = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        yield function
        for call in _calls(function):
            found = _named(call.func, function, owner)
            if inspect.iscoroutinefunction(found):
                waiting.append((_plain(found), owner))
            elif inspect.isclass(found) and _takes_step(found.__init__):
                waiting += [(f, found) for f in vars(found).values() if isinstance(f, FunctionType)]


def _takes_step(function: object) -> bool:
    return isinstance(function, FunctionType) and "step" in inspect.signature(function).parameters


def _plain(function: Callable[..., Any]) -> FunctionType:
    unwrapped = inspect.unwrap(function)
    return cast("FunctionType", getattr(unwrapped, "__func__", unwrapped))


def _calls(function: FunctionType) -> list[ast.Call]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # no source: nothing to look at
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _named(name: ast.expr, function: FunctionType, owner: type) -> object:
    """Return what a name in a function stands for; None where that shows only when it runs."""
    if isinstance(name, ast.Name):
        return function.__globals__.get(name.id)
    if not isinstance(name, ast.Attribute):
        return None
    if isinstance(name.value, ast.Name) and name.value.id == "self":
        return getattr(owner, name.attr, None)
    module = _named(name.value, function, owner)
    return getattr(module, name.attr, None) if inspect.ismodule(module) else None


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
