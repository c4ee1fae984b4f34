import pytest

from models.documents import PseudonymMap, Sentence, Severity
from models.quality import check_quality
from models.quality.half_names import check_half_names, has_half_name
from tests.summaries import transcript, written


@pytest.mark.parametrize(
    "text",
    [
        "I talked to Isaura [PERSON_1] about it.",
        "i talked to [PERSON_1] brackenbury about it",
        "Ask Ottoline-[PERSON_2] first.",
        "the file of x[PERSON_1]",
        "占[PERSON_1]女士来了",
        "，费[PERSON_1]提交了报告",
        "交给费[PERSON_3]先生",
        "[PERSON_1]·吐尔逊来了",
        "买买提江·[PERSON_1]来了",
        "[PERSON_1]・グンダーセンが来た",
        "[PERSON_1]香様から電話",
        "[PERSON_1]ことりさんが作成",
    ],
)
def test_has_half_name_when_a_rest_touches_the_pseudonym_then_true(text: str) -> None:
    assert has_half_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yesterday [PERSON_1] approved the budget.",
        "Dear Dr. [PERSON_1], thank you.",
        "Mr [PERSON_1] agreed with [PERSON_2]'s plan.",
        "so [PERSON_1] will walk us through the numbers",
        "[PERSON_1] Monday works for me",
        "由[PERSON_1]女士负责",
        "王经理和[PERSON_1]先生讨论",
        "[PERSON_1]先生和[PERSON_2]总经理",
        "[PERSON_1]さんと[PERSON_2]様です。",
        "[PERSON_1]部長のお母さん",
        "[PERSON_1]の息子さん",
        "[PERSON_1]同意了。",
        "已经交给向[PERSON_1]先生说明的人",
    ],
)
def test_has_half_name_when_only_other_words_stand_there_then_false(text: str) -> None:
    assert not has_half_name(text)


def test_check_quality_when_half_a_name_stands_then_warning_without_quoting_it() -> None:
    report = check_quality(
        summary=written(Sentence(text="The floor is dry.", citations=(1,))),
        redacted=transcript("Ask Ottoline [PERSON_1] whether the floor is dry."),
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    (finding,) = [f for f in report.findings if f.check == "leak.half_name"]
    assert (finding.severity, finding.place) == (Severity.WARN, "segment 1")
    assert "Ottoline" not in finding.reason


@pytest.mark.parametrize(
    ("texts", "warned"),
    [
        (("I spoke with [PERSON_1]", "Mensah yesterday about it."), True),
        (("We saw Ottoline", "[PERSON_1] at the door."), True),
        (("这是，费", "[PERSON_1]提交的。"), True),
        (("I spoke with [PERSON_1]", "yesterday about it."), False),
        (("I spoke with [PERSON_1].", "Mensah came later."), False),
        (("[PERSON_1]", "[PERSON_2]"), False),
    ],
)
def test_check_half_names_when_the_rest_is_in_the_next_segment_then_warning(
    texts: tuple[str, ...], warned: bool
) -> None:
    summary = written(Sentence(text="The floor is dry.", citations=(1,)))
    findings = list(check_half_names(summary, transcript(*texts)))
    assert bool(findings) is warned
