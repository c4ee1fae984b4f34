import numpy as np
import pytest

from models.documents import PseudonymMap, Sentence, Verdict
from models.embedder import Embedder
from models.quality import CheckOptions, check_quality
from models.summarizer import summarize
from models.summarizer.extractive import ExtractiveSummarizer
from tests.summaries import transcript, written
from tests.unit.test_summarizer_extractive import MEETING, MEETING_JA, MEETING_ZH


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_embed_when_texts_then_unit_vectors_in_order(embedder: Embedder) -> None:
    vectors = embedder.embed(["green tea", "お茶", "绿茶", "", "tea\0room", "tea " * 2000])

    assert vectors.shape == (6, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_embed_query_when_languages_differ_then_same_topic_is_nearest(embedder: Embedder) -> None:
    passages = embedder.embed(
        ["お茶の値段は五百円です。", "屋根から雨が漏れています。", "会议在星期四。"]
    )

    query = embedder.embed_query("How much does the tea cost?")

    assert int((passages @ query).argmax()) == 0


@pytest.mark.parametrize("source", [MEETING, MEETING_JA, MEETING_ZH], ids=["en", "ja", "zh"])
def test_extractive_when_real_embedder_then_summary_passes_every_check(
    embedder: Embedder, source: object
) -> None:
    from models.documents import RedactedTranscript

    assert isinstance(source, RedactedTranscript)

    summary = summarize(ExtractiveSummarizer(embedder), source)

    report = check_quality(
        summary=summary,
        redacted=source,
        rendered={},
        titles=(),
        pseudonyms=PseudonymMap(entries=()),
    )
    assert report.verdict is Verdict.PASS
    assert summary.decisions
    assert summary.action_items


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("Deliveries failed because staff were absent from the warehouse.", True),
        ("The board bought a vineyard and a hotel by the sea.", False),
    ],
)
def test_support_when_no_words_are_shared_then_meaning_decides(
    embedder: Embedder, text: str, supported: bool
) -> None:
    said = "Nobody turned up at the depot, so the parcels stayed where they were."

    found = [
        [
            finding.check
            for finding in check_quality(
                summary=written(Sentence(text=text, citations=(1,)), headline="The depot"),
                redacted=transcript(said),
                rendered={},
                titles=(),
                pseudonyms=PseudonymMap(entries=()),
                options=CheckOptions(embedder=asked),
            ).findings
        ]
        for asked in (None, embedder)
    ]

    assert found == [["facts.support"], [] if supported else ["facts.support"]]
