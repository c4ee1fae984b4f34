"""PPTX to paragraphs: what the audience sees, slide by slide.

python-pptx opens the package; its shapes leave out those in compatibility wrappers and diagrams, so
the XML is gone through here. Speakers' notes, comments and hidden slides are not taken.
"""

from collections.abc import Iterator
from pathlib import Path

from lxml.etree import _Element as Element
from pptx import Presentation
from pptx.opc.package import Part
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn
from pptx.slide import Slide

from configs.errors import TooLargeError
from models.extraction.content import (
    Block,
    Content,
    Paragraph,
    Warned,
    heading_if,
    numbered,
    row,
)
from models.extraction.encodings import clean
from models.extraction.markup import ALTERNATIVES, chosen
from models.extraction.office import readable_office

_MAX_SLIDES = 2000
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_TITLES = frozenset({"title", "ctrTitle"})
_SLIDE_NUMBER = "sldNum"
_SHAPES = frozenset({qn("p:sp"), qn("p:graphicFrame"), qn("p:grpSp"), ALTERNATIVES})


def read_slides(path: Path) -> Content:
    """Read a PPTX.

    Raises:
        CorruptInputError, EncryptedInputError, TooLargeError: not retryable.
    """
    warnings: set[Warned] = set()
    paragraphs: list[Paragraph] = []
    with readable_office(path), path.open("rb") as file:
        slides = list(Presentation(file).slides)
        if len(slides) <= _MAX_SLIDES:
            for number, slide in enumerate(slides, start=1):
                paragraphs += _slide(slide, number, warnings)
    if len(slides) > _MAX_SLIDES:
        raise TooLargeError(f"The presentation has more than {_MAX_SLIDES} slides.")
    return Content(tuple(paragraphs), tuple(sorted(warnings)))


def _slide(slide: Slide, number: int, warnings: set[Warned]) -> Iterator[Paragraph]:
    if slide.element.get("show") in {"0", "false"}:
        warnings.add(Warned.HIDDEN_TEXT)
        return
    if slide.has_notes_slide and _has_notes(slide):
        warnings.add(Warned.SPEAKER_NOTES)
    shapes = sorted(_shapes(slide.shapes.element, warnings), key=lambda shape: not _is_title(shape))
    blocks = (block for shape in shapes for block in _blocks(shape, slide.part))
    yield from numbered(blocks, f"slide {number}")


def _has_notes(slide: Slide) -> bool:
    frame = slide.notes_slide.notes_text_frame
    return frame is not None and bool(frame.text.strip())


def _shapes(tree: Element, warnings: set[Warned]) -> Iterator[Element]:
    """Yield the visible shapes and frames of a tree in its order, groups opened."""
    for child in tree:
        if child.tag in _SHAPES and _is_hidden(child):
            warnings.add(Warned.HIDDEN_TEXT)
        elif child.tag in {qn("p:grpSp"), ALTERNATIVES}:
            yield from _shapes(chosen(child), warnings)
        elif child.tag in _SHAPES:
            if next(child.iter(qn("p:oleObj")), None) is not None:
                warnings.add(Warned.EMBEDDED)
            elif _placeholder(child) != _SLIDE_NUMBER:
                yield child


def _blocks(shape: Element, part: Part) -> Iterator[Block]:
    table = next(shape.iter(qn("a:tbl")), None)
    if table is not None:
        for line in table.findall(qn("a:tr")):
            cells = line.findall(qn("a:tc"))
            yield row(" ".join(_paragraphs(cell)) for cell in cells)
        return
    kind = heading_if(_is_title(shape))
    yield from (Block(text, kind) for text in _paragraphs(shape))
    for diagram in shape.iter(_DIAGRAM):
        data = part.related_part(diagram.get(_DIAGRAM_DATA))
        yield from map(Block, _paragraphs(parse_xml(data.blob)))


def _paragraphs(element: Element) -> Iterator[str]:
    for paragraph in element.iter(qn("a:p")):
        text = clean("".join(_runs(paragraph)))
        if text.strip():
            yield text.strip()


def _runs(paragraph: Element) -> Iterator[str]:
    for child in paragraph.iter(qn("a:t"), qn("a:br"), qn("a:tab")):
        yield (child.text or "") if child.tag == qn("a:t") else "\n"


def _is_title(shape: Element) -> bool:
    return _placeholder(shape) in _TITLES


def _placeholder(shape: Element) -> str | None:
    found = next(shape.iter(qn("p:ph")), None)
    return None if found is None else str(found.get("type", "obj"))


def _is_hidden(shape: Element) -> bool:
    """A group's own properties come before those of its members."""
    properties = next(shape.iter(qn("p:cNvPr")), None)
    return properties is not None and properties.get("hidden") in {"1", "true"}
