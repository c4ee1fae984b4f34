import json
from pathlib import Path

import pytest

from models.documents import LANGUAGES
from models.evaluation_cases import Case, cite, invented_cases, meeting_cases
from models.evaluation_checks import FaultRow, RightRow, evaluate_checks
from models.fictional.faults import Fault, plant
from models.quality import CheckOptions
from tests.summaries import transcript

LEAST = {
    "changed number": 0.95,
    "changed date": 0.8,
    "swapped name": 0.95,
    "invented decision": 0.95,
    "instruction or link": 0.95,
    "summary in another language": 1.0,
    "second half left out": 1.0,
}


@pytest.fixture(scope="module")
def rows() -> tuple[list[RightRow], list[FaultRow]]:
    chosen: dict[str, Case] = {}
    for case in invented_cases():
        chosen.setdefault(case.language, case)
    return evaluate_checks(list(chosen.values()), CheckOptions(), rounds=1)


def test_checks_when_summary_is_right_then_none_blocks(
    rows: tuple[list[RightRow], list[FaultRow]],
) -> None:
    right, _ = rows
    assert {row.language for row in right} == set(LANGUAGES)
    assert not [row.reasons for row in right if row.blocked]


def test_checks_when_faults_are_planted_then_as_many_found_as_promised(
    rows: tuple[list[RightRow], list[FaultRow]],
) -> None:
    _, faults = rows
    for fault, least in LEAST.items():
        planted = sum(row.planted for row in faults if row.fault == fault)
        found = sum(row.found for row in faults if row.fault == fault)
        missed = [row.missed for row in faults if row.fault == fault]
        assert planted
        assert found / planted >= least, (fault, missed)


def test_checks_when_a_name_is_leaked_in_any_writing_then_nearly_all_block(
    rows: tuple[list[RightRow], list[FaultRow]],
) -> None:
    leaks = [row for row in rows[1] if row.fault.startswith("leaked name")]
    assert {row.language for row in leaks} == set(LANGUAGES)
    assert sum(r.blocked for r in leaks) / sum(r.planted for r in leaks) >= 0.95


def test_cite_when_segments_hold_the_words_then_those_are_cited() -> None:
    source = transcript("The roof leaks.", "We open in May.", "The tap is broken.")

    (sentence,) = cite(["They open in May although the roof leaks."], source)

    assert sentence.citations == (1, 2)


def test_meeting_cases_when_folder_has_meetings_then_reference_is_cut_and_cited(
    tmp_path: Path,
) -> None:
    entry = {
        "id": "m1",
        "lang": "en",
        "segments": [{"speaker": "Ann Lee", "text": "We open in May. The roof leaks."}],
        "summary": "The shop opens in May. Its roof leaks.",
        "queries": [{"query": "When?", "answer": "They open in May."}],
    }
    (tmp_path / "meetings").mkdir()
    (tmp_path / "meetings" / "m1.json").write_text(json.dumps(entry), encoding="utf-8")

    (case,) = meeting_cases(tmp_path)

    assert [segment.text for segment in case.redacted.segments] == [
        "We open in May.",
        "The roof leaks.",
    ]
    assert [s.citations for s in case.summary.abstract] == [(1,), (2,)]
    assert case.summary.key_points[0].text == "They open in May."
    assert case.names == ("Ann Lee",)


@pytest.mark.parametrize(
    ("fault", "text", "language"),
    [
        (Fault.CHANGED_NUMBER, "It costs 4,200 euros.", "en"),
        (Fault.CHANGED_NUMBER, "三個の部屋を借りる。", "ja"),
        (Fault.CHANGED_DATE, "They meet on Tuesday.", "en"),
        (Fault.DROPPED_NEGATION, "演奏は録音しない。", "ja"),
        (Fault.ADDED_NEGATION, "孩子愿意来。", "zh"),
    ],
)
def test_plant_when_sentence_has_what_is_changed_then_another_sentence(
    fault: Fault, text: str, language: str
) -> None:
    from random import Random

    rng = Random(4)  # noqa: S311 - to be repeatable
    assert plant(fault, text, language, rng) not in {None, text}


def test_plant_when_there_is_nothing_to_change_then_none() -> None:
    from random import Random

    rng = Random(4)  # noqa: S311 - to be repeatable
    assert plant(Fault.CHANGED_NUMBER, "Nothing to count on.", "en", rng) is None
    assert plant(Fault.CHANGED_DATE, "Some day.", "en", rng) is None
