"""What a summary leaves out of its source, by words and citations."""

from models.documents import PseudonymMap, RedactedTranscript, Sentence, Severity
from models.quality import CheckOptions, QualityThresholds, check_quality
from tests.summaries import transcript, written

ROOF = [f"The roof of the library leaks above reading hall {i}." for i in range(6)]
FERRY = [f"The ferry to island {i} needs another captain in winter." for i in range(6)]
CHOIR = [f"The choir sings in the harbour church on Sunday {i}." for i in range(6)]
SOURCE = transcript(*ROOF, *FERRY, *CHOIR)


def untold(
    *sentences: Sentence,
    least: float = 0.4,
    language: str = "en",
    source: RedactedTranscript = SOURCE,
) -> list[object]:
    report = check_quality(
        summary=written(*sentences, language=language),
        redacted=source,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
        options=CheckOptions(
            QualityThresholds(min_told_ratio=least, min_words_told_ratio=least / 2)
        ),
    )
    found = [finding for finding in report.findings if finding.check == "coverage.topics"]
    return [(finding.severity, finding.segments) for finding in found]


def about(text: str, cited: int) -> Sentence:
    return Sentence(text=text, citations=(cited,))


ROOF_TOLD = about("The roof of the library leaks above its reading hall.", 1)
CHOIR_TOLD = about("The choir sings in the harbour church on Sundays.", 18)


def test_topics_when_one_is_left_out_then_warns_of_its_stretch() -> None:
    assert untold(ROOF_TOLD, CHOIR_TOLD) == [(Severity.WARN, (6, 9))]


def test_topics_when_all_are_told_of_then_nothing() -> None:
    ferry = about("The ferry needs another captain in winter.", 9)
    assert untold(ROOF_TOLD, ferry, CHOIR_TOLD) == []


def test_topics_when_told_with_other_evidence_then_nothing() -> None:
    ferry = about("The island ferry needs another captain in winter.", 1)
    assert untold(ROOF_TOLD, ferry, CHOIR_TOLD) == []


def test_topics_when_less_is_asked_for_then_nothing() -> None:
    assert untold(ROOF_TOLD, CHOIR_TOLD, least=0.0) == []


def test_topics_when_a_stretch_repeats_no_word_then_nothing() -> None:
    words = [f"{letter}word" for letter in "abcdefghijkl"]
    source = transcript(*ROOF, *words, *CHOIR)
    assert untold(ROOF_TOLD, CHOIR_TOLD, source=source) == []


def test_topics_when_the_summary_is_translated_then_words_tell_nothing() -> None:
    assert untold(about("図書館の屋根が雨漏りしている。", 1), language="ja") == []


SHORT = transcript(
    "The library opens an hour earlier from March.",
    "Readers asked for it in a letter last autumn.",
    "The ferry lacks a captain for the winter months.",
    "Two sailors could take the examination in Bergen.",
    "The town would pay their courses and lodging.",
    "The choir sings in the harbour church at Easter.",
    "Its director has chosen a mass by Dvorak.",
    "Rehearsals take place on Wednesday evenings.",
    "A new organ is too dear for this year.",
    "The old one will be tuned before the concert.",
)
LIBRARY = Sentence(text="The library opens earlier, as readers asked.", citations=(1, 2))
EASTER = Sentence(text="The choir sings a mass in church at Easter.", citations=(6, 7, 8))
ORGAN = Sentence(text="The old organ is tuned, a new one too dear.", citations=(9, 10))


def test_topics_when_source_is_short_and_a_quarter_goes_untold_then_warns() -> None:
    assert untold(LIBRARY, EASTER, ORGAN, source=SHORT) == [(Severity.WARN, (3, 5))]


def test_topics_when_source_is_short_and_all_is_told_then_nothing() -> None:
    ferry = Sentence(text="Two sailors may become captain of the ferry.", citations=(3, 4))
    assert untold(LIBRARY, ferry, EASTER, ORGAN, source=SHORT) == []
