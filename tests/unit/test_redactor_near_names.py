import pytest

from models.redactor.near_names import full_name, near_names
from models.redactor.same_person import same_persons


def near(text: str, name: str, language: str) -> list[str]:
    known = full_name(name, language)
    assert known is not None
    return [text[place.start : place.end] for place in near_names(text, [known], language)]


@pytest.mark.parametrize(
    ("name", "language", "text", "misread"),
    [
        ("白石千尋", "ja", "日石千尋が確認した。", "日石千尋"),
        ("斎藤花子", "ja", "齋藤花子は欠席。", "齋藤花子"),
        ("斎藤花子", "ja", "斎藤華子は欠席。", "斎藤華子"),
        ("斎藤花子", "ja", "サイトウ花子は欠席。", "サイトウ花子"),
        ("斎藤花子", "ja", "斎藤はなこは欠席。", "斎藤はなこ"),
        ("斎藤花子", "ja", "さいとうはなこの件", "さいとうはなこ"),
        ("邓雅文", "zh", "邓雅雯负责采购。", "邓雅雯"),
        ("邓雅文", "zh", "请郑雅文签字。", "郑雅文"),
        ("欧阳志强", "zh", "欧阳志墙同意。", "欧阳志墙"),
        ("Catherine Boyle", "en", "Then Katherin Boil spoke.", "Katherin Boil"),
        ("John Smith", "en", "ask jon smyth", "jon smyth"),
    ],
)
def test_near_names_when_misread_or_misheard_then_found(
    name: str, language: str, text: str, misread: str
) -> None:
    assert misread in near(text, name, language)


@pytest.mark.parametrize(
    ("name", "language", "text"),
    [
        ("白石千尋", "ja", "白石千尋と白石千春が来た。"),
        ("高橋健", "ja", "高橋県の建物と高橋建設の件。"),
        ("斎藤花子", "ja", "斎藤はなこうして帰った。"),
        ("邓雅文", "zh", "邓雅丽和等雅文来了再说。"),
        ("Catherine Boyle", "en", "Catherine Bell and Catherine Boyle"),
        ("Mary Lopez", "en", "Maria Lopez is her sister."),
        ("Mark Lowe", "en", "we mark low values"),
    ],
)
def test_near_names_when_it_is_another_word_or_person_then_nothing(
    name: str, language: str, text: str
) -> None:
    assert not near(text, name, language)


@pytest.mark.parametrize(
    ("surfaces", "language", "same"),
    [
        ({"邓雅文", "邓"}, "zh", {"邓": "邓雅文"}),
        ({"邓雅文", "小邓"}, "zh", {"小邓": "邓雅文"}),
        ({"王晓明", "王建国", "王"}, "zh", {}),
        ({"佐藤花子", "佐藤"}, "ja", {"佐藤": "佐藤花子"}),
        ({"高橋健", "高橋純一", "高橋"}, "ja", {}),
        ({"斎藤花子", "サイトウ"}, "ja", {"サイトウ": "斎藤花子"}),
        ({"斎藤花子", "斉藤華子"}, "ja", {"斎藤花子": "斉藤華子"}),
        ({"Catherine Boyle", "Boil"}, "en", {"Boil": "Catherine Boyle"}),
        ({"Tom Becker", "Ann Becker", "Becker", "Tom"}, "en", {"Tom": "Tom Becker"}),
    ],
)  # fmt: skip
def test_same_persons_when_only_one_has_the_part_then_that_one(
    surfaces: set[str], language: str, same: dict[str, str]
) -> None:
    assert same_persons(surfaces, language, {}) == same


def test_same_persons_when_misreadings_follow_each_other_then_the_first() -> None:
    near = {"邓雅雯": "邓雅文", "郑雅雯": "邓雅雯"}

    same = same_persons({"邓雅文", "邓雅雯", "郑雅雯"}, "zh", near)

    assert same == {"邓雅雯": "邓雅文", "郑雅雯": "邓雅文"}
