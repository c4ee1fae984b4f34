"""The one variable of a batch, from the command line."""

from pathlib import Path

from configs.errors import InputError, ModelError
from configs.settings import Settings
from models.summarizer.prompts import parse_prompt
from pipeline.batch_plan import FIRST_STEP, Change
from storage.prompts import prompt_sha256

_MAX_PROMPT_BYTES = 256 * 1024
_PROMPT_FILE = "summary.prompt"


def setting_change(settings: Settings, assignment: str) -> Change:
    """Read `key=value`; `summary.prompt=FILE` is the same as `--prompt FILE`.

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
    if name == _PROMPT_FILE:
        return prompt_change(Path(value))
    settings.with_overrides({name: value})
    return Change(name, value)


def prompt_change(prompt: Path) -> Change:
    """Read a prompt; the batch keeps its text, so editing the file later changes nothing.

    Raises:
        InputError: there is no such file, it is too large, no UTF-8 text, or lacks a section (not
            retryable).
    """
    if not prompt.is_file():
        raise InputError(f"There is no file {prompt}.")
    if prompt.stat().st_size > _MAX_PROMPT_BYTES:
        raise InputError(f"{prompt.name} is too large for a prompt.")
    try:
        text = prompt.read_bytes().decode("utf-8")
        parse_prompt(text, prompt.stem)
    except UnicodeDecodeError:
        raise InputError(f"{prompt.name} is no UTF-8 text.") from None
    except ModelError as error:
        raise InputError(error.message) from None
    return Change("summary.prompt_sha256", prompt_sha256(text), text)
