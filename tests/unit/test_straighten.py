"""Pages that lie askew are turned straight before their text is recognized."""

import pypdfium2
import pytest
from PIL import Image, ImageDraw

from models.extraction.ocr import Recognizer
from models.extraction.straighten import degrees_askew, straightened
from tests.recordings import DATA


def _page() -> Image.Image:
    """Draw forty lines of words."""
    picture = Image.new("L", (2000, 2800), 255)
    draw = ImageDraw.Draw(picture)
    for line in range(40):
        for word in range(12 - line % 5):
            top, left = 200 + 60 * line, 200 + 130 * word
            draw.rectangle((left, top, left + 60 + 7 * ((line + word) % 8), top + 25), fill=20)
    return picture


@pytest.mark.parametrize("degrees", [-5.0, -1.0, 0.3, 3.0])
def test_degrees_askew_when_a_page_was_turned_then_told(degrees: float) -> None:
    turned = _page().rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    assert degrees_askew(turned) == pytest.approx(-degrees, abs=0.11)


def test_straightened_when_nearly_straight_then_the_very_page() -> None:
    for degrees in (0.0, 0.3):
        page = _page().rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
        assert straightened(page) is page


def test_straightened_when_nothing_tells_then_the_very_page() -> None:
    blank = Image.new("L", (600, 800), 255)
    assert straightened(blank) is blank


def test_recognize_when_a_page_lies_askew_then_read() -> None:
    path = DATA / "documents" / "ja_minutes_cid_not_embedded.pdf"
    with pypdfium2.PdfDocument(path) as document:
        picture = document[0].render(scale=300 / 72, grayscale=True).to_pil()
    askew = picture.rotate(5, Image.Resampling.BICUBIC, fillcolor=255)
    text = Recognizer().recognize(askew, "ja", 300)
    assert "前回の宿題" in text
    assert "請求の誤り" in text
