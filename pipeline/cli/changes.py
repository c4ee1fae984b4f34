"""The one variable of a batch, from the command line."""

import hashlib
from pathlib import Path

from configs.clock import new_id
from configs.errors import InputError
from configs.settings import Settings
from pipeline.batch_plan import FIRST_STEP, Change


def setting_change(settings: Settings, assignment: str) -> Change:
    """Read `key=value`.

    Raises:
        InputError: it is no assignment, names no setting that changes results, or the value does
            not fit (not retryable).
    """
    name, sign, value = assignment.partition("=")
    name = name.strip()
    if not sign:
        raise InputError("Write --set key=value, as asr.model=large-v3.")
    if name.partition(".")[0] not in FIRST_STEP:
        groups = ", ".join(sorted(FIRST_STEP))
        raise InputError(f"{name} cannot be the variable of a batch; use a setting of {groups}.")
    settings.with_overrides({name: value})
    return Change(name, value)


def prompt_change(settings: Settings, prompt: Path) -> Change:
    """Keep a copy of a prompt under its hash, so that editing the file later changes nothing.

    Raises:
        InputError: it is empty or no UTF-8 text (not retryable).
    """
    try:
        text = prompt.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{prompt.name} is no UTF-8 text.") from None
    if not text.strip():
        raise InputError(f"{prompt.name} is empty.")
    folder = settings.home.absolute() / "prompts"
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{hashlib.sha256(text.encode()).hexdigest()}.md"
    if not copy.exists():
        draft = folder / new_id("draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(copy)
    return setting_change(settings, f"summary.prompt={copy}")
