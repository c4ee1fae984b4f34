"""HTML: what a browser shows without scripts and network."""

from pathlib import Path

import pytest

from configs.errors import TooLargeError
from models.extraction.content import Warned
from models.extraction.web_page import page_blocks
from models.extractor import DocumentKind, extract, sniff


def _texts(markup: str) -> list[str]:
    return [block.text for block in page_blocks(markup)[0]]


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>secret</p>",
        "<div style='color:red; DISPLAY : none'><p>secret</p></div>",
        "<span style='visibility:hidden'>secret</span>",
        "<span style='font-size:0px'>secret</span>",
        "<style>.x, #y {display:none}</style><p class=x>secret</p>",
        "<style>@media screen {.x {display:none}}</style><p class=x>secret</p>",
        "<p style='color:#FFF; background-color: white'>secret</p>",
        "<p style='background:rgb(0, 0, 0);color:black !important'>secret</p>",
        "<style>.x {color: #fefefe; background: #fefefe}</style><p class=x>secret</p>",
        "<template>secret</template>",
        "<script>secret</script>",
        "<noscript>secret</noscript>",
        "<input type=hidden value=secret>",
        "<!-- secret -->",
        "<dialog>secret</dialog>",
        "<img alt=secret src='http://192.0.2.1/x.png'>",
        "<object data='http://192.0.2.1/'>secret</object>",
    ],
)
def test_page_blocks_when_a_browser_shows_it_to_nobody_then_left_out(hidden: str) -> None:
    assert _texts(f"<body><p>shown</p>{hidden}<p>too</p>") == ["shown", "too"]


@pytest.mark.parametrize(
    "shown",
    [
        "<style>@media print {.x {display:none}}</style><p class=x>text</p>",
        "<p style='opacity:0.5; font-size:0.8em'>text</p>",
        "<div style='background:#222'><p style='color:#fff'>text</p></div>",
        "<p style='color:inherit; background:inherit'>text</p>",
        "<p style='background:#fff url(/a.png); color:#fff'>text</p>",
        "<p style='border-color:#fff; background:#fff'>text</p>",
        "<details><summary>text</summary></details>",
        "<p>te<b>x</b>t</p>",
        "<p>漢<ruby>字<rt>じ</rt></ruby></p>",
    ],
)
def test_page_blocks_when_a_browser_shows_it_then_taken(shown: str) -> None:
    assert _texts(f"<body>{shown}") in (["text"], ["漢字"])


def test_page_blocks_when_characters_are_written_as_references_then_they_are_cleaned_too() -> None:
    assert _texts("<p>Taka&shy;hashi, &#xff10;&#xff19;&#x1b;</p>") == ["Takahashi, 09"]


def test_page_blocks_when_a_page_names_its_main_part_then_navigation_is_left_out() -> None:
    page = "<body><header>Shop</header><nav>Home</nav><main><h1>News</h1><p>Text</p></main>"
    assert _texts(page) == ["News", "Text"]


def test_page_blocks_when_rows_then_a_line_each_unless_they_lay_out_the_page() -> None:
    inner = "<table><tr><th>Who</th><th>What</th></tr><tr><td>Ann</td><td>plan</td></tr></table>"
    page = f"<table><tr><td>Menu</td><td><p>One.</p><p>Two.</p>{inner}</td></tr></table>"
    assert _texts(page) == ["Menu", "One.", "Two.", "Who | What", "Ann | plan"]


def test_page_blocks_when_a_page_is_ten_megabytes_in_one_line_then_read_in_short_parts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html><body>" + ("word " * 999 + "<b>word</b> ") * 2_000, encoding="ascii")
    segments = extract(path, "en").segments
    assert max(len(s.text) for s in segments) <= 1200
    assert sum(len(s.text.split()) for s in segments) == 2_000_000


def test_page_blocks_when_nested_without_end_then_read() -> None:
    page = "<table><tr><td>" * 2_000 + "<div>" * 2_000 + "deep"
    assert _texts(page) == ["deep"]


def test_page_blocks_when_text_is_struck_out_then_left_out_and_said() -> None:
    blocks, warnings = page_blocks("<p>The fee is <del>500</del><ins>700</ins>, not <s>9</s>.</p>")
    assert [block.text for block in blocks] == ["The fee is 700, not ."]
    assert warnings == (Warned.STRUCK_TEXT,)


def test_page_blocks_when_a_figure_is_raised_then_it_is_no_digit_of_the_number_before() -> None:
    page = "<p>10<sup>6</sup> in 2024<sup>1</sup>, the 3<sup>rd</sup>, H<sub>2</sub>O</p>"
    assert _texts(page) == ["10^6 in 2024^1, the 3rd, H2O"]


@pytest.mark.timeout(60)  # what grows with the square of the length would take many minutes
@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 200_000 + "deep",
        "<div></x>" * 200_000 + "deep",
        "<script>" + "<!--" * 200_000 + "</script>" + "<b>" * 200_000 + "deep",
        "<p " + "a=1 " * 200_000 + ">many",
        "<p>" * 2_000_002,
    ],
    ids=["elements", "wrong ends", "after a script", "attributes", "many"],
)
def test_page_blocks_when_nested_beyond_reason_then_refused_at_once(page: str) -> None:
    with pytest.raises(TooLargeError):
        page_blocks(page)


def test_page_blocks_when_many_ends_are_left_out_then_read() -> None:
    items = "<script>const a = '" + "<b>" * 9_000 + "'</script>" + "<p>one<ul><li>two</ul>" * 9_000
    assert len(_texts(items)) == 18_000


def test_page_blocks_when_hidden_text_then_said() -> None:
    assert page_blocks("<p>a</p><p hidden>b</p>")[1] == (Warned.HIDDEN_TEXT,)
    assert not page_blocks("<p>a</p><p hidden></p><script>x</script>")[1]


@pytest.mark.parametrize("charset", ["Shift_JIS", "euc-jp", "iso-2022-jp", "utf-8"])
def test_extract_when_a_page_declares_its_encoding_then_read_by_it(
    tmp_path: Path, charset: str
) -> None:
    path = tmp_path / "a"
    page = f"<!DOCTYPE html><meta charset={charset}><h1>議事録</h1><p>高橋</p>"
    path.write_bytes(page.encode(charset))
    transcript = extract(path)
    assert [s.text for s in transcript.segments] == ["議事録", "高橋"]
    assert [s.location for s in transcript.segments] == ["heading 1", "paragraph 1"]


def test_extract_when_a_page_lies_about_its_encoding_then_still_right(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes("<meta charset=iso-8859-1><p>会议纪要：由行政部负责。</p>".encode())
    assert extract(path, name="a.html").segments[0].text == "会议纪要：由行政部负责。"


@pytest.mark.parametrize("charset", ["rot13", "zip", "hex", "idna", "no-such", "unicode_escape"])
def test_extract_when_a_page_declares_what_is_no_encoding_then_ignored(
    tmp_path: Path, charset: str
) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(f"<meta charset={charset}><p>\\x41 text</p>".encode())
    transcript = extract(path, name="a.html")
    assert [s.text for s in transcript.segments] == ["\\x41 text"]
    assert Warned.HIDDEN_TEXT not in transcript.warnings


@pytest.mark.parametrize(
    "start", ["<!doctype HTML>", "<html lang=en>", "<?xml version='1.0'?>\n<html>"]
)
def test_sniff_when_the_content_is_a_page_then_the_name_does_not_matter(
    tmp_path: Path, start: str
) -> None:
    for encoding in ("utf-8", "utf-16"):
        path = tmp_path / "a"
        path.write_bytes(f"{start}<p>text</p>".encode(encoding))
        assert sniff(path, "a.txt") is DocumentKind.HTML


@pytest.mark.timeout(60)  # what doubles with each comment would never end
def test_sniff_when_a_text_begins_with_many_comments_then_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("<!---->" * 100 + "text", encoding="ascii")
    assert sniff(path, "a.txt") is DocumentKind.TEXT
