"""DOCX to paragraphs: the text that stays when every tracked change is accepted.

python-docx opens the package and its styles; its paragraphs leave out text boxes, content controls
and insertions, so the XML is gone through here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docx import Document
from docx.document import Document as DocxDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from lxml.etree import _Element as Element

from models.extraction.content import (
    Block,
    Content,
    Paragraph,
    Warned,
    heading_if,
    numbered,
    placed,
    raised,
    row,
)
from models.extraction.encodings import clean
from models.extraction.markup import chosen
from models.extraction.office import readable_office
from models.extraction.word_styles import WordStyles

_TEXT = frozenset({qn("w:t"), qn("m:t"), qn("a:t")})
_MARKS = {
    qn("w:tab"): "\t",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:ptab"): "\t",
}
_LEFT_OUT = frozenset(
    qn(name)
    for name in (
        *("w:pPr", "w:rPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:sectPr", "w:sdtPr"),
        *("w:del", "w:moveFrom", "w:delText", "w:instrText", "w:delInstrText", "w:rt"),
    )
)
_EMBEDDED = frozenset({qn("w:object"), qn("w:altChunk")})


def read_word(path: Path) -> Content:
    """Read a DOCX: headers, the body with its text boxes and tables, notes, footers.

    Raises:
        CorruptInputError, EncryptedInputError, TooLargeError: not retryable.
    """
    with readable_office(path), path.open("rb") as file:
        document = Document(file)
        reader = _Reader(WordStyles(document.styles.element))
        paragraphs = [
            *_margin(reader, document, "header"),
            *numbered(reader.blocks(document.element.body)),
            *_notes(reader, document, "footnote", RELATIONSHIP_TYPE.FOOTNOTES),
            *_notes(reader, document, "endnote", RELATIONSHIP_TYPE.ENDNOTES),
            *_margin(reader, document, "footer"),
        ]
    return Content(tuple(paragraphs), tuple(sorted(reader.warnings)))


def _margin(reader: "_Reader", document: DocxDocument, kind: str) -> Iterator[Paragraph]:
    """Headers or footers, each text once however many sections and pages repeat it."""
    target = RELATIONSHIP_TYPE.HEADER if kind == "header" else RELATIONSHIP_TYPE.FOOTER
    seen = set()
    for element in _parts(document, target):
        for block in reader.blocks(element):
            text = block.text.strip()
            if text not in seen and any(map(str.isalpha, text)):  # a page number alone is none
                seen.add(text)
                yield from placed(text, kind)


def _notes(
    reader: "_Reader", document: DocxDocument, kind: str, target: str
) -> Iterator[Paragraph]:
    count = 0
    for element in _parts(document, target):
        for note in element.findall(qn(f"w:{kind}")):
            if note.get(qn("w:type")) not in {None, "normal"}:  # the line above the notes
                continue
            count += 1
            for block in reader.blocks(note):
                if block.text.strip():
                    yield from placed(block.text.strip(), f"{kind} {count}")


def _parts(document: DocxDocument, target: str) -> Iterator[Element]:
    relations = document.part.rels
    for key in sorted(relations):
        relation = relations[key]
        if relation.reltype == target and not relation.is_external:
            yield parse_xml(relation.target_part.blob)


@dataclass(frozen=True)
class _Found:
    """What a paragraph gathers while its runs are read."""

    text: list[str]
    boxes: list[Element]


class _Reader:
    """Goes through a part's XML; notes what it leaves out."""

    def __init__(self, styles: WordStyles) -> None:
        self._styles = styles
        self.warnings: set[Warned] = set()

    def blocks(self, element: Element) -> Iterator[Block]:
        """Yield the paragraphs and table rows under an element, text boxes after theirs."""
        for child in element:
            if child.tag == qn("w:p"):
                yield from self._paragraph(child)
            elif child.tag == qn("w:tbl"):
                yield from self._table(child)
            elif child.tag in _EMBEDDED:
                self.warnings.add(Warned.EMBEDDED)
            elif child.tag not in _LEFT_OUT and isinstance(child.tag, str):
                yield from self.blocks(chosen(child))

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        found = _Found([], [])
        self._gather(paragraph, found, self._styles.of_paragraph(paragraph))
        text = clean("".join(found.text))
        yield Block(text, heading_if(self._styles.is_heading(paragraph)))
        for box in found.boxes:
            yield from self.blocks(box)

    def _gather(self, element: Element, found: _Found, is_hidden: bool) -> None:
        for child in element:
            tag = child.tag
            if tag in _LEFT_OUT or not isinstance(tag, str):
                continue
            if tag in _EMBEDDED:
                self.warnings.add(Warned.EMBEDDED)
            elif tag == qn("w:txbxContent"):
                if not is_hidden:
                    found.boxes.append(child)
            elif tag in _TEXT or tag in _MARKS:
                self._say(child, found, is_hidden)
            elif tag == qn("w:r"):
                self._run(child, found, self._styles.of_run(child, is_hidden))
            else:
                self._gather(chosen(child), found, is_hidden)

    def _run(self, run: Element, found: _Found, is_hidden: bool) -> None:
        inner = _Found([], found.boxes)
        self._gather(run, inner, is_hidden)
        text = "".join(inner.text)
        if self._styles.is_struck(run) and text.strip():
            self.warnings.add(Warned.STRUCK_TEXT)
        elif self._styles.is_raised(run):
            found.text.append(raised("".join(found.text[-1:]), text))
        else:
            found.text.append(text)

    def _say(self, element: Element, found: _Found, is_hidden: bool) -> None:
        text = _MARKS.get(str(element.tag), element.text or "")
        if not is_hidden:
            found.text.append(text)
        elif text.strip():
            self.warnings.add(Warned.HIDDEN_TEXT)

    def _table(self, table: Element) -> Iterator[Block]:
        for line in _rows(table):
            cells = [list(self._not_empty(cell)) for cell in _cells(line)]
            is_nested = any(True for _ in line.iter(qn("w:tbl")))
            if is_nested or sum(map(bool, cells)) < 2:
                yield from (block for cell in cells for block in cell)
            else:
                yield row(" ".join(block.text for block in cell) for cell in cells)

    def _not_empty(self, element: Element) -> Iterator[Block]:
        return (block for block in self.blocks(element) if block.text.strip())


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == qn("w:tr"):
            properties = child.find(qn("w:trPr"))
            if properties is None or properties.find(qn("w:del")) is None:
                yield child
        elif child.tag not in _LEFT_OUT and isinstance(child.tag, str):
            yield from _rows(chosen(child))


def _cells(line: Element) -> Iterator[Element]:
    for child in line:
        if child.tag == qn("w:tc"):
            properties = child.find(qn("w:tcPr"))
            if properties is None or properties.find(qn("w:cellDel")) is None:
                yield child
        elif child.tag not in _LEFT_OUT and isinstance(child.tag, str):
            yield from _cells(chosen(child))
