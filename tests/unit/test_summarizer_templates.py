from pathlib import Path

import pytest

from configs.errors import InputError, ModelError
from configs.llm_settings import LlmSettings
from configs.settings import Settings, SummarySettings
from models.documents import LANGUAGES, SummaryMethod
from models.summarizer import summarize
from models.summarizer.extractive import ExtractiveSummarizer
from models.summarizer.prompts import load_prompt
from models.summarizer.schema import answer_schema
from models.summarizer.templates import (
    PARTS,
    load_template,
    parse_template,
    template_names,
)
from models.summarizer.written import WrittenSummarizer
from pipeline.runtime import _effective
from pipeline.steps.job import Job
from pipeline.summarizers import load_summarizer, load_summary_template
from tests.summaries import transcript
from tests.unit.test_summarizer_extractive import MEETING, WordEmbedder
from tests.unit.test_summarizer_written import ScriptedChat

NAMES = {"standard", "meeting", "interview", "call", "medical", "lecture", "document"}
SMALL = """# guidance

- "headline": short.

# en

- title: Brief
- abstract: Brief

# ja

- title: 短信
- abstract: 短信

# zh

- title: 简报
- abstract: 简报
"""


def test_templates_when_listed_then_all_kinds_with_the_standard_one_first() -> None:
    names = template_names()

    assert set(names) == NAMES
    assert names[0] == "standard"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_template_when_loaded_then_headings_in_every_language_and_guidance_for_each_part(
    name: str,
) -> None:
    template = load_template(name)

    for language in LANGUAGES:
        used = template.use(language)
        assert [heading.part for heading in used.headings] == list(template.parts)
        assert used.title
        assert len({heading.text for heading in used.headings}) == len(used.headings)
    told = {part for part in PARTS if f'"{part}"' in template.guidance}
    assert told == set(template.parts)


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("lecture", {"decisions", "action_items"}),
        ("interview", {"decisions", "action_items"}),
        ("document", {"decisions", "action_items"}),
        ("call", {"chapters"}),
        ("medical", {"chapters"}),
        ("meeting", set()),
    ],
)
def test_template_when_a_kind_has_no_use_for_a_part_then_it_is_not_asked_for(
    name: str, left_out: set[str]
) -> None:
    model = ScriptedChat()
    prompt = load_prompt(template=load_template(name))

    summarize(WrittenSummarizer(model, SummaryMethod.LLM, prompt), transcript("We paint the room."))

    system = model.asked[0][0].content
    assert {part for part in PARTS if f'"{part}"' not in system} == left_out
    assert set(PARTS) - set(answer_schema(prompt.template.parts)["required"]) == left_out  # type: ignore[call-overload]


def test_template_when_summary_is_quoted_then_only_its_parts_and_its_headings() -> None:
    summary = summarize(ExtractiveSummarizer(WordEmbedder(), load_template("lecture")), MEETING)

    assert summary.template == load_template("lecture").use("en")
    assert summary.decisions == ()
    assert summary.action_items == ()


def test_template_when_written_in_another_language_then_told_and_titled_in_it() -> None:
    model = ScriptedChat()
    prompt = load_prompt(template=load_template("meeting"), language="ja")

    summary = summarize(WrittenSummarizer(model, SummaryMethod.LLM, prompt), MEETING)

    assert summary.language == "ja"
    assert summary.template is not None
    assert summary.template.title == "議事録"
    assert "Write in Japanese (日本語); what is in English has to be translated." in (
        model.asked[0][0].content
    )


def test_template_when_language_is_unknown_then_english_headings() -> None:
    assert load_template("call").use("fr") == load_template("call").use("en")


def test_template_when_a_newer_version_is_there_then_it_is_used_and_the_old_one_by_name(
    tmp_path: Path,
) -> None:
    for version in (2, 10):
        (tmp_path / f"brief.v{version}.md").write_text(SMALL, encoding="utf-8")

    assert load_template("brief", tmp_path).name == "brief.v10"
    assert load_template("brief.v2", tmp_path).name == "brief.v2"
    assert set(template_names(tmp_path)) == {*NAMES, "brief"}


def test_template_when_a_folder_has_one_of_a_packaged_name_then_it_takes_its_place(
    tmp_path: Path,
) -> None:
    (tmp_path / "meeting.v1.md").write_text(SMALL, encoding="utf-8")

    assert load_template("meeting", tmp_path).parts == ("abstract",)
    assert load_template("meeting", tmp_path).sha256 != load_template("meeting").sha256


@pytest.mark.parametrize(
    "name", ["minutes", "summary", "meeting.v2", "meeting.v01", "../meeting", "meeting.v", "", "M"]
)
def test_template_when_there_is_none_of_the_name_then_error_says_which_there_are(
    name: str,
) -> None:
    with pytest.raises(InputError, match="meeting"):
        load_template(name)


@pytest.mark.parametrize(
    "broken",
    [
        SMALL.replace("# guidance", "# advice"),
        SMALL.replace("- abstract: 短信\n", ""),
        SMALL.replace("- title: Brief\n", ""),
        SMALL.replace("abstract:", "chapters:"),
        SMALL.replace("- abstract:", "- moods: x\n- abstract:"),
    ],
    ids=["guidance", "heading", "title", "abstract", "unknown"],
)
def test_template_when_something_is_missing_or_unknown_then_error(broken: str) -> None:
    with pytest.raises(ModelError):
        parse_template(broken, "brief.v1")


@pytest.mark.parametrize(
    ("chosen", "overrides", "name"),
    [
        ("default", {}, "call.v1"),
        ("lecture", {}, "lecture.v1"),
        ("lecture", {"summary.template": "meeting"}, "meeting.v1"),
    ],
    ids=["the tenant's", "the run's", "the batch's"],
)
def test_template_when_tenant_run_or_batch_name_one_then_the_nearest_counts(
    chosen: str, overrides: dict[str, str | int | float | bool], name: str
) -> None:
    settings = Settings(summary=SummarySettings(template="call"))
    job = Job("run_1", 1, "default", "en", chosen, overrides)

    assert load_summary_template(_effective(settings, job)).name == name


def test_template_when_an_endpoint_is_configured_then_its_prompt_has_it_and_the_language() -> None:
    settings = Settings(
        llm=LlmSettings(base_url="http://127.0.0.1:9/v1", model="m"),
        summary=SummarySettings(template="medical", language="zh"),
    )

    summarizer = load_summarizer(settings)

    assert isinstance(summarizer, WrittenSummarizer)
    assert summarizer._prompt.template.name == "medical.v1"
    assert summarizer._prompt.language == "zh"
