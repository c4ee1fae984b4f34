"""What the pages of a PDF repeat at head and foot: read once, as in other documents."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.extraction.encodings import clean
from models.extraction.pdf_lines import Line, Type

_MARGIN = 0.12
"""How much of a page, at its head and at its foot, may be the same on every page."""
_LEAST_PAGES = 3
_MANY_PAGES = 0.4
"""Left and right pages may each have their own."""
_NUMBER = re.compile(r"\d{1,6}")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_PAGE_WORDS = re.compile(r"(?:page|p|of|第|共|全|页|頁|ページ)*", re.IGNORECASE)


@dataclass(frozen=True)
class Margins:
    """Headers and footers, each as it stands first; numbers of pages alone are none.

    `places` is where all of them stand: page and line, from 0.
    """

    headers: tuple[str, ...]
    footers: tuple[str, ...]
    places: frozenset[tuple[int, int]]

    def without(self, page: int, lines: Sequence[Line]) -> list[Line]:
        """Return the lines of a page that are not repeated."""
        return [line for i, line in enumerate(lines) if (page, i) not in self.places]


def margins_of(pages: Sequence[Sequence[Line]]) -> Margins:
    """Find the lines at head or foot that most pages have, whatever their page number."""
    alike: dict[tuple[bool, str], list[tuple[int, int]]] = {}
    for number, lines in enumerate(pages):
        for i, line in enumerate(lines):
            for key in _keys(line, number):
                alike.setdefault(key, []).append((number, i))
    least = max(_LEAST_PAGES, _MANY_PAGES * len(pages))
    often = {key: found for key, found in alike.items() if len({p for p, _ in found}) >= least}
    texts: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for (is_head, _), found in sorted(often.items(), key=lambda item: item[1]):
        page, i = found[0]
        text = clean(pages[page][i].text).strip()
        if not _PAGE_WORDS.fullmatch(_NO_LETTERS.sub("", text)):
            texts[is_head].setdefault(text)
    places = frozenset(place for found in often.values() for place in found)
    return Margins(tuple(texts[True]), tuple(texts[False]), places)


def _keys(line: Line, page: int) -> Iterator[tuple[bool, str]]:
    """Yield as what a line may come again: word for word, or with one number that counts pages."""
    text = line.text.strip()
    if line.type is None or not text or not _is_in_margin(line.type):
        return
    is_head = line.type.height > 0.5
    yield is_head, text
    for number in _NUMBER.finditer(text):
        ahead = int(number.group()) - page
        yield is_head, f"{text[: number.start()]}\0{ahead}{text[number.end() :]}"


def _is_in_margin(found: Type) -> bool:
    return not _MARGIN < found.height < 1 - _MARGIN
