"""Documents: encodings, Markdown, PDF, and clear refusals."""

import unicodedata
from pathlib import Path

import pytest

from configs.errors import (
    AppError,
    CorruptInputError,
    EmptyInputError,
    EncryptedInputError,
    NotMediaError,
    TooLargeError,
)
from models.documents import place_parts
from models.extraction.content import short_parts
from models.extraction.encodings import clean, decode_text
from models.extractor import DocumentKind, extract, sniff
from tests.office import word
from tests.recordings import DATA

DOCUMENTS = DATA / "documents"


def _text(name: str) -> str:
    transcript = extract(DOCUMENTS / name, name=name)
    joined = "".join(segment.text for segment in transcript.segments)
    return unicodedata.normalize("NFKC", joined).replace(" ", "").replace("\n", "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ja_minutes_shift_jis.txt", "高橋優太"),
        ("ja_minutes_shift_jis.txt", "請求額1,234,567円"),
        ("zh_minutes_gb18030.txt", "海通物流有限公司"),
        ("ja_minutes_utf16le_bom.txt", "高橋優太"),
        ("ja_minutes_cid_not_embedded.pdf", "高橋優太"),
        ("two_column_ligatures.pdf", "DigitalMillenniumCopyrightAct"),
        ("invisible_text_layer.pdf", "Visibleheadingline"),
    ],
)
def test_extract_when_readable_then_the_text_is_there(name: str, text: str) -> None:
    assert text in _text(name)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("empty.txt", EmptyInputError),
        ("encrypted_aes256.pdf", EncryptedInputError),
        ("corrupt_truncated.pdf", CorruptInputError),
    ],
)
def test_extract_when_unusable_then_says_why_for_good(name: str, error: type[AppError]) -> None:
    with pytest.raises(error) as caught:
        extract(DOCUMENTS / name, name=name)
    assert not caught.value.retryable


def test_extract_when_a_pdf_is_only_a_header_then_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\n%%EOF\n")
    with pytest.raises(CorruptInputError):
        extract(path)


def test_extract_when_ligatures_then_plain_letters() -> None:
    text = _text("two_column_ligatures.pdf")
    assert not set(text) & set("ﬀﬁﬂﬃ\x00\x02\ufffe")


def test_extract_when_document_then_places_languages_and_no_times() -> None:
    transcript = extract(DOCUMENTS / "ja_minutes_cid_not_embedded.pdf")
    assert transcript.kind == "document"
    assert transcript.language == "ja"
    assert {place_parts(s.location or "")[0] for s in transcript.segments} == {("page", "1")}
    assert [s.id for s in transcript.segments] == list(range(1, len(transcript.segments) + 1))
    assert all(s.start == s.end == 0.0 for s in transcript.segments)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "a\n" * 200_001),
        ("a.txt", "words and words\n" * 700_000),
        ("a.md", "a\n\n" * 200_001),
        ("a.md", "*a " * 3_400_000),
    ],
)
def test_extract_when_a_text_goes_on_and_on_then_too_large(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="ascii")
    with pytest.raises(TooLargeError):
        extract(path, name=name)


def test_extract_when_word_has_paragraphs_without_end_then_too_large(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", "<w:p/>" * 200_001)
    with pytest.raises(TooLargeError):
        extract(path)


def test_extract_when_the_language_is_told_then_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("議事録", encoding="utf-8")
    assert extract(path, "ja").language == "ja"


def test_extract_when_markdown_then_no_marks(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text(
        "# Weekly **notes**\n\nWe [agreed](http://x) on `3` things:\n\n- *first* one\n\n"
        "| who | what |\n|---|---|\n| A&shy;nn | plan |\n\n<script>alert(1)</script>\n",
        encoding="utf-8",
    )
    texts = [s.text for s in extract(path, name="notes.md").segments]
    assert texts == [
        "Weekly notes",
        "We agreed on 3 things:",
        "first one",
        "who | what",
        "Ann | plan",
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("talk.txt", DocumentKind.TEXT),
        ("talk.md", DocumentKind.MARKDOWN),
        ("", DocumentKind.TEXT),
        ("talk.mp3", None),
        ("talk.csv", None),
        ("talk.html", DocumentKind.HTML),
    ],
)
def test_sniff_when_text_then_the_name_has_a_say(
    tmp_path: Path, name: str, kind: DocumentKind | None
) -> None:
    path = tmp_path / "stored"
    path.write_text("Only words.", encoding="utf-8")
    assert sniff(path, name) is kind


def test_sniff_when_a_pdf_is_named_mp3_then_pdf() -> None:
    assert sniff(DOCUMENTS / "two_column_ligatures.pdf", "a.mp3") is DocumentKind.PDF


def test_sniff_when_a_recording_is_named_txt_then_no_document() -> None:
    files = [p for p in (DATA / "media_odd").glob("*.*") if p.suffix not in {".json", ".mp3"}]
    assert files
    assert [path.name for path in files if sniff(path, "a.txt") is not None] == []


def test_extract_when_no_document_then_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(NotMediaError):
        extract(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_decode_text_when_japanese_then_right_in_every_encoding(encoding: str) -> None:
    text = "議事録：次回の会議は四月八日、東京の本社で開きます。担当は総務部です。"
    assert decode_text(text.encode(encoding)).removeprefix("\ufeff") == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_decode_text_when_chinese_then_right_in_every_encoding(encoding: str) -> None:
    text = "会议纪要：下次会议定于四月八日在北京总部召开，由行政部负责。"
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "big5"])
def test_decode_text_when_traditional_chinese_then_right_in_every_encoding(encoding: str) -> None:
    text = "會議紀要：下次會議定於四月八日在臺北總部召開，由行政部負責。\n請各部門準備報告。\n"
    assert decode_text(text.encode(encoding)) == text


def test_decode_text_when_one_byte_of_utf_8_is_broken_then_the_rest_is_right() -> None:
    text = "議事録：次回の会議は四月八日、東京の本社で開きます。担当は総務部です。" * 10
    data = bytearray(text.encode())
    data[99] = 0xFF
    assert decode_text(bytes(data)).replace("\ufffd", "") == text[:33] + text[34:]


def test_decode_text_when_mail_japanese_then_right() -> None:
    text = "議事録：次回の会議は四月八日です。"
    assert decode_text(text.encode("iso-2022-jp")) == text


def test_clean_when_a_font_means_windows_characters_then_quotes_are_kept() -> None:
    assert clean("Here\x92s \x93it\x94\x85") == "Here\u2019s \u201cit\u201d"


def test_decode_text_when_western_then_accents_survive() -> None:
    text = "Le café est fermé, señor; Müller paid £5."
    assert decode_text(text.encode("cp1252")) == text


def test_clean_when_full_width_then_letters_and_digits_are_plain() -> None:
    assert clean("ＴＥＬ０３－１２３４　ｶﾅ、ﬁle（注）\x00") == "TEL03-1234　カナ、file（注）"


def test_short_parts_when_a_paragraph_is_long_then_cut_between_sentences() -> None:
    text = "This is a sentence of some length. " * 100
    parts = list(short_parts(text.strip()))
    assert len(parts) > 1
    assert all(part.endswith("length.") for part in parts)
    assert " ".join(parts) == text.strip()
