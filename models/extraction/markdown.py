"""Markdown to paragraphs of plain text."""

from collections.abc import Iterator
from functools import reduce

from markdown_it import MarkdownIt
from markdown_it.token import Token

from models.extraction.content import Block, heading_if, row
from models.extraction.encodings import clean
from models.extraction.web_page import page_blocks
from models.extraction.wrapping import flowed

_VISIBLE = frozenset({"text", "code_inline"})


def markdown_blocks(text: str) -> Iterator[Block]:
    """Yield headings, paragraphs, list items, table rows and code without their marks."""
    cells: list[str] | None = None
    is_heading = False
    for token in MarkdownIt("commonmark").enable("table").parse(clean(text)):
        if token.type in {"heading_open", "heading_close"}:
            is_heading = token.type == "heading_open"
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            yield row(cells or [])
            cells = None
        elif token.type == "inline":
            line = _inline(token)
            if cells is None:
                yield Block(line, heading_if(is_heading))
            else:
                cells.append(line)
        elif token.type in {"fence", "code_block"}:
            yield Block(token.content)
        elif token.type == "html_block":
            yield from page_blocks(token.content)[0]


def _inline(token: Token) -> str:
    """Return the text; a line that only ends in the file goes on in the document."""
    lines = [""]
    for child in token.children or []:
        if child.type in _VISIBLE or child.type == "image":
            lines[-1] += child.content
        elif child.type == "hardbreak":
            lines[-1] += "\n"
        elif child.type == "softbreak":
            lines.append("")
    return reduce(flowed, map(clean, lines))
