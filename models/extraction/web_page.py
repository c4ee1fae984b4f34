"""HTML to paragraphs: what a browser shows without scripts and without a network."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from models.extraction.content import (
    MAX_PARAGRAPH_CHARS,
    Block,
    Content,
    Warned,
    heading_if,
    numbered,
    raised,
    row,
)
from models.extraction.encodings import clean, decode_as
from models.extraction.nesting import refuse_abuse
from models.extraction.style_sheets import hides, hiding_selectors

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE
)
_HEAD_BYTES = 4096
_NEVER_SHOWN = (
    "script, style, template, noscript, head, title, iframe, object, embed, canvas, svg, audio, "
    "video, datalist, select, button, input, rt, rp"
)
_NAVIGATION = "nav, [role=navigation], [role=search]"
_HIDDEN = "[hidden], dialog:not([open])"
_STRUCK = "del, s, strike"
_MAIN = "main, [role=main]"
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = (
    _HEADINGS
    | {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details"}
    | {"dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header"}
    | {"hr", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table"}
    | {"tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)
_DEEPEST_ROW = 20
_SPACE = re.compile(r"[ \t\n\r\f]+")


def read_web_page(data: bytes, language: str | None = None) -> Content:
    """Read a page.

    Args:
        data: the whole file; a declared encoding counts where it fits.
        language: `ja` or `zh` if known.

    Raises:
        UnicodeDecodeError: no encoding fits.
        TooLargeError: its elements are nested beyond reason (not retryable).
    """
    declared = _CHARSET.search(data[:_HEAD_BYTES])
    label = declared.group(1).decode("ascii") if declared else None
    blocks, warnings = page_blocks(decode_as(data, label, language))
    return Content(tuple(numbered(blocks)), warnings)


def page_blocks(markup: str) -> tuple[list[Block], tuple[Warned, ...]]:
    """Return what is shown of a page and holds, and what was left out of it.

    Where the page says what its main part is, only that is read.

    Raises:
        TooLargeError: its elements are nested beyond reason (not retryable).
    """
    refuse_abuse(markup)
    parser = LexborHTMLParser(clean(markup))
    left_out = {
        Warned.HIDDEN_TEXT: _remove(_hidden(parser)),
        Warned.STRUCK_TEXT: _remove(parser.css(_STRUCK)),
    }
    for node in parser.css(f"{_NEVER_SHOWN}, {_NAVIGATION}"):
        node.decompose()
    main = [node for node in parser.css(_MAIN) if node.text(deep=True).strip()]
    root = main[0] if len(main) == 1 else parser.body
    warnings = tuple(warned for warned, has_text in left_out.items() if has_text)
    return ([] if root is None else _Page().read(root)), warnings


def _hidden(parser: LexborHTMLParser) -> list[LexborNode]:
    sheets = "\n".join(node.text(deep=True) for node in parser.css("style:not([media=print])"))
    hidden = [node for node in parser.css("[style]") if hides(node.attributes.get("style") or "")]
    for selector in (_HIDDEN, *hiding_selectors(sheets)):
        try:
            hidden += parser.css(selector)
        except (SelectolaxError, ValueError):  # a selector that only browsers know
            continue
    for node in parser.css("script, style, template"):
        node.decompose()
    return hidden


def _remove(nodes: list[LexborNode]) -> bool:
    has_text = any(node.text(deep=True).strip() for node in nodes)
    for node in nodes:
        if node.tag not in {"html", "body"} and node.parent is not None:
            node.decompose()
    return has_text


@dataclass
class _Row:
    """A table row that is being read; one around another table only lays out the page."""

    cells: list[list[Block]] = field(default_factory=list)
    is_layout: bool = False

    def blocks(self) -> list[Block]:
        """Write the row as one line, or as the blocks in it."""
        cells = [cell for cell in self.cells if cell]
        blocks = [block for cell in cells for block in cell]
        is_long = sum(len(block.text) for block in blocks) > MAX_PARAGRAPH_CHARS // 2
        if len(cells) < 2 or self.is_layout or is_long:
            return blocks
        return [row(" ".join(block.text for block in cell) for cell in cells)]


class _Page:
    """Goes through a page once; text gathers in a buffer until a block begins or ends."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._is_raised = False
        self._pre = 0
        self._heading = 0
        self._depth = 0
        self._rows: list[_Row] = []
        self._blocks: list[Block] = []

    def read(self, root: LexborNode) -> list[Block]:
        """Return the blocks under a node."""
        for node, is_start in _walk(root):
            tag = node.tag or ""
            if tag == "-text":
                self._say(node.text_content or "")
            elif tag == "br":
                self._text.append("\n" if is_start else "")
            elif tag == "sup":
                self._is_raised = is_start
            elif tag in _BLOCKS:
                self._block(tag, 1 if is_start else -1)
        self._flush()
        return self._blocks

    def _say(self, text: str) -> None:
        if not self._pre:
            text = _SPACE.sub(" ", text)
            text = text.lstrip(" ") if self._text and self._text[-1].endswith(" ") else text
        if self._is_raised:
            text = raised(self._text[-1] if self._text else "", text)
        self._text.append(text)

    def _block(self, tag: str, step: int) -> None:
        self._flush()
        if tag == "pre":
            self._pre += step
        elif tag in _HEADINGS:
            self._heading += step
        elif tag == "tr":
            self._row(step)
        elif tag in {"td", "th"} and step > 0 and self._rows:
            self._rows[-1].cells.append([])

    def _row(self, step: int) -> None:
        """Open or close a row; those nested deeper than any real table are read as text."""
        if step > 0 and self._depth < _DEEPEST_ROW:
            if self._rows:
                self._rows[-1].is_layout = True
            self._rows.append(_Row())
        elif step < 0 and self._depth <= _DEEPEST_ROW:
            blocks = self._rows.pop().blocks()
            self._target().extend(blocks)
        self._depth += step

    def _flush(self) -> None:
        lines = clean("".join(self._text)).split("\n")  # `&shy;` is a character only now
        text = "\n".join(line.strip(" ") for line in lines).strip()
        self._text.clear()
        if text:
            self._target().append(Block(text, heading_if(self._heading > 0)))

    def _target(self) -> list[Block]:
        """Return the innermost open cell, or the page."""
        return self._rows[-1].cells[-1] if self._rows and self._rows[-1].cells else self._blocks


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Yield a text once and an element as it begins and as it ends; depth costs memory only."""
    stack = [(root, True)]
    while stack:
        node, is_start = stack.pop()
        yield node, is_start
        if is_start and node.tag != "-text":
            stack.append((node, False))
            children = list(node.iter(include_text=True))
            stack.extend((child, True) for child in reversed(children))
