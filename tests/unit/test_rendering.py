import json
from html.parser import HTMLParser

import pytest

from models.documents import (
    LANGUAGES,
    ActionItem,
    Chapter,
    RedactedSegment,
    RedactedTranscript,
    Sentence,
    Summary,
    SummaryMethod,
)
from models.extraction.content import Kind
from models.summarizer.templates import load_template
from pipeline.steps.rendering import render_publication
from pipeline.steps.rendering_words import LABELS, PLACES

HOSTILE = '<script>alert(1)</script> --> "&amp; [x](javascript:alert(1)) _a_ `b`'


def a_summary(text: str = "[PERSON_1] will send the report.", language: str = "en") -> Summary:
    return Summary(
        method=SummaryMethod.EXTRACTIVE,
        language=language,
        headline=text,
        abstract=(Sentence(text=text, citations=(1,)),),
        action_items=(ActionItem(text=text, citations=(2,), owner="[PERSON_1]", due="Friday"),),
    )


def a_transcript(text: str = "Hello.") -> RedactedTranscript:
    return RedactedTranscript(
        kind="speech",
        language="en",
        duration_s=3663.0,
        segments=(
            RedactedSegment(id=1, start=0.0, end=2.5, text=text),
            RedactedSegment(id=2, start=3661.2, end=3663.0, text=text),
        ),
    )


def test_render_publication_makes_the_named_files() -> None:
    files = render_publication("Title", a_summary(), a_transcript(), has_audio=True)
    assert sorted(files) == ["captions.vtt", "index.html", "publication.json", "summary.md"]


def test_render_publication_twice_gives_the_same_bytes() -> None:
    first = render_publication("Title", a_summary(), a_transcript(), has_audio=True)
    assert render_publication("Title", a_summary(), a_transcript(), has_audio=True) == first


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_render_publication_of_hostile_text_keeps_it_text() -> None:
    files = render_publication(HOSTILE, a_summary(HOSTILE), a_transcript(HOSTILE), has_audio=False)
    parser = _Tags()
    parser.feed(files["index.html"].decode())
    assert "script" not in parser.tags
    assert "<script" not in files["summary.md"].decode().replace("\\<", "")
    assert "](" not in files["summary.md"].decode().replace("]\\(", "")
    assert files["captions.vtt"].decode().count("-->") == 2


def test_render_publication_cites_each_sentence() -> None:
    files = render_publication("T", a_summary(), a_transcript(), has_audio=True)
    assert '<a href="#s2">1:01:01</a>' in files["index.html"].decode()
    assert "(1:01:01)" in files["summary.md"].decode()


def test_render_publication_leaves_pseudonyms_readable_in_markdown() -> None:
    files = render_publication("T", a_summary(), a_transcript(), has_audio=True)
    assert "[PERSON_1] will send" in files["summary.md"].decode()


@pytest.mark.parametrize(("language", "word"), [("ja", "要約"), ("zh", "摘要"), ("en", "Summary")])
def test_render_publication_speaks_the_language_of_the_summary(language: str, word: str) -> None:
    files = render_publication("T", a_summary(language=language), a_transcript(), has_audio=True)
    assert word in files["index.html"].decode()
    assert f'lang="{language}"' in files["index.html"].decode()


def test_render_publication_json_holds_summary_and_transcript() -> None:
    files = render_publication("T", a_summary(), a_transcript(), has_audio=True)
    data = json.loads(files["publication.json"])
    assert data["summary"]["abstract"][0]["citations"] == [1]
    assert data["transcript"]["segments"][1]["start"] == 3661.2


def test_render_publication_of_a_document_has_no_captions() -> None:
    transcript = a_transcript().model_copy(update={"kind": "document"})
    files = render_publication("T", a_summary(), transcript, has_audio=False)
    assert files["captions.vtt"] == b"WEBVTT\n"
    assert "<audio" not in files["index.html"].decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_publication_when_in_any_language_then_none_is_missing(language: str) -> None:
    assert LABELS[language].keys() == LABELS["en"].keys()
    assert PLACES[language].keys() == PLACES["en"].keys() >= set(Kind)


@pytest.mark.parametrize(
    ("language", "heading", "location", "place"),
    [
        ("en", "Text", "page 3, paragraph 2", "page 3, par. 2"),
        ("ja", "本文", "page 3, paragraph 2", "3 ページ 段落 2"),
        ("zh", "正文", "page 3, paragraph 2", "第 3 页 段落 2"),
        ("en", "Text", "page 3", "page 3"),  # of an earlier version
    ],
)
def test_render_publication_of_a_document_when_cited_then_names_the_place_in_its_language(
    language: str, heading: str, location: str, place: str
) -> None:
    segment = a_transcript().segments[0].model_copy(update={"location": location})
    transcript = a_transcript().model_copy(update={"kind": "document", "segments": (segment,)})
    files = render_publication("T", a_summary(language=language), transcript, has_audio=False)
    page = files["index.html"].decode()
    assert f"<h2>{heading}</h2>" in page
    assert f'<a href="#s1">{place}</a>' in page
    assert f"({place})" in files["summary.md"].decode()


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("en", ["Meeting minutes", "Action items", "Discussion", "Agenda"]),
        ("ja", ["議事録", "対応事項", "議論", "議題"]),
        ("zh", ["会议纪要", "行动项", "讨论", "议题"]),
    ],
)
def test_render_publication_when_made_by_a_template_then_its_headings_in_its_order(
    language: str, order: list[str]
) -> None:
    summary = a_summary(language=language).model_copy(
        update={
            "template": load_template("meeting").use(language),
            "key_points": (Sentence(text="A point.", citations=(2,)),),
            "chapters": (Chapter(title="The end", first_segment=2, last_segment=2),),
        }
    )
    files = render_publication("T", summary, a_transcript(), has_audio=False)
    page, text = files["index.html"].decode(), files["summary.md"].decode()
    places = [page.index(f">{heading}<") for heading in order]
    assert places == sorted(places)
    assert [text.index(f"## {heading}\n") for heading in order[1:]] == sorted(
        text.index(f"## {heading}\n") for heading in order[1:]
    )
    assert "1. The end (1:01:01)" in text


def test_render_publication_when_a_part_is_empty_then_no_heading_for_it() -> None:
    files = render_publication("T", a_summary(), a_transcript(), has_audio=False)
    assert "Decisions" not in files["index.html"].decode()
    assert "## Decisions" not in files["summary.md"].decode()


def test_render_publication_when_a_task_has_owner_and_date_then_both_in_markdown() -> None:
    files = render_publication("T", a_summary(), a_transcript(), has_audio=False)
    assert "· Owner: [PERSON_1] · Due: Friday" in files["summary.md"].decode()
