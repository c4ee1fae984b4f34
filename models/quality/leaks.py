"""Scan of everything that would be published, names included, for what was redacted."""

import html
import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import PurePath
from urllib.parse import unquote

from models.documents import Finding, PseudonymMap, RedactedTranscript, Severity, Summary
from models.quality.aliases import find_aliases, other_writings, unspelled
from models.quality.everyday_names import find_everyday_names
from models.redactor.leaks import Leak, find_leaks

_TAG = re.compile(r"<[^>]*>")
_MARKUP = frozenset({"charset", "class", "http-equiv", "id", "lang", "name", "preload"})
"""Attributes whose values the templates write; those of all others are scanned."""
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\."
    r"(?!png|jpe?g|svg|css|js|gif|webp)[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_PHONE = re.compile(
    r"(?<![\w.:/+-])(?:\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,4}\d{2,4}"
    r"|\(?\d{3}\)?[ -]\d{3}[ -]\d{4}|0\d{1,4}[- ]\d{1,4}[- ]\d{3,4}|0[5789]0\d{8}"
    r"|1[3-9]\d{9}|1[3-9]\d[- ]\d{4}[- ]\d{4})(?![\w.:/-]*\d)",
    re.ASCII,
)
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])", re.ASCII)


def check_leaks(
    *,
    summary: Summary,
    redacted: RedactedTranscript,
    rendered: Mapping[str, bytes],
    titles: Sequence[str],
    pseudonyms: PseudonymMap,
    allowed: Sequence[str],
) -> Iterator[Finding]:
    """Yield a finding for each class of personal data in each thing that would be published."""
    known = Known(pseudonyms, redacted.language)
    yield from _transcript_leaks(redacted, known, allowed)
    for place, views in _places(summary, rendered, titles):
        found = {
            (leak.entity_type, leak.replacement) for view in views for leak in known.leaks(view)
        }
        for entity_type, replacement in sorted(found):
            yield _finding("leak.redacted", place, f"{replacement} ({entity_type})")
        for kind in sorted(_identifiers(views, allowed)):
            yield _finding("leak.identifier", place, f"What looks like {kind}")


@dataclass(frozen=True)
class Known:
    """What was redacted from a source in this language.

    Args:
        pseudonyms: the raw map of a revision.
        language: of the source.
    """

    pseudonyms: PseudonymMap
    language: str

    @cached_property
    def aliases(self) -> PseudonymMap:
        """The persons with the other ways to write their names."""
        return other_writings(self.pseudonyms, self.language)

    def leaks(self, text: str) -> Sequence[Leak]:
        """Return what stands in a text, in any writing; positions are code points of the text."""
        if not self.pseudonyms.entries:
            return ()
        found = (
            *find_leaks(text, self.pseudonyms),
            *find_aliases(text, self.aliases, self.language),
            *find_everyday_names(unspelled(text), self.pseudonyms),
        )
        return tuple(dict.fromkeys(found))


def _transcript_leaks(
    redacted: RedactedTranscript, known: Known, allowed: Sequence[str]
) -> Iterator[Finding]:
    """Scan the segments joined, so that what two of them hold together is found too."""
    starts, text = [], ""
    for segment in redacted.segments:
        starts.append(len(text))
        text += f"{segment.speaker or ''} {segment.text}\n"
    found = {
        (bisect_right(starts, leak.start) - 1, f"{leak.replacement} ({leak.entity_type})")
        for leak in known.leaks(text)
    }
    for index, what in sorted(found):
        segment = redacted.segments[index]
        yield _finding("leak.redacted", f"segment {segment.id}", what, (segment.id,))
    for segment in redacted.segments:
        for kind in sorted(_identifiers((segment.text,), allowed)):
            what = f"What looks like {kind}"
            yield _finding("leak.identifier", f"segment {segment.id}", what, (segment.id,))


def _places(
    summary: Summary, rendered: Mapping[str, bytes], titles: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "summary", ("\n".join(summary.texts()),)
    for index, title in enumerate(titles):
        yield f"titles[{index}]", (title, _bare_name(title))
    for name, data in rendered.items():
        views = _page_views(data) if name.endswith(".html") else _views(data)
        yield f"rendered/{name}", (_bare_name(PurePath(name).stem), *views)


def _bare_name(name: str) -> str:
    """Return a file's name with what stands between its words as spaces."""
    return re.sub(r"[_\-.+]+", " ", unquote(name))


def _views(data: bytes) -> tuple[str, ...]:
    """Return the text of a file as it is, and as a reader would see it."""
    text = data.decode("utf-8", errors="replace")
    shown = html.unescape(_TAG.sub("", text))
    spaced = html.unescape(_TAG.sub(" ", text))
    return tuple(
        dict.fromkeys((text, html.unescape(text), shown, spaced, unquote(text), *_json(text)))
    )


def _page_views(data: bytes) -> tuple[str, ...]:
    """Return the text of a page as a reader would see it, without markup and style.

    A tag is no name, though a heading "Raw HTML" was redacted; nor is a font, though Noto is one.
    """
    page = _Page()
    page.feed(data.decode("utf-8", errors="replace"))
    page.close()
    told = "\n".join(page.told)
    return tuple(dict.fromkeys(("".join(page.shown), " ".join(page.shown), told, unquote(told))))


class _Page(HTMLParser):
    """Collects the text that a page shows, and what its attributes and comments tell."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.told: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        self.told += [value for name, value in attrs if name not in _MARKUP and value]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if not self._in_style:
            self.shown.append(data)

    def handle_comment(self, data: str) -> None:
        self.told.append(data)


def _json(text: str) -> tuple[str, ...]:
    """Return JSON with its escapes undone."""
    try:
        return (json.dumps(json.loads(text), ensure_ascii=False),)
    except ValueError:
        return ()


def _identifiers(views: Sequence[str], allowed: Sequence[str]) -> set[str]:
    found = set()
    for view in views:
        text = unicodedata.normalize("NFKC", view)
        for surface in allowed:
            text = text.replace(unicodedata.normalize("NFKC", surface), " ")
        if _EMAIL.search(text):
            found.add("an e-mail address")
        if _PHONE.search(text):
            found.add("a phone number")
        if any(_is_card(match.group()) for match in _CARD.finditer(text)):
            found.add("a card number")
    return found


def _is_card(text: str) -> bool:
    """Check the Luhn digit; all digits alike is no card."""
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [sum(divmod(2 * d, 10)) if i % 2 else d for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1


def _finding(check: str, place: str, what: str, segments: tuple[int, ...] = ()) -> Finding:
    return Finding(
        check=check,
        severity=Severity.BLOCK,
        place=place,
        reason=f"{what} stands in clear.",
        segments=segments,
        values=(("what", what),) if check == "leak.redacted" else (),
    )
