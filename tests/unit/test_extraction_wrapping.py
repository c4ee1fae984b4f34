"""Lines that a program or a writer wrapped are joined; line ends that mean something stay."""

import textwrap

import pytest

from models.extraction.content import Warned
from models.extraction.markdown import read_markdown
from models.extraction.plain_text import text_blocks

PROSE = (
    "The committee met twice in October. It heard the head of the Harwell branch, who asked for a "
    "second reading room, and the well-known architect of the first one. Nothing was decided, for "
    "the figures of the county had not come in time."
)


def texts(text: str) -> list[str]:
    return [block.text for block in text_blocks(text)]


@pytest.mark.parametrize("width", [60, 72, 78])
def test_text_blocks_when_prose_was_wrapped_then_is_whole_again(width: int) -> None:
    wrapped = textwrap.fill(PROSE, width)
    assert texts(f"Minutes\n\n{wrapped}\n") == ["Minutes", PROSE]
    assert texts(wrapped) == [PROSE]


def test_text_blocks_when_japanese_was_broken_at_phrases_then_sentences_are_whole() -> None:
    text = (
        "松本様\n\n4年生の3学級が、5月にもう一度ローマの展示を見学したいと\n希望しております。\n"
        "昨年は粘土の制作の話が何週間も続きました。"
    )
    assert texts(text)[1].split("\n") == [
        "4年生の3学級が、5月にもう一度ローマの展示を見学したいと希望しております。",
        "昨年は粘土の制作の話が何週間も続きました。",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "Ann Lee\n14 Larkspur Lane\nBrightwater",
        "- the roster of the reception for the whole of November and December\n- the courier",
        "1. Call the insurers about the new hours of the clinic on Saturdays\n2. Tell the staff",
        "Place: the small hall behind the library of the town of Brightwater\nTime: ten o'clock",
        "会場：みどり市立図書館の二階にある小さな会議室（エレベーターあり）\n時間：10時から",
        f"{PROSE}\nand a line below it that nobody wrapped",
    ],
)
def test_text_blocks_when_line_ends_mean_something_then_they_stay(lines: str) -> None:
    assert texts(f"Title\n\n{lines}") == ["Title", lines]


def test_read_markdown_when_a_line_only_ends_in_the_file_then_goes_on() -> None:
    source = "We met in\nHarwell.\n\n土曜の午前に\n開く。\n\nAnn  \nBob\n"
    assert [paragraph.text for paragraph in read_markdown(source).paragraphs] == [
        "We met in Harwell.",
        "土曜の午前に開く。",
        "Ann\nBob",
    ]


def test_read_markdown_when_text_is_struck_out_then_left_out_and_said() -> None:
    content = read_markdown("The fee is ~~500~~ 700 francs.\n\n<p>now <s>4</s> 5</p>\n")
    assert [paragraph.text for paragraph in content.paragraphs] == [
        "The fee is  700 francs.",
        "now 5",
    ]
    assert content.warnings == (Warned.STRUCK_TEXT,)
