"""Which lines of a PDF page are headings: those set larger or bolder than the body."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby, pairwise

from models.extraction.content import Block, Kind
from models.extraction.pdf_lines import Line, Type
from models.extraction.reflow import (
    NEW_ITEM,
    SENTENCE_END,
    joined_line,
    joined_paragraphs,
    page_lines,
)

_LARGER = 1.15
_LONGEST_HEADING = 150
_CLOSE = 1.8
"""Between the lines of one heading, in sizes of its type."""


def body_type(lines: Iterable[Line]) -> tuple[float, bool]:
    """Return the size, and whether bold, in which most of the text is set."""
    letters: Counter[tuple[float, bool]] = Counter()
    for line in lines:
        if line.type is not None:
            letters[_rounded(line.type)] += len(line.text)
    return max(letters, key=lambda one: letters[one], default=(0.0, False))


def heading_size(line: Line, body: tuple[float, bool]) -> float:
    """Return the size of a line that is set as a heading, larger or bolder than the body, else 0.

    A bold line that is a sentence, or a row of a table, is none.
    """
    found, text = line.type, line.text.strip()
    if found is None or len(text) > _LONGEST_HEADING or not any(map(str.isalpha, text)):
        return 0.0
    size, is_bold = body
    is_bolder = found.is_bold and not is_bold and found.size >= size / _LARGER
    is_title = is_bolder and not found.is_row and not SENTENCE_END.search(text)
    return found.size if found.size >= _LARGER * size or is_title else 0.0


def page_blocks(lines: Sequence[Line], body: tuple[float, bool]) -> Iterator[Block]:
    """Join the lines of a page to headings and paragraphs.

    Args:
        lines: of one page.
        body: what the document's text is set in.
    """
    width = max((len(line.text) for line in lines if not heading_size(line, body)), default=0)
    for size, group in groupby(lines, key=lambda line: heading_size(line, body)):
        if size:
            yield from _headings(list(group))
        else:
            text = "\n".join(line.text for line in group)
            yield from map(Block, joined_paragraphs(text, width))


def _headings(lines: Sequence[Line]) -> Iterator[Block]:
    """Yield one heading for lines that stand close together."""
    text = lines[0].text
    for before, line in pairwise(lines):
        if _is_close(before.type, line.type) and not NEW_ITEM.match(line.text.strip()):
            text += f"\n{line.text}"
        else:
            yield Block(reduce(joined_line, page_lines(text)), Kind.HEADING)
            text = line.text
    yield Block(reduce(joined_line, page_lines(text)), Kind.HEADING)


def _is_close(before: Type | None, after: Type | None) -> bool:
    if before is None or after is None:
        return False
    return 0 < before.baseline - after.baseline < _CLOSE * after.size


def _rounded(found: Type) -> tuple[float, bool]:
    return round(found.size * 2) / 2, found.is_bold
