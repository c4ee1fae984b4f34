"""Which names and ids are allowed."""

import re

from pipeline.engine.errors import InvalidIdError, StepNameError

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
_LONGEST_NAME = 256
ROLLBACK_BRANCH = "(rollback)"


def check_step_name(name: str, what: str = "step") -> None:
    """Check a step's or branch's name: 1 to 256 characters, no control characters.

    Raises:
        StepNameError: it is none (not retryable).
    """
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise StepNameError(f"The name of a {what} has 1 to {_LONGEST_NAME} characters.")
    if what == "branch" and name == ROLLBACK_BRANCH:
        raise StepNameError(f"The branch name {name!r} is the engine's own.")
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in name):
        raise StepNameError(f"The name of a {what} has no control characters.")


def check_id(text: str, what: str) -> None:
    """Check an instance's id or an event's type: 1 to 100 of `[A-Za-z0-9_-]`, first not `-`.

    Raises:
        InvalidIdError: it is none (not retryable).
    """
    if _ID.fullmatch(text) is None:
        raise InvalidIdError(
            f"{what} {text[:100]!r} is not allowed: 1 to 100 letters, digits, '_' or '-', first"
            " not '-'"
        )
