import pytest

from models.documents import (
    ActionItem,
    PseudonymMap,
    QualityReport,
    Sentence,
    Severity,
    Summary,
    SummaryMethod,
)
from models.quality import check_quality
from models.quality.language import sentence_language
from tests.summaries import transcript, written

SOURCE = transcript(
    "The old shop closes at the end of May.",
    "We rent one van until the end of November.",
    "[PERSON_1] writes to the wholesale customers by Friday.",
)


def report(summary: Summary) -> QualityReport:
    return check_quality(
        summary=summary,
        redacted=SOURCE,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )


def with_decisions(*texts: str, cited: int = 1) -> Summary:
    right = written(Sentence(text="The old shop closes at the end of May.", citations=(1,)))
    decisions = tuple(Sentence(text=text, citations=(cited,)) for text in texts)
    return right.model_copy(update={"decisions": decisions})


def at(found: QualityReport, check: str) -> list[tuple[str, Severity]]:
    return [(f.place, f.severity) for f in found.findings if f.check == check]


def test_decision_when_nothing_of_it_is_cited_then_blocks() -> None:
    found = report(with_decisions("The headquarters move to another country."))

    assert at(found, "decisions.unsupported") == [("decisions[0]", Severity.BLOCK)]


def test_decision_when_cited_then_no_finding() -> None:
    assert not report(with_decisions("The old shop is closed at the end of May.")).findings


def test_decision_when_another_sentence_denies_it_then_contradiction() -> None:
    found = report(with_decisions("The old shop does not close at the end of May."))

    assert at(found, "contradiction.statement") == [("decisions[0]", Severity.BLOCK)]


def test_decision_when_another_sentence_denies_it_in_other_words_then_warns() -> None:
    found = report(with_decisions("The old corner shop does not close at the end of May."))

    assert at(found, "contradiction.statement") == [("decisions[0]", Severity.WARN)]


def test_task_when_two_owners_then_contradiction() -> None:
    text = "Write to the wholesale customers."
    items = tuple(
        ActionItem(text=text, citations=(3,), owner=owner) for owner in ("[PERSON_1]", "[PERSON_2]")
    )

    found = report(written(actions=items))

    assert {place for place, _ in at(found, "contradiction.statement")} == {
        "action_items[0]",
        "action_items[1]",
    }


@pytest.mark.parametrize("text", ["The old shop closes at the", "We rent one van until"])
def test_abstract_when_it_ends_in_the_middle_then_warns(text: str) -> None:
    found = report(written(Sentence(text=text, citations=(1, 2)), headline="The old shop"))

    assert at(found, "text.cut") == [("abstract[0]", Severity.WARN)]


def test_list_when_no_item_has_a_full_stop_then_nothing_is_cut() -> None:
    found = report(with_decisions("Old shop closes at the end of May", "Shop closes in May"))

    assert not at(found, "text.cut")


def test_sentence_when_in_another_language_then_warns_at_its_place() -> None:
    right = Sentence(text="The old shop closes at the end of May.", citations=(1,))
    other = Sentence(text="古い店は五月の末に閉まることになった。", citations=(1,))

    found = report(written(right, right.model_copy(update={"text": "It closes in May."}), other))

    assert at(found, "language.sentence") == [("abstract[2]", Severity.WARN)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("予算承認、設備更新計画。", None),
        ("我们决定关闭老店，不再续租。", "zh"),
        ("古い店は五月に閉める。", "ja"),
        ("The shop will be closed in May.", "en"),
        ("OK, 5 kg", None),
    ],
)
def test_sentence_language_when_script_tells_then_its_language(
    text: str, language: str | None
) -> None:
    assert sentence_language(text) == language


def test_summary_when_in_another_language_than_its_source_then_numbers_are_compared() -> None:
    summary = Summary(
        method=SummaryMethod.LLM,
        language="ja",
        headline="古い店",
        abstract=(Sentence(text="古い店は5月の末に閉まることになった。", citations=(1,)),),
        decisions=(Sentence(text="バンを7台借りることに決まった。", citations=(2,)),),
    )

    checks = {(f.check, f.place) for f in report(summary).findings}

    assert checks == {("facts.number", "decisions[0]")}
