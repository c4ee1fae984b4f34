import pytest

from models.documents import (
    ActionItem,
    PseudonymMap,
    QualityReport,
    RedactedTranscript,
    Sentence,
    Severity,
    Summary,
    SummaryMethod,
    Verdict,
)
from models.quality import check_quality
from tests.summaries import RIGHT_PARAPHRASES, TRAPS, Trap, transcript, written


def report(summary: Summary, redacted: RedactedTranscript) -> QualityReport:
    return check_quality(
        summary=summary,
        redacted=redacted,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )


def about(trap: Trap, text: str, method: SummaryMethod = SummaryMethod.LLM) -> QualityReport:
    cited = tuple(range(1, len(trap.source) + 1))
    summary = written(Sentence(text=text, citations=cited), language=trap.language, method=method)
    return report(summary, transcript(*trap.source, language=trap.language))


def ids(traps: tuple[Trap, ...]) -> list[str]:
    return [f"{trap.language} {trap.name}" for trap in traps]


@pytest.mark.parametrize("trap", TRAPS, ids=ids(TRAPS))
def test_fluent_sentence_when_wrong_then_found(trap: Trap) -> None:
    found = about(trap, trap.wrong)

    assert trap.check in {finding.check for finding in found.findings}
    blocking = trap.check != "facts.support"
    assert found.verdict is (Verdict.BLOCK if blocking else Verdict.WARN)


@pytest.mark.parametrize("trap", TRAPS, ids=ids(TRAPS))
def test_sentence_when_edited_wrongly_then_found_too(trap: Trap) -> None:
    found = about(trap, trap.wrong, SummaryMethod.EDITED)

    assert trap.check in {finding.check for finding in found.findings}


@pytest.mark.parametrize("trap", TRAPS, ids=ids(TRAPS))
def test_sentence_when_right_then_passes(trap: Trap) -> None:
    assert about(trap, trap.right).findings == ()


@pytest.mark.parametrize(("language", "source", "text"), RIGHT_PARAPHRASES)
def test_paraphrase_when_right_then_not_blocked(
    language: str, source: tuple[str, ...], text: str
) -> None:
    cited = tuple(range(1, len(source) + 1))
    summary = written(Sentence(text=text, citations=cited), language=language)

    found = report(summary, transcript(*source, language=language))

    assert found.verdict is not Verdict.BLOCK, found.findings


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap.owner], ids=lambda t: t.language)
def test_action_when_owner_field_is_wrong_then_blocks(trap: Trap) -> None:
    assert trap.owner is not None
    wrong, right = (
        written(
            language=trap.language,
            actions=(ActionItem(text=trap.right, citations=(1,), owner=owner),),
        )
        for owner in trap.owner
    )
    redacted = transcript(*trap.source, language=trap.language)

    assert "facts.owner" in {finding.check for finding in report(wrong, redacted).findings}
    assert report(right, redacted).verdict is Verdict.PASS


def test_action_when_speaker_promises_then_speaker_is_owner() -> None:
    redacted = transcript("I'll send the figures tomorrow.", speakers=("[PERSON_3]",))
    item = ActionItem(text="Send the figures.", citations=(1,), owner="[PERSON_3]", due="tomorrow")

    assert report(written(actions=(item,)), redacted).verdict is Verdict.PASS


def test_number_when_in_next_segment_only_then_warns() -> None:
    redacted = transcript("The budget for the new shop is", "eighty thousand dollars.")
    near = Sentence(text="The budget for the new shop is $80,000.", citations=(1,))

    found = report(written(near, headline="The new shop"), redacted)

    assert found.verdict is Verdict.WARN
    assert [finding.check for finding in found.findings] == ["facts.number"]


@pytest.mark.parametrize(
    ("source", "severity", "reason"),
    [
        (
            ("The committee meets in the hall on", "Thursday."),
            Severity.WARN,
            "A weekday is not in the cited segments but close to them.",
        ),
        (
            ("The committee meets in the hall.",),
            Severity.BLOCK,
            "A weekday is not in the cited segments.",
        ),
    ],
)
def test_date_when_not_cited_then_says_whether_it_is_close(
    source: tuple[str, ...], severity: Severity, reason: str
) -> None:
    sentence = Sentence(text="The committee meets in the hall on Thursday.", citations=(1,))

    found = report(written(sentence, headline="The hall"), transcript(*source))

    dates = [(f.severity, f.reason) for f in found.findings if f.check == "facts.date"]
    assert dates == [(severity, reason)]


def test_finding_when_about_names_and_numbers_then_quotes_nothing_of_the_source() -> None:
    for trap in TRAPS:
        for finding in about(trap, trap.wrong).findings:
            assert not any(source in finding.reason for source in (*trap.source, "Henderson"))
            assert finding.place in {"abstract[0]", "headline"}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("She wants profit of a hundred percent.", "The profit should be 100%."),
        ("目標は二万四千六百十三人です。", "〔1〕目標は2万4613人。"),
        ("The user interface person likes yellow.", "The User Interface Designer likes yellow."),
        ("これは十分な説明です。", "十分な説明だった。"),
        ("一つだけ確認します。", "確認する。"),
        ("我们一起做，一定可以。", "大家一起做，可以完成。"),
    ],
)
def test_numbers_and_names_when_written_otherwise_then_not_blocked(source: str, text: str) -> None:
    language = "en" if source.isascii() else ("zh" if "我" in source else "ja")
    sentence = Sentence(text=text, citations=(1,))

    found = report(written(sentence, language=language), transcript(source, language=language))

    assert not [f for f in found.findings if f.severity is Severity.BLOCK]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("63 teachers and 63 officials came, teachers first.", []),
        ("43 teachers and 43 teachers of other schools came.", ["facts.number"]),
    ],
)
def test_number_when_it_stands_for_another_too_then_warns(text: str, found: list[str]) -> None:
    source = "43 teachers and 63 teachers of other schools came, and 63 officials."
    summary = written(Sentence(text=text, citations=(1,)), headline="Teachers")

    warned = [
        f.check for f in report(summary, transcript(source)).findings if f.place != "headline"
    ]

    assert ("facts.number" in warned) == bool(found)


def negations(source: str, text: str, language: str = "en") -> list[tuple[Severity, str]]:
    summary = written(Sentence(text=text, citations=(1,)), language=language, headline="x")
    found = report(summary, transcript(source, language=language)).findings
    return [(f.severity, f.reason) for f in found if f.check == "facts.negation"]


def test_negation_when_words_are_only_like_those_of_the_evidence_then_warns() -> None:
    said = "We cannot train anybody before autumn, so the corner for coffee has to wait."
    ((severity, reason),) = negations(said, "Everybody can be trained before autumn.")
    assert severity is Severity.WARN
    assert "leaves out" in reason
    assert negations(said, "Nobody can be trained before autumn.") == []


def test_negation_when_nothing_in_the_evidence_denies_anything_then_warns() -> None:
    said = "The frame alone costs 900 dollars, and the glass comes on top."
    ((severity, reason),) = negations(said, "The greenhouse is not affordable for the school.")
    assert severity is Severity.WARN
    assert "do not deny" in reason
    assert negations(said + " Schools cannot pay that.", "The school does not pay.") == []


@pytest.mark.parametrize(
    ("language", "said", "wrong"),
    [
        ("en", "The lease runs for fourteen years.", "The lease does not run for 14 years."),
        ("ja", "契約の期間は十四年間です。", "契約の期間は14年間ではない。"),
        ("zh", "合同期限是十四年。", "合同期限不是14年。"),
    ],
)
def test_negation_when_a_number_is_written_otherwise_then_compared_all_the_same(
    language: str, said: str, wrong: str
) -> None:
    assert [severity for severity, _ in negations(said, wrong, language)] == [Severity.BLOCK]


@pytest.mark.parametrize(("year", "severity"), [("25", Severity.WARN), ("52", Severity.BLOCK)])
def test_number_when_a_year_is_told_by_next_year_then_only_one_near_is_let_pass(
    year: str, severity: Severity
) -> None:
    source = transcript("平成二十四年度の予算です。", "橋は来年度に直します。", language="ja")
    sentence = Sentence(text=f"橋は{year}年度に直す。", citations=(2,))

    found = report(written(sentence, language="ja", headline="橋"), source).findings

    assert [f.severity for f in found if f.check == "facts.number"] == [severity]
