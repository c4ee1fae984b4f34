import json

import pytest

from configs.errors import ContentFilterError, ModelSchemaError
from models.documents import RedactedTranscript, SummaryMethod
from models.summarizer import ModelAnswer, Part, parse_summary, problems_of
from models.summarizer.answers import input_ratio
from models.summarizer.refusals import is_blank, is_refusal
from models.summarizer.schema import AnsweredSummary, answer_example, answer_schema
from models.summarizer.templates import PARTS, load_template
from tests.summaries import transcript

SOURCE = transcript("We open in May.", "[PERSON_1] paints the room.", "That is all.")
GOOD: dict[str, object] = {
    "headline": "Opening in May",
    "abstract": [{"text": "The shop opens in May.", "citations": [1, 1]}],
    "key_points": [],
    "decisions": [],
    "action_items": [
        {"text": "Paint the room.", "citations": [2], "owner": "[PERSON_1]", "due": ""}
    ],
    "chapters": [{"title": "Opening", "first_segment": 1, "last_segment": 3}],
}


def answer(text: str, *, finish: str = "stop", method: str = "llm") -> ModelAnswer:
    return ModelAnswer(
        text=text,
        method=SummaryMethod(method),
        model="m",
        covers=(Part(first_segment=1, last_segment=3),),
        finish_reason=finish,
    )


def problems(content: object, source: RedactedTranscript = SOURCE) -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(ModelSchemaError) as raised:
        parse_summary(answer(text), source)
    return " | ".join(problems_of(raised.value))


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here is the summary:\n\n```json\n{}\n```\nTell me if you need more.",
        "Sure! {} Hope this helps.",
        "<think>The user wants {{'a': 1}}.</think>\n{}",
        "\ufeff  {}",
    ],
    ids=["bare", "json fence", "fence", "fence and words", "words", "thinking", "mark"],
)
def test_parse_when_json_is_wrapped_then_found(wrapped: str) -> None:
    text = wrapped.replace("{}", json.dumps(GOOD)).replace("{{", "{").replace("}}'", "}'")

    summary = parse_summary(answer(text), SOURCE)

    assert summary.headline == "Opening in May"
    assert summary.abstract[0].citations == (1,)
    assert summary.action_items[0].owner == "[PERSON_1]"
    assert summary.action_items[0].due is None
    assert summary.language == "en"
    assert summary.model_input_ratio == 1.0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "no JSON"),
        ("The shop opens in May.", "no JSON"),
        ("[1, 2]", "no JSON"),
        ({"headline": "x"}, "abstract: Field required"),
        (GOOD | {"abstract": []}, "abstract: Tuple should have at least 1 item"),
        (GOOD | {"headline": "  "}, "headline: "),
        (GOOD | {"headline": "..."}, "headline: says nothing"),
        (GOOD | {"abstract": [{"text": "text", "citations": [1]}]}, "abstract[0].text"),
        (GOOD | {"abstract": [{"text": "It opens.", "citations": []}]}, "abstract.0.citations"),
        (GOOD | {"abstract": [{"text": "It opens.", "citations": [9]}]}, "no segment 9 was given"),
        (
            GOOD | {"chapters": [{"title": "A", "first_segment": 3, "last_segment": 1}]},
            "chapters[0]",
        ),
        (GOOD | {"decisions": "none"}, "decisions: "),
    ],
)
def test_parse_when_not_in_the_form_then_says_what_without_quoting(
    content: object, problem: str
) -> None:
    found = problems(content)

    assert problem in found
    assert "opens" not in found


def test_parse_when_cut_off_then_says_so() -> None:
    with pytest.raises(ModelSchemaError) as raised:
        parse_summary(answer(json.dumps(GOOD)[:90], finish="length"), SOURCE)

    assert problems_of(raised.value) == ("the answer was cut off",)


def test_parse_when_cited_segment_was_not_in_the_part_then_refused() -> None:
    part = answer(json.dumps(GOOD)).model_copy(
        update={"covers": (Part(first_segment=2, last_segment=3),)}
    )

    with pytest.raises(ModelSchemaError):
        parse_summary(part, SOURCE)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't summarize this conversation.",
        "I cannot assist with that request.",
        "As an AI language model, I have no opinion.",
        "申し訳ありませんが、この内容は要約できません。",
        "抱歉，我无法总结这段内容。",
        json.dumps(GOOD | {"headline": "I’m sorry, I cannot summarize this."}),
    ],
)
def test_parse_when_refused_then_content_filter(text: str) -> None:
    with pytest.raises(ContentFilterError):
        parse_summary(answer(text), SOURCE)


@pytest.mark.parametrize(
    "text",
    [
        "The tenant cannot be refused access; I cannot stress this enough, said the lawyer.",
        "The clause says that the seller is unable to assist the buyer.",
        "借主は解約できません。",
        "卖方无法提供发票。",
    ],
)
def test_refusal_when_word_stands_inside_a_text_then_no_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_parse_when_extractive_quotes_an_apology_then_kept() -> None:
    sorry = "I'm sorry, but I can't come on Friday."
    content = GOOD | {"headline": sorry, "abstract": [{"text": sorry, "citations": [1]}]}

    summary = parse_summary(answer(json.dumps(content), method="extractive"), SOURCE)

    assert summary.headline == sorry


def test_blank_when_only_marks_or_placeholder_then_true() -> None:
    assert all(is_blank(text) for text in ("", "...", "…", "- -", "N/A", "string"))
    assert not is_blank("無")


def test_input_ratio_when_parts_overlap_or_lack_text_then_counts_characters_once() -> None:
    source = transcript("a" * 60, "b" * 40)
    whole = Part(first_segment=1, last_segment=2)
    half = Part(first_segment=1, last_segment=1, last_offset=30)
    rest = Part(first_segment=1, last_segment=2, first_offset=30)

    assert input_ratio((whole, half), source) == 1.0
    assert input_ratio((half,), source) == 0.3
    assert input_ratio((half, rest), source) == 1.0


def test_schema_when_compared_with_the_parser_then_same_fields() -> None:
    properties = answer_schema(PARTS)["properties"]

    assert isinstance(properties, dict)
    assert set(properties) == set(AnsweredSummary.model_fields)
    AnsweredSummary.model_validate(answer_example(PARTS))


def test_parse_when_template_lacks_a_part_then_it_is_left_out() -> None:
    template = load_template("lecture").use("en")
    given = answer(json.dumps(GOOD)).model_copy(update={"template": template})

    summary = parse_summary(given, SOURCE)

    assert summary.template == template
    assert summary.action_items == ()
    assert len(summary.chapters) == 1


def test_parse_when_asked_for_another_language_then_the_summary_is_in_it() -> None:
    given = answer(json.dumps(GOOD)).model_copy(update={"language": "ja"})

    assert parse_summary(given, SOURCE).language == "ja"
