import pytest

from models.documents import Language, Sentence, Severity
from tests.summaries import transcript, written
from tests.unit.test_quality_checks import check


def found(language: Language, said: str, text: str) -> set[tuple[str, Severity]]:
    summary = written(Sentence(text=text, citations=(1,)), language=language, headline="…x…")
    report = check(summary, transcript(said, language=language))
    return {(f.check, f.severity) for f in report.findings if f.place == "abstract[0]"}


CHANGED: tuple[tuple[Language, str, str], ...] = (
    ("en", "The shift begins at 3 pm.", "The shift begins at 3 am."),
    ("en", "The shift begins at 15:00.", "The shift begins at 3 am."),
    ("en", "It was minus five degrees.", "It was five degrees."),
    ("en", "It was 5 degrees.", "It was -5 degrees."),
    ("en", "We need at least 30 chairs.", "We need at most 30 chairs."),
    ("en", "No more than 30 chairs fit in.", "More than 30 chairs fit in."),
    ("en", "Hand it in by Monday.", "Hand it in after Monday."),
    ("en", "Take one twice a day.", "Take one once a day."),
    ("en", "Take it before meals.", "Take it after meals."),
    ("en", "Two thirds of the members came.", "One third of the members came."),
    ("en", "Two thirds of the members came.", "Half of the members came."),
    ("en", "The visit is next Friday.", "The visit is last Friday."),
    ("en", "It ran from 2021 to 2025.", "It ran from 2025 to 2021."),
    ("en", "The rent doubled.", "The rent halved."),
    ("en", "It is planned for Q3.", "It is planned for Q2."),
    ("en", "It is planned for the third quarter.", "It is planned for Q2."),
    ("en", "It comes on A4 paper.", "It comes on A5 paper."),
    ("en", "It yields 500 kg per hectare.", "It yields 500 kg per acre."),
    ("ja", "勤務は午後3時に始まります。", "勤務は午前3時に始まる。"),
    ("ja", "気温はマイナス5度でした。", "気温は5度だった。"),
    ("ja", "椅子は30脚以上必要です。", "椅子は30脚未満が必要。"),
    ("ja", "月曜日までに出します。", "月曜日以降に出す。"),
    ("ja", "食前に飲みます。", "食後に飲む。"),
    ("ja", "三分の二が賛成しました。", "三分の一が賛成した。"),
    ("ja", "2021年から2025年まで続きました。", "2025年から2021年まで続いた。"),
    ("ja", "家賃は倍増しました。", "家賃は半減した。"),
    ("ja", "第3四半期の予定です。", "第2四半期の予定。"),
    ("ja", "薬は1日2回飲みます。", "薬は1日1回飲む。"),
    ("zh", "下午三点开始。", "上午三点开始。"),
    ("zh", "零下五度。", "气温五度。"),
    ("zh", "不到30人参加。", "超过30人参加。"),
    ("zh", "不少于五十人。", "不多于五十人。"),
    ("zh", "周一之前提交。", "周一之后提交。"),
    ("zh", "饭前服用。", "饭后服用。"),
    ("zh", "三分之二的人同意。", "三分之一的人同意。"),
    ("zh", "从2021年到2025年。", "从2025年到2021年。"),
    ("zh", "租金翻倍。", "租金减半。"),
    ("zh", "第三季度上线。", "第二季度上线。"),
    ("zh", "每亩产量500公斤。", "每公顷产量500公斤。"),
)


@pytest.mark.parametrize(("language", "said", "text"), CHANGED)
def test_contrast_when_a_mark_is_the_contrary_then_blocks(
    language: Language, said: str, text: str
) -> None:
    blocking = {name for name, severity in found(language, said, text) if severity == "block"}
    assert blocking & {"facts.contrast", "facts.number"}


@pytest.mark.parametrize(("language", "said", "text"), CHANGED)
def test_contrast_when_a_mark_is_kept_then_passes(language: Language, said: str, text: str) -> None:
    for same in (said, text):
        assert not {n for n, _ in found(language, same, same)} & {"facts.contrast", "facts.number"}


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("ja", "会議は来週です。", "会議は再来週だ。"),
        ("zh", "会议在下周。", "会议在下下周。"),
        ("en", "We meet next week.", "We meet the week after next."),
    ],
)
def test_date_when_one_week_further_then_warns(language: Language, said: str, text: str) -> None:
    assert ("facts.date", Severity.WARN) in found(language, said, text)


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "The shift begins at 15:00.", "The shift begins at 3 pm."),
        ("en", "The shift begins at three in the afternoon.", "The shift begins at 3 p.m."),
        ("en", "More than 30 came.", "Over 30 came."),
        ("en", "30 or more came.", "At least 30 came."),
        ("en", "Fifty percent of them came.", "Half of them came."),
        ("en", "It is planned for the third quarter.", "It is planned for Q3."),
        ("en", "They meet once a month, often twice.", "They meet twice a month."),
        ("en", "A third of the members came.", "One third of the members came."),
        ("en", "Hand it in before Monday.", "Hand it in by Monday."),
        ("en", "The plan was made by the cook.", "The cook made the plan."),
        ("ja", "勤務は15時に始まります。", "勤務は午後3時に始まる。"),
        ("ja", "30人以上来ました。", "少なくとも30人来た。"),
        ("ja", "令和3年に開きました。", "2021年に開いた。"),
        ("ja", "第三四半期の予定です。", "Q3の予定。"),
        ("zh", "15点开始。", "下午三点开始。"),
        ("zh", "至少30人参加。", "不少于30人参加。"),
        ("zh", "不超过30人参加。", "最多30人参加。"),
        ("en", "It was ten percent and doubled to twenty percent.", "It doubled to 20 percent."),
        ("zh", "一半的人同意。", "50%的人同意。"),
    ],
)
def test_contrast_when_the_same_is_said_in_other_words_then_passes(
    language: Language, said: str, text: str
) -> None:
    assert not {n for n, _ in found(language, said, text)} & {"facts.contrast", "facts.number"}
