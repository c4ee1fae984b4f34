"""PDF: reading order, hidden and unreadable text, forms and scans."""

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from configs.errors import EmptyInputError, NoTextLayerError
from models.extraction import ocr
from models.extraction.content import Warned
from models.extractor import extract
from tests.pdf import FONT, pdf, show
from tests.recordings import DATA

DOCUMENTS = DATA / "documents"


def _texts(path: Path) -> list[str]:
    return [segment.text for segment in extract(path).segments]


def test_extract_when_two_columns_are_drawn_line_by_line_then_each_is_read_to_its_end(
    tmp_path: Path,
) -> None:
    rows = [
        show(50, 700 - 12 * n, f"left words of line number {n}")
        + show(320, 700 - 12 * n, f"right words of line number {n}")
        for n in range(6)
    ]
    title = show(50, 740, "A title that is set over both of the columns, wide enough to cross them")
    text = " ".join(_texts(pdf(tmp_path / "a.pdf", title + "".join(rows))))
    places = [
        text.index(f"{side} words of line number {n}")
        for side in ("left", "right")
        for n in range(6)
    ]
    assert places == sorted(places)
    assert text.startswith("A title")


def test_extract_when_a_table_has_two_columns_then_its_rows_stay_rows(tmp_path: Path) -> None:
    rows = [
        show(50, 700 - 12 * n, f"Item {n}") + show(320, 700 - 12 * n, f"{n},000 yen")
        for n in range(6)
    ]
    text = " ".join(_texts(pdf(tmp_path / "a.pdf", "".join(rows))))
    assert "Item 0 0,000 yen Item 1 1,000 yen" in text


def test_extract_when_japanese_is_vertical_then_columns_from_the_right_tier_by_tier() -> None:
    text = "".join(_texts(DOCUMENTS / "ja_vertical_haru_to_shura.pdf"))
    lines = (
        "序",
        "わたくしといふ現象は",
        "假定された有機交流電燈の",
        "ひとつの青い照明です",
        "みんなのおのおののなかのすべてですから",
        "けれどもこれら新世代沖積世の",
    )
    places = [text.index(line) for line in lines]
    assert places == sorted(places)


def test_extract_when_latin_text_is_turned_then_its_order_stays() -> None:
    text = " ".join(_texts(DOCUMENTS / "corrupt_xref_zen.pdf"))
    assert text.index("Beautiful is") < text.index("Explicit is") < text.index("Simple is")


def test_extract_when_text_is_invisible_without_a_picture_then_left_out(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", show(50, 700, "Shown") + show(50, 600, "Hidden", mode=3))
    transcript = extract(path)
    assert [s.text for s in transcript.segments] == ["Shown"]
    assert transcript.warnings == (Warned.HIDDEN_TEXT,)


_DARK = "0.1 0.1 0.3 rg 40 690 200 30 re f\n"


@pytest.mark.parametrize(
    "hidden",
    [
        show(50, 600, "Hidden", ink="1 g"),
        show(50, 600, "Hidden", ink="0.98 0.98 1 rg"),
        _DARK + show(50, 700, "Hidden", ink="0.1 0.1 0.3 rg"),
        show(50, 700, "Hidden") + "0 g 40 690 200 30 re f\n",
    ],
    ids=["white", "nearly white", "dark on dark", "under a bar"],
)
def test_extract_when_text_has_the_colour_around_it_then_left_out_and_said(
    tmp_path: Path, hidden: str
) -> None:
    transcript = extract(pdf(tmp_path / "a.pdf", show(50, 500, "Shown") + hidden))
    assert [s.text for s in transcript.segments] == ["Shown"]
    assert transcript.warnings == (Warned.HIDDEN_TEXT,)


@pytest.mark.parametrize(
    "shown",
    [
        _DARK + show(50, 700, "Shown", ink="1 g"),
        _DARK + show(50, 600, "Shown"),
        show(50, 700, "Shown", ink="0.9 g"),
        show(50, 700, "Shown") + show(90, 700, "   ", ink="1 g"),
    ],
    ids=["white on dark", "beside a shape", "pale", "a white space"],
)
def test_extract_when_text_stands_out_then_read(tmp_path: Path, shown: str) -> None:
    transcript = extract(pdf(tmp_path / "a.pdf", shown))
    assert [s.text for s in transcript.segments] == ["Shown"]
    assert transcript.warnings == ()


def test_extract_when_text_is_invisible_over_a_scan_then_it_is_its_text(tmp_path: Path) -> None:
    picture = "q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q\n"
    words = "Words that an earlier text recognition has laid invisibly over the picture of a page."
    path = pdf(tmp_path / "a.pdf", picture + show(50, 700, words, mode=3))
    transcript = extract(path)
    assert [s.text for s in transcript.segments] == [words]
    assert transcript.warnings == ()


def test_extract_when_text_is_outside_of_the_page_then_left_out(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", show(50, 700, "Shown") + show(50, 900, "Outside"))
    assert _texts(path) == ["Shown"]


def test_extract_when_a_ligature_has_no_meaning_then_warned(tmp_path: Path) -> None:
    to_unicode = (
        "6 0 obj\n<< /Length 95 >>\nstream\n/CIDInit /ProcSet findresource begin begincmap\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        "2 beginbfrange <20> <5f> <0020> <61> <7a> <0061> endbfrange\n"
        "1 beginbfchar <60> <fffd> endbfchar\nendcmap end\nendstream\nendobj\n"
    )
    font = FONT.replace(">>", "/ToUnicode 6 0 R >>")
    path = pdf(
        tmp_path / "a.pdf",
        show(50, 700, "The o`ce is open on all days"),
        font=font,
        more=to_unicode,
    )
    assert Warned.UNREADABLE_CHARACTERS in extract(path).warnings


def test_extract_when_a_form_is_filled_in_then_its_values_are_text(tmp_path: Path) -> None:
    look = show(2, 5, "Filled in")
    more = (
        "6 0 obj\n<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Filled in) /F 4 "
        "/Rect [50 500 250 520] /AP << /N 7 0 R >> >>\nendobj\n"
        "7 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] "
        f"/Resources << /Font << /F1 5 0 R >> >> /Length {len(look)} >>\n"
        f"stream\n{look}\nendstream\nendobj\n"
    )
    path = pdf(tmp_path / "a.pdf", show(50, 700, "Name:"), more=more, page="/Annots [6 0 R]")
    assert "Filled in" in " ".join(_texts(path))


def test_extract_when_a_scan_is_upside_down_then_recognized_with_a_warning() -> None:
    transcript = extract(DOCUMENTS / "scanned_rotated_180.pdf")
    words = "Docling bundles PDF document conversion"
    assert words in " ".join(s.text for s in transcript.segments)
    assert Warned.TEXT_RECOGNIZED in transcript.warnings
    places = [f"page 1, paragraph {n}" for n in range(1, len(transcript.segments) + 1)]
    assert [s.location for s in transcript.segments] == places


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("ja_minutes_cid_not_embedded.pdf", None, "前回の宿題"),
        ("zh_contract_party.pdf", "zh", "中国饮料有限公司"),
    ],
)
def test_recognize_when_japanese_or_chinese_then_read_without_spaces(
    name: str, language: str, words: str
) -> None:
    with pypdfium2.PdfDocument(DOCUMENTS / name) as document:
        picture = document[0].render(scale=300 / 72, grayscale=True).to_pil()
    assert words in ocr.Recognizer().recognize(picture, language, 100)


def test_recognizer_when_tesseract_is_not_installed_then_not_available() -> None:
    assert not ocr.Recognizer("no-such-program").is_available


def test_extract_when_a_scan_cannot_be_recognized_here_then_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoTextLayerError, match="no text recognition"):
        extract(DOCUMENTS / "scanned_only_huckfinn.pdf")


def test_recognize_when_nothing_is_on_the_page_then_empty() -> None:
    assert not ocr.Recognizer().recognize(Image.new("L", (600, 800), 255), "en", 100).strip()


def test_extract_when_a_page_is_blank_then_no_text(tmp_path: Path) -> None:
    with pytest.raises(EmptyInputError):
        extract(pdf(tmp_path / "a.pdf", ""))
