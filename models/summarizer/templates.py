"""Templates: which parts a summary has, under which headings, and what a model is told of them.

A template is a Markdown file `NAME.vN.md` with the sections guidance, en, ja and zh; those of the
languages list its title and headings (`- key_points: Key points`), in the order of the page. A part
without a heading is not asked for and left out. A file in use is never edited: a change is the next
version.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from configs.errors import InputError, ModelError
from models.documents import LANGUAGES, SENTENCE_PARTS, Heading, SummaryTemplate

PARTS = (*SENTENCE_PARTS, "chapters")
"""All parts that a summary can have besides its headline."""

STANDARD = "standard"
FOLDER = Path(__file__).parents[2] / "configs" / "prompts"
_PROMPT = "summary"
_FILE = re.compile(r"([a-z0-9][a-z0-9_-]{0,40})\.v([1-9][0-9]{0,3})\.md")
_SECTION = re.compile(r"^# (\w+)\s*\n(.*?)(?=^# |\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^- (\w+): (.+)$", re.MULTILINE)
_ENGLISH = "en"


@dataclass(frozen=True)
class Template:
    """A template in its sections.

    Args:
        name: the file's name without `.md`.
        sha256: of the file's text, hex.
        guidance: what a model is told of each part.
        titles: (language, title).
        headings: (language, headings in the order of the page).
    """

    name: str
    sha256: str
    guidance: str
    titles: tuple[tuple[str, str], ...]
    headings: tuple[tuple[str, tuple[Heading, ...]], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that it has, in the order of the page."""
        return tuple(heading.part for heading in self.headings[0][1])

    def title(self, language: str) -> str:
        """Return what the template is called in a language, English where it has none."""
        titles = dict(self.titles)
        return titles.get(language, titles[_ENGLISH])

    def use(self, language: str) -> SummaryTemplate:
        """Return what a summary in this language keeps of it."""
        headings = dict(self.headings)
        return SummaryTemplate(
            name=self.name,
            sha256=self.sha256,
            title=self.title(language),
            headings=headings.get(language, headings[_ENGLISH]),
        )


def template_names(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of all templates, without versions, `standard` first.

    Args:
        folder: of further templates; one of a packaged template's name takes its place.
    """
    names = {name for name, _ in _versions(folder)} - {STANDARD}
    return STANDARD, *sorted(names)


def load_template(name: str = STANDARD, folder: Path | None = None) -> Template:
    """Read a template.

    Args:
        name: `meeting` for the newest version, or `meeting.v1`.
        folder: see `template_names`.

    Raises:
        InputError: there is none of this name (not retryable).
        ModelError: its file lacks a section or heading (not retryable).
    """
    found = _versions(folder)
    base, _, version = name.partition(".v")
    newest = max((number for known, number in found if known == base), default=0)
    number = int(version) if version.isdecimal() else newest
    path = found.get((base, number))
    if path is None or name not in {base, f"{base}.v{number}"}:
        known = ", ".join(template_names(folder))
        raise InputError(f"There is no template of this name; choose one of: {known}.")
    return parse_template(path.read_text(encoding="utf-8"), f"{base}.v{number}")


@lru_cache(maxsize=64)
def parse_template(source: str, name: str) -> Template:
    """Read the text of a template.

    Raises:
        ModelError: a section or heading is missing or unknown (not retryable).
    """
    found = sections(source)
    if not found.get("guidance"):
        raise ModelError(f"The template {name} lacks the section “guidance”.")
    listed: dict[str, dict[str, str]] = {
        code: dict(_ENTRY.findall(found.get(code, ""))) for code in LANGUAGES
    }
    _check(name, listed)
    return Template(
        name=name,
        sha256=hashlib.sha256(source.encode()).hexdigest(),
        guidance=found["guidance"],
        titles=tuple((code, entries["title"].strip()) for code, entries in listed.items()),
        headings=tuple((code, _headings(entries)) for code, entries in listed.items()),
    )


def sections(source: str) -> dict[str, str]:
    """Return the sections of a Markdown file (`# name`) by name, without surrounding space."""
    return {name: text.strip() for name, text in _SECTION.findall(source)}


def _versions(folder: Path | None) -> dict[tuple[str, int], Path]:
    """Return the files by name and version; a further folder's name hides the packaged one."""
    packaged, further = _files(FOLDER), _files(folder) if folder else {}
    hidden = {name for name, _ in further} | {_PROMPT}
    return {key: path for key, path in packaged.items() if key[0] not in hidden} | further


def _files(folder: Path) -> dict[tuple[str, int], Path]:
    matches = ((_FILE.fullmatch(path.name), path) for path in folder.glob("*.md"))
    return {(match[1], int(match[2])): path for match, path in matches if match}


def _check(name: str, listed: Mapping[str, Mapping[str, str]]) -> None:
    wanted = set(listed[_ENGLISH])
    for code, entries in listed.items():
        if set(entries) != wanted or not {"title", "abstract"} <= wanted:
            raise ModelError(f"The template {name} lacks a title or heading in “{code}”.")
    if unknown := sorted(wanted - {"title", *PARTS}):
        raise ModelError(f"The template {name} has the unknown part “{unknown[0]}”.")


def _headings(entries: Mapping[str, str]) -> tuple[Heading, ...]:
    return tuple(
        Heading(part=part, text=text.strip()) for part, text in entries.items() if part != "title"
    )
