"""Lines of a page are joined to the paragraphs that a reader sees."""

import pytest

from models.extraction.reflow import joined_paragraphs, recognized_paragraphs

FULL = "The group met twice and heard what the head of the branch had to say."
LAST = "It left early."
WHOLE = f"{FULL} {LAST}"


@pytest.mark.parametrize(
    ("lines", "paragraphs"),
    [
        (["Booking by telephone", "and by web", FULL], ["Booking by telephone and by web", FULL]),
        (
            [FULL, LAST, "Send all of your corrections to", "helen.marchetti@example.org, soon."],
            [WHOLE, "Send all of your corrections to helen.marchetti@example.org, soon."],
        ),
        ([FULL, LAST, "What goes wrong", FULL], [WHOLE, "What goes wrong", FULL]),
        (
            ["Ring the desk of the records office between ten and noon on 021-5555-", "0218."],
            ["Ring the desk of the records office between ten and noon on 021-5555-0218."],
        ),
    ],
)
def test_joined_paragraphs_when_a_line_goes_on_then_is_whole(
    lines: list[str], paragraphs: list[str]
) -> None:
    assert list(joined_paragraphs("\n".join(lines))) == paragraphs


def test_recognized_paragraphs_when_lines_stand_far_apart_then_sentences_are_whole() -> None:
    text = (
        "致各部门的通知\n委员会决定在十二月第一周把档案室搬到二楼。今年夏天地下室两次进水，保险公\n\n"
        "司不再承保存放在地下的纸质文件。\n\n2015年以前的档案搬到外部仓库。\n"
    )
    assert list(recognized_paragraphs(text)) == [
        "致各部门的通知",
        "委员会决定在十二月第一周把档案室搬到二楼。今年夏天地下室两次进水，保险公司不再承保存放在地下的纸质文件。",
        "2015年以前的档案搬到外部仓库。",
    ]
