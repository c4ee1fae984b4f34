"""Prompts from Markdown files with the sections system, part, combine and repair."""

import hashlib
import string
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from configs.errors import ModelError
from models.summarizer.templates import Template, load_template, sections

_SECTIONS = ("system", "part", "combine", "repair")
_DEFAULT = "summary.v1.md"


@dataclass(frozen=True)
class Prompt:
    """A prompt in its sections; values are put in for `$name`.

    Args:
        name: the file's name without `.md`, or its digest where it has no file.
        digest: SHA-256 of the prompt's own text, hex; the template has its own.
        template: which parts are asked for; its guidance is put in for `$guidance`.
        language: of the summary; None: the source's.
        system: what the model is to do.
        part: goes with the text of one part.
        combine: goes with the summaries of several parts.
        repair: goes with what was wrong.
    """

    name: str
    digest: str
    template: Template
    language: str | None
    system: str
    part: str
    combine: str
    repair: str

    def fill(self, section: str, **values: str) -> str:
        """Return a section with its values; `$` in a value stays as it is."""
        return string.Template(getattr(self, section)).safe_substitute(values)


def load_prompt(
    path: Path | None = None, template: Template | None = None, language: str | None = None
) -> Prompt:
    """Read a prompt.

    Args:
        path: a Markdown file; None for the packaged `summary.v1.md`.
        template: see `Prompt`; None for `standard`.
        language: see `Prompt`.

    Raises:
        ModelError: a section is missing or empty (not retryable).
    """
    if path is None:
        source = files("configs").joinpath("prompts", _DEFAULT).read_text(encoding="utf-8")
    else:
        source = path.read_text(encoding="utf-8")
    name = (path.name if path else _DEFAULT).removesuffix(".md")
    return parse_prompt(source, name, template, language)


def parse_prompt(
    source: str, name: str, template: Template | None = None, language: str | None = None
) -> Prompt:
    """Read the text of a prompt; see `load_prompt`.

    Raises:
        ModelError: a section is missing or empty (not retryable).
    """
    found = sections(source)
    missing = [section for section in _SECTIONS if not found.get(section)]
    if missing:
        raise ModelError(f"The prompt lacks the section “{missing[0]}”.")
    return Prompt(
        name=name,
        digest=hashlib.sha256(source.encode()).hexdigest(),
        template=template or load_template(),
        language=language,
        **{section: found[section] for section in _SECTIONS},
    )
