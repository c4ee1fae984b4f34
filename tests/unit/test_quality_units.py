import pytest

from models.documents import Language, Sentence, Severity
from tests.summaries import transcript, written
from tests.unit.test_quality_checks import check


def found(language: Language, said: str, text: str) -> list[Severity]:
    summary = written(Sentence(text=text, citations=(1,)), language=language, headline="…x…")
    report = check(summary, transcript(said, language=language))
    return [f.severity for f in report.findings if f.check == "facts.number"]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "The dose is 5 milligrams.", "The dose is 5 grams."),
        ("en", "The dose is 5 mg.", "The dose is five micrograms."),
        ("en", "The crate weighs 40 kg.", "The crate weighs 40 pounds."),
        ("en", "The crate weighs 40 kilos.", "The crate weighs 40 tonnes."),
        ("en", "The gap is 12 centimetres.", "The gap is 12 metres."),
        ("en", "It costs 300 dollars.", "It costs 300 francs."),
        ("en", "It costs 300 dollars.", "It costs 300 pesos."),
        ("en", "It takes 40 minutes.", "It takes 40 hours."),
        ("en", "It takes 3 days.", "It takes 3 weeks."),
        ("ja", "薬は5ミリグラムです。", "薬は5グラム。"),
        ("ja", "箱は四十キロです。", "箱は40トン。"),
        ("ja", "費用は300円です。", "費用は300ウォン。"),
        ("ja", "作業は30分かかります。", "作業は30時間かかる。"),
        ("zh", "药量是5毫克。", "药量是5克。"),
        ("zh", "每箱四十公斤。", "每箱四十斤。"),
        ("zh", "费用是300元。", "费用是300卢布。"),
        ("zh", "需要30分钟。", "需要30小时。"),
        ("ja", "3年以内に終えます。", "3か月以内に終える。"),
        ("zh", "三年内完成。", "三天内完成。"),
    ],
)
def test_unit_when_another_stands_at_the_same_number_then_blocks(
    language: Language, said: str, text: str
) -> None:
    assert found(language, said, text) == [Severity.BLOCK]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "It rose by 3 percentage points.", "It rose by 3 percent."),
        ("ja", "率は3ポイント上がりました。", "率は3%上がった。"),
        ("zh", "比例上升了3个百分点。", "比例上升了3%。"),
    ],
)
def test_unit_when_points_become_percent_then_warns(
    language: Language, said: str, text: str
) -> None:
    assert found(language, said, text) == [Severity.WARN]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "The dose is 5,000 micrograms.", "The dose is 5 mg."),
        ("en", "It rose by 200 basis points.", "It rose by 2 percentage points."),
        ("en", "The crate weighs 2.5 tonnes.", "The crate weighs 2,500 kilograms."),
        ("en", "It takes ninety minutes.", "It takes 1.5 hours."),
        ("en", "The pole is 5 m long.", "The pole is 500 cm long."),
        ("en", "It costs $5m.", "It costs 5 million dollars."),
        ("en", "He lost 40 pounds.", "He lost 40 lbs."),
        ("ja", "薬は5ミリグラムです。", "薬は5mg。"),
        ("ja", "道は二キロメートルです。", "道は2000メートル。"),
        ("zh", "每箱四十公斤。", "每箱八十斤。"),
        ("zh", "需要一百二十分钟。", "需要2小时。"),
        ("en", "It takes two and a half hours.", "It takes 2.5 hours."),
        ("en", "It costs one and a half million dollars.", "It costs $1.5 million."),
        ("ja", "1時間半かかります。", "90分かかる。"),
        ("zh", "需要一年半。", "需要18个月。"),
        ("zh", "需要两个半小时。", "需要2.5小时。"),
    ],
)
def test_unit_when_as_much_is_said_in_another_then_passes(
    language: Language, said: str, text: str
) -> None:
    assert found(language, said, text) == []
