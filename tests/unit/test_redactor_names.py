import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.documents import Segment
from models.redactor import names_en, names_ja, names_zh
from models.redactor.chunks import chunks
from models.redactor.lac import TaggedWord
from models.redactor.languages import masked
from models.redactor.persons import occurrences, parts_of
from models.redactor.prefixes import is_generic_speaker, labelled_names, without_prefixes


def test_restore_capitals_when_line_has_none_then_names_get_them() -> None:
    text = "so jennifer okafor told me that priya raghunathan will mark the ticket"
    cased = names_en.restore_capitals(text)
    assert "Jennifer Okafor" in cased
    assert "Priya Raghunathan" in cased
    assert "will mark the ticket" in cased


def test_restore_capitals_when_line_has_capitals_then_unchanged() -> None:
    text = "Jennifer told Mark that she will come."
    assert names_en.restore_capitals(text) == text


def test_restore_capitals_when_all_capitals_then_only_names_keep_them() -> None:
    assert names_en.restore_capitals("AND THEN JENNIFER SAID NO") == "and then Jennifer said no"


@given(st.text())
def test_restore_capitals_when_any_text_then_same_length(text: str) -> None:
    assert len(names_en.restore_capitals(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("so Mr. Delacroix called", "Delacroix"),
        ("My name is Siobhan Quill and", "Siobhan Quill"),
        ("Name: Leigha Mackay\nPhone: 1", "Leigha Mackay"),
        ("let me spell my name n g u y e n", "n g u y e n"),
        ("my daughter Roswitha is here", "Roswitha"),
    ],
)
def test_find_names_when_english_introduces_one_then_found(text: str, name: str) -> None:
    found = names_en.find_names(text, text)
    assert name in {text[f.start : f.end] for f in found}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the letter of Grace Zabrowskaya is here", {"Grace Zabrowskaya"}),
        ("his Grace Period ends", set()),
        ("司令官Ivan Zabrowski在场", {"Ivan Zabrowski"}),
    ],
)
def test_known_names_when_given_name_is_a_word_too_then_told_by_what_follows(
    text: str, names: set[str]
) -> None:
    assert {text[f.start : f.end] for f in names_en.known_names(text)} == names


@pytest.mark.parametrize("text", ["Mr. Speaker, thank you", "the second name is missing"])
def test_find_names_when_english_role_then_nothing(text: str) -> None:
    assert not list(names_en.find_names(text, text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("请问李经理在吗", "李"),
        ("赵先生的订单", "赵"),
        ("你加一下备注小赵", "小赵"),
        ("群主是老张", "老张"),
        ("我叫欧阳静怡", "欧阳静怡"),
        ("我姓欧阳", "欧阳"),
    ],
)
def test_find_names_when_chinese_introduces_one_then_found(text: str, name: str) -> None:
    assert name in {text[f.start : f.end] for f in names_zh.find_names(text)}


@pytest.mark.parametrize("text", ["他任董事长三年", "两个小时以后", "谢谢老师"])
def test_find_names_when_chinese_word_only_then_nothing(text: str) -> None:
    assert not list(names_zh.find_names(text))


@pytest.mark.parametrize(
    ("text", "name"), [("やまもとけんじと申します", "やまもとけんじ"), ("ワンさんです", "ワン")]
)
def test_find_names_when_kana_name_introduced_then_found(text: str, name: str) -> None:
    assert name in {text[f.start : f.end] for f in names_ja.find_names(text, [])}


def test_find_names_when_honorific_is_no_name_then_nothing() -> None:
    assert not list(names_ja.find_names("お客様と皆さんと患者さん", []))


def test_without_prefixes_when_times_and_labels_then_blanked_and_names_kept() -> None:
    text = "[00:00:04] Tom Becker: Hello.\n[00:01:10] 山田: はい。\nAgent: yes"
    body = without_prefixes(text)
    assert len(body) == len(text)
    assert body.split("\n")[0].strip() == "Hello."
    assert {text[f.start : f.end] for f in labelled_names(text)} == {"Tom Becker", "山田"}


def test_is_generic_speaker_when_role_or_number_then_true() -> None:
    assert all(map(is_generic_speaker, ("Speaker 1", "SPEAKER_00", "話者2", "3", "left")))
    assert not any(map(is_generic_speaker, ("Tom Becker", "山田")))


def test_parts_of_when_whole_names_then_what_stands_alone() -> None:
    assert parts_of("Tom Becker", "en", {}) == ["Tom", "Becker"]
    assert parts_of("田中花子", "ja", {}) == ["田中", "花子"]
    assert parts_of("五十嵐翔", "ja", {"五十嵐翔": ["五十嵐", "翔"]}) == ["五十嵐"]
    assert parts_of("王小明", "zh", {}) == ["小明"]
    assert parts_of("欧阳静怡", "zh", {}) == ["欧阳", "静怡"]


def test_occurrences_when_part_of_other_word_then_not_found() -> None:
    assert not list(occurrences("Annual channel", "Ann", exact_case=False))
    assert not list(occurrences("ハタナカさん", "タナカ", exact_case=False))
    assert not list(occurrences("山口県で", "山口", exact_case=False))
    assert list(occurrences("山口さん", "山口", exact_case=False)) == [(0, 2)]


@given(st.text(alphabet="あ漢a。\n ,😀", max_size=200), st.integers(8, 60))
def test_chunks_when_any_text_then_whole_and_within_limit(text: str, limit: int) -> None:
    pieces = list(chunks(text, limit))
    assert "".join(p.text for p in pieces) == text
    assert all(len(p.text.encode()) <= limit for p in pieces)
    assert [p.offset for p in pieces] == [
        sum(len(q.text) for q in pieces[:i]) for i in range(len(pieces))
    ]


def test_chunks_when_sentence_ends_in_reach_then_cut_there() -> None:
    first = next(iter(chunks("一文目です。二文目はもっと長いです。三", 50)))
    assert first.text.endswith("。")


def test_masked_when_segments_differ_in_language_then_each_reads_its_own() -> None:
    rows = [
        Segment(id=1, start=0, end=1, text="こんにちはです"),
        Segment(id=2, start=1, end=2, text="Hello my friends", language="en"),
    ]
    texts = masked(rows, "ja")
    assert list(texts) == ["ja", "en"]
    assert texts["ja"] == "こんにちはです\n" + " " * 16
    assert texts["en"] == " " * 7 + "\nHello my friends"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ((("大主教", "n"), ("奥古斯托", "LOC"), ("来访", "v")), "奥古斯托"),
        ((("德国", "LOC"), ("人", "n"), ("韦伯", "ORG"), ("说", "v")), "韦伯"),
        ((("在", "p"), ("巴鲁克", "LOC"), ("当政", "v")), "巴鲁克"),
        ((("主教", "n"), ("南城区", "LOC")), None),
        ((("他", "r"), ("在", "p"), ("里昂", "LOC"), ("工作", "v")), None),
    ],
)
def test_find_in_words_when_only_a_person_can_stand_there_then_a_place_is_one(
    words: tuple[tuple[str, str], ...], name: str | None
) -> None:
    text = "".join(word for word, _ in words)
    ends = [sum(len(w) for w, _ in words[: i + 1]) for i in range(len(words))]
    tagged = [
        TaggedWord(end - len(word), end, tag) for end, (word, tag) in zip(ends, words, strict=True)
    ]
    found = [text[f.start : f.end] for f in names_zh.find_in_words(text, tagged)]
    assert found == ([name] if name else [])
