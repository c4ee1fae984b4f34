"""Markdown to paragraphs of plain text."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from models.plain_text import Paragraph, clean, short_parts

_VISIBLE = frozenset({"text", "code_inline"})


def markdown_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield headings, paragraphs, list items, table rows and code without their marks."""
    number = 0
    for block in _blocks(MarkdownIt("commonmark").enable("table").parse(clean(text))):
        if block.strip():
            number += 1
            for part in short_parts(block.strip()):
                yield Paragraph(part, f"paragraph {number}")


def _blocks(tokens: list[Token]) -> Iterator[str]:
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            yield " | ".join(cells or [])
            cells = None
        elif token.type == "inline":
            line = _inline(token)
            if cells is None:
                yield line
            else:
                cells.append(line)
        elif token.type in {"fence", "code_block"}:
            yield token.content


def _inline(token: Token) -> str:
    parts = []
    for child in token.children or []:
        if child.type in _VISIBLE:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "image":
            parts.append(child.content)
    return "".join(parts)
