from concurrent.futures import ThreadPoolExecutor

import pytest

from models import kana
from models.documents import Pseudonym, PseudonymMap
from models.fictional.people import Writing, people
from models.quality.aliases import find_aliases, other_writings


def found(text: str, surface: str, language: str, entity_type: str = "PERSON") -> bool:
    entry = Pseudonym(replacement="[PERSON_1]", entity_type=entity_type, surfaces=(surface,))
    aliases = other_writings(PseudonymMap(entries=(entry,)), language)
    return bool(find_aliases(text, aliases, language))


@pytest.mark.parametrize(
    ("surface", "language", "text"),
    [
        ("高橋優太", "ja", "Takahashi Yuta approved it."),
        ("高橋優太", "ja", "承認者はたかはしゆうたです。"),
        ("高橋優太", "ja", "タカハシさんが承認した。"),
        ("高橋優太", "ja", "高橋部長が承認した。"),
        ("大野亮", "ja", "Ōno Ryō, Ohno Ryo"),
        ("タカハシ", "ja", "takahashi said so"),
        ("王晓梅", "zh", "Wáng Xiǎoméi agreed."),
        ("王晓梅", "zh", "Xiaomei Wang agreed."),
        ("王晓梅", "zh", "王曉梅同意。"),
        ("王晓梅", "zh", "王经理同意。"),
        ("单雪梅", "zh", "据单经理说，可以。"),
        ("傅晓梅", "zh", "听傅主任说，可以。"),
        ("吕建国", "zh", "Lyu Jianguo agreed."),
        ("Lena Moritz", "en", "M as in mother, O as in orange, r for river, i, t, z"),
        ("Lena Moritz", "en", "Mike Oscar Romeo India Tango Zulu"),
        ("José Ibáñez", "en", "Jose Ibanez"),
    ],
)
def test_find_aliases_when_name_is_written_otherwise_then_found(
    surface: str, language: str, text: str
) -> None:
    assert found(text, surface, language)


@pytest.mark.parametrize(
    ("surface", "language", "text"),
    [
        ("林太郎", "ja", "小林さんが承認した。"),
        ("森一", "ja", "もりあがる"),
        ("李娜", "zh", "a lina of ships"),
        ("高明", "zh", "最高法官来了。"),
        ("高明", "zh", "这是最高总数。"),
        ("单雪梅", "zh", "简单经理人培训"),
        ("王晓梅", "zh", "国王先来了，小梅后来。"),
        ("Lena Moritz", "en", "an echo of the tango in a hotel"),
        ("高橋優太", "ja", "the takahashitown line"),
    ],
)
def test_find_aliases_when_only_similar_then_no_alarm(
    surface: str, language: str, text: str
) -> None:
    assert not found(text, surface, language)


def test_other_writings_when_no_person_then_empty() -> None:
    assert not found("Tokyo", "東京", "ja", "LOCATION")


@pytest.mark.parametrize(
    ("reading", "forms"),
    [
        ("オオノ", {"oono", "ono", "ohno"}),
        ("ナンバ", {"nanba", "namba"}),
        ("ハットリ", {"hattori"}),
        ("チヅル", {"chizuru", "tiduru"}),
        ("ジュンイチ", {"junichi", "zyuniti"}),
    ],
)
def test_latin_when_reading_has_several_spellings_then_all(reading: str, forms: set[str]) -> None:
    assert forms <= kana.latin(reading)


def test_whole_names_when_asked_for_in_several_threads_then_found_in_each() -> None:
    text = "高橋優太さんが承認した。" * 100

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: list(kana.whole_names(text)), range(40)))

    assert found == [["高橋優太"] * 100] * 40


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_people_when_asked_then_every_writing_of_a_language(language: str) -> None:
    from random import Random

    for person in people(language):
        made = {w: person.written(w, Random(1)) for w in Writing}  # noqa: S311 - to be repeatable
        missing = {w for w, text in made.items() if not text}
        assert missing == ({Writing.ROMANIZED, Writing.VARIANT} if language == "en" else set())
