"""Markdown to paragraphs of plain text."""

from collections.abc import Iterator, Sequence
from functools import reduce

from markdown_it import MarkdownIt
from markdown_it.token import Token

from models.extraction.content import (
    Block,
    Content,
    Warned,
    heading_if,
    numbered,
    refuse_too_long,
    row,
)
from models.extraction.encodings import clean
from models.extraction.web_page import page_blocks
from models.extraction.wrapping import flowed

_VISIBLE = frozenset({"text", "code_inline"})


def read_markdown(text: str) -> Content:
    """Read headings, paragraphs, list items, table rows and code, without their marks.

    Raises:
        TooLargeError: it holds more than a document may (not retryable).
    """
    refuse_too_long(text)
    warnings: set[Warned] = set()
    blocks = list(_blocks(text, warnings))
    return Content(tuple(numbered(blocks)), tuple(sorted(warnings)))


def _blocks(text: str, warnings: set[Warned]) -> Iterator[Block]:
    cells: list[str] | None = None
    is_heading = False
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(clean(text)):
        if token.type in {"heading_open", "heading_close"}:
            is_heading = token.type == "heading_open"
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            yield row(cells or [])
            cells = None
        elif token.type == "inline":
            line = _inline(token.children or [], warnings)
            if cells is None:
                yield Block(line, heading_if(is_heading))
            else:
                cells.append(line)
        elif token.type in {"fence", "code_block"}:
            yield Block(token.content)
        elif token.type == "html_block":
            blocks, left_out = page_blocks(token.content)
            warnings.update(left_out)
            yield from blocks


def _inline(tokens: Sequence[Token], warnings: set[Warned]) -> str:
    """Return the text; a line that only ends in the file goes on in the document."""
    lines = [""]
    struck = 0
    for child in tokens:
        if child.type in {"s_open", "s_close"}:
            struck += 1 if child.type == "s_open" else -1
            warnings.add(Warned.STRUCK_TEXT)
        elif struck:
            continue
        elif child.type in _VISIBLE or child.type == "image":
            lines[-1] += child.content
        elif child.type == "hardbreak":
            lines[-1] += "\n"
        elif child.type == "softbreak":
            lines.append("")
    return reduce(flowed, map(clean, lines))
