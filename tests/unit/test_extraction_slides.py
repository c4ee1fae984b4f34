"""PPTX: what the audience sees, slide by slide."""

from pathlib import Path

import pytest
from pptx import Presentation
from pptx.oxml.ns import qn
from pptx.util import Inches

from configs.errors import CorruptInputError
from models.extraction.content import Warned
from models.extractor import DocumentKind, extract, sniff
from tests.office import rewrite, slides


def test_extract_when_slides_then_each_text_has_its_place_on_its_slide(tmp_path: Path) -> None:
    path = slides(tmp_path / "a.pptx", "Results", "Outlook")
    assert sniff(path, "a.docx") is DocumentKind.PPTX
    found = [(s.location, s.text) for s in extract(path).segments]
    assert found == [("slide 1, heading 1", "Results"), ("slide 2, heading 1", "Outlook")]


def test_extract_when_a_slide_has_boxes_groups_and_tables_then_the_title_comes_first(
    tmp_path: Path,
) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    size = (Inches(1), Inches(1), Inches(3), Inches(1))
    title = slide.shapes.title
    assert title is not None
    title.text = "Results"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(*size).text_frame.text = "In a group"
    table = slide.shapes.add_table(1, 2, *size).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Sales", "3 %"
    tree = slide.shapes.element
    tree.append(title.element)  # to the end of the drawing order
    presentation.save(str(tmp_path / "a.pptx"))
    found = [(s.location, s.text) for s in extract(tmp_path / "a.pptx").segments]
    assert found == [
        ("slide 1, heading 1", "Results"),
        ("slide 1, paragraph 1", "In a group"),
        ("slide 1, row 1", "Sales | 3 %"),
    ]


def test_extract_when_notes_and_hidden_slides_then_left_out_and_said(tmp_path: Path) -> None:
    path = slides(tmp_path / "a.pptx", "Shown", "Hidden")
    presentation = Presentation(str(path))
    first, second = presentation.slides
    notes = first.notes_slide.notes_text_frame
    assert notes is not None
    notes.text = "Do not mention the layoffs."
    second.element.set("show", "0")
    presentation.save(str(path))
    transcript = extract(path)
    assert [s.text for s in transcript.segments] == ["Shown"]
    assert set(transcript.warnings) == {Warned.SPEAKER_NOTES, Warned.HIDDEN_TEXT}


def test_extract_when_a_group_is_hidden_then_left_out_and_said(tmp_path: Path) -> None:
    path = slides(tmp_path / "a.pptx", "Shown")
    presentation = Presentation(str(path))
    group = presentation.slides[0].shapes.add_group_shape()
    size = (Inches(1), Inches(1), Inches(3), Inches(1))
    group.shapes.add_textbox(*size).text_frame.text = "In a hidden group"
    next(group.element.iter(qn("p:cNvPr"))).set("hidden", "1")
    presentation.save(str(path))
    transcript = extract(path)
    assert [s.text for s in transcript.segments] == ["Shown"]
    assert transcript.warnings == (Warned.HIDDEN_TEXT,)


def test_extract_when_a_relation_has_no_target_then_damaged(tmp_path: Path) -> None:
    path = slides(tmp_path / "a.pptx", "Shown")
    rewrite(path, {"_rels/.rels": lambda xml: xml.replace(b"Target=", b"Other=")})
    with pytest.raises(CorruptInputError):
        extract(path)
