"""A person's summary follows the redactions under it: same words, other pseudonyms."""

import pytest

from models.documents import (
    ActionItem,
    Chapter,
    Pseudonym,
    PseudonymMap,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
    SummaryMethod,
)
from models.quality.following import follow_redactions
from models.redactor.leaks import find_leaks

MARIGOLD = ("PERSON", "Marigold Fenwick", "Fenwick")
ROWAN = ("PERSON", "Rowan")
WILL = ("PERSON", "Will")


def pseudonyms(*entries: tuple[str, ...]) -> PseudonymMap:
    numbers: dict[str, int] = {}
    made = []
    for entity_type, *surfaces in entries:
        numbers[entity_type] = numbers.get(entity_type, 0) + 1
        replacement = f"[{entity_type}_{numbers[entity_type]}]"
        made.append(
            Pseudonym(replacement=replacement, entity_type=entity_type, surfaces=tuple(surfaces))
        )
    return PseudonymMap(entries=tuple(made))


def transcript(*texts: str) -> RedactedTranscript:
    segments = tuple(
        RedactedSegment(id=i, start=0.0, end=1.0, text=text) for i, text in enumerate(texts, 1)
    )
    return RedactedTranscript(kind="speech", language="en", duration_s=9.0, segments=segments)


def summary(*texts: str, headline: str = "Shelves") -> Summary:
    return Summary(
        method=SummaryMethod.EDITED,
        language="en",
        headline=headline,
        abstract=tuple(Sentence(text=text, citations=(1,)) for text in texts),
    )


def followed(
    text: str, before: PseudonymMap, after: PseudonymMap, *shown: str, headline: str = "Shelves"
) -> str:
    kept = follow_redactions(summary(text, headline=headline), before, after, transcript(*shown))
    assert kept.method is SummaryMethod.EDITED
    return kept.abstract[0].text


def test_pseudonyms_when_numbered_anew_are_those_of_the_same_surfaces() -> None:
    before, after = pseudonyms(MARIGOLD, ROWAN), pseudonyms(WILL, ROWAN, MARIGOLD)
    text = followed("[PERSON_1] will ask [PERSON_2].", before, after)
    assert text == "[PERSON_3] will ask [PERSON_2]."


def test_pseudonyms_when_they_change_places_are_not_renamed_twice() -> None:
    before, after = pseudonyms(MARIGOLD, ROWAN), pseudonyms(ROWAN, MARIGOLD)
    assert followed("[PERSON_1], [PERSON_2]", before, after) == "[PERSON_2], [PERSON_1]"


def test_word_when_newly_redacted_is_left_nowhere_in_the_summary() -> None:
    before, after = pseudonyms(MARIGOLD), pseudonyms(MARIGOLD, ("PERSON", "Rowan Ashdown"))
    written = Summary(
        method=SummaryMethod.EDITED,
        language="en",
        headline="rowan ashdown orders",
        abstract=(Sentence(text="[PERSON_1] asked Ashdown.", citations=(1,)),),
        action_items=(
            ActionItem(
                text="Order.", citations=(1,), owner="Rowan Ashdown", due="when Ashdown can"
            ),
        ),
        chapters=(Chapter(title="Rowan Ashdown speaks", first_segment=1, last_segment=1),),
    )
    kept = follow_redactions(written, before, after, transcript("[PERSON_2]"))
    assert kept.texts() == (
        "[PERSON_2] orders",
        "[PERSON_1] asked [PERSON_2].",
        "Order.",
        "[PERSON_2] speaks",
        "[PERSON_2]",
        "when [PERSON_2] can",
    )
    assert kept.abstract[0].citations == (1,)


@pytest.mark.parametrize(
    ("surface", "text", "expected"),
    [
        ("Will", "Will pays, and we will see.", "[PERSON_1] pays, and we will see."),
        ("34", "She is 34; item 134 stays.", "She is [PERSON_1]; item 134 stays."),
        ("林", "林が払う。", "[PERSON_1]が払う。"),
    ],
)
def test_word_when_newly_redacted_is_replaced_though_it_is_everyday(
    surface: str, text: str, expected: str
) -> None:
    assert followed(text, pseudonyms(), pseudonyms(("PERSON", surface))) == expected


def test_name_when_lifted_stands_as_the_transcript_shows_it() -> None:
    shown = "Marigold Fenwick opened the meeting."
    text = followed(
        "[PERSON_1] and [PERSON_2].", pseudonyms(MARIGOLD, ROWAN), pseudonyms(ROWAN), shown
    )
    assert text == "Marigold Fenwick and [PERSON_1]."


def test_name_when_only_one_form_of_it_is_lifted_keeps_its_pseudonym() -> None:
    after = pseudonyms(("PERSON", "Fenwick"))
    shown = "Marigold Fenwick opened the meeting."
    assert (
        followed("[PERSON_1] opened.", pseudonyms(MARIGOLD), after, shown) == "[PERSON_1] opened."
    )


def test_name_when_inside_a_wider_redaction_now_has_its_pseudonym() -> None:
    after = pseudonyms(("ADDRESS", "3 Rowan Lane"))
    assert (
        followed("[PERSON_1] it is.", pseudonyms(ROWAN), after, "[ADDRESS_1]")
        == "[ADDRESS_1] it is."
    )


def test_name_when_nothing_stands_for_it_any_more_is_not_shown() -> None:
    text = followed("[PERSON_1] it is.", pseudonyms(ROWAN), pseudonyms(MARIGOLD), "[PERSON_1]")
    assert text == "[PERSON] it is."


def test_summary_when_followed_holds_nothing_that_the_scan_for_leaks_finds() -> None:
    after = pseudonyms(MARIGOLD, ROWAN, ("PHONE_NUMBER", "020 7946 0991"))
    text = followed("FENWICK or Rowan: 0207946-0991.", pseudonyms(), after)
    assert text == "[PERSON_1] or [PERSON_2]: [PHONE_NUMBER_1]."
    assert not find_leaks(text, after)
