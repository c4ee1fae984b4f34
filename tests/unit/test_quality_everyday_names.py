import pytest

from models.documents import Pseudonym, PseudonymMap
from models.quality.everyday_names import find_everyday_names


def found(text: str, *surfaces: str) -> list[str]:
    entry = Pseudonym(replacement="[PERSON_1]", entity_type="PERSON", surfaces=surfaces)
    leaks = find_everyday_names(text, PseudonymMap(entries=(entry,)))
    return [text[leak.start : leak.end] for leak in leaks]


@pytest.mark.parametrize(
    ("surface", "text"),
    [
        ("Ursula Page", "It was Ms. Page who asked."),
        ("Ursula Page", "ask mr page about it"),
        ("Ursula Page", "Captain Page agreed."),
        ("Ursula Page", "Page-san agreed."),
        ("Ursula Page", "According to Page's team, it holds."),
        ("Ursula Page", "And Page's team agreed."),
        ("Ursula Page", "the name is P-A-G-E"),
        ("Will", "Will's proposal stands."),
    ],
)
def test_find_everyday_names_when_it_can_only_be_a_name_then_found(surface: str, text: str) -> None:
    assert len(found(text, surface)) == 1


@pytest.mark.parametrize(
    ("surface", "text"),
    [
        ("Ursula Page", "Page 4 is missing."),
        ("Ursula Page", "The Page's margin, the page's margin"),
        ("Ursula Page", "A Landing Page's Secrets"),
        ("Ursula Page", "don't miss page 4"),
        ("Will Brandt", "the sergeant will see you"),
        ("June Brandt", "June's figures"),
        ("Ursula Page", "Ms Brandt's page"),
    ],
)
def test_find_everyday_names_when_it_is_a_word_then_no_alarm(surface: str, text: str) -> None:
    assert not found(text, surface)
