"""The one variable of a batch, and the report's arithmetic."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from configs.errors import InputError, NotFoundError
from configs.llm_settings import LlmSettings
from configs.settings import Settings, SettingsError
from models.documents import Coverage
from models.llm import LlmSummarizer
from pipeline.batch import begin
from pipeline.batch_plan import Change, Plan
from pipeline.batch_report import Compared, Measured
from pipeline.cli.changes import prompt_change, setting_change
from pipeline.commands import Actor
from pipeline.summarizers import load_summarizer
from storage.database import reading
from storage.prompts import get_prompt, prompt_sha256
from storage.statuses import Role


def test_change_when_setting_fits_then_kept_as_written() -> None:
    assert setting_change(Settings(), "asr.beam_size=2") == Change("asr.beam_size", "2")


def test_change_when_value_does_not_fit_then_settings_error() -> None:
    with pytest.raises(SettingsError, match=r"asr\.beam_size"):
        setting_change(Settings(), "asr.beam_size=many")


@pytest.mark.parametrize(
    "assignment",
    ["asr.model", "web.port=80", "database.url=sqlite:///x", "llm.api_key=hush", "home=/tmp",
     "secrets.signing_key=x", "redaction.deny=Alice", "redaction.participants=Alice", "=x", ""],
)  # fmt: skip
def test_change_when_it_is_no_experiment_then_refused(assignment: str) -> None:
    with pytest.raises((InputError, SettingsError)) as refused:
        setting_change(Settings(), assignment)
    assert "hush" not in refused.value.message


SECTIONS = "# system\nOne\n# part\nTwo\n# combine\nThree\n# repair\nFour\n"


@pytest.mark.parametrize("as_setting", [True, False])
def test_prompt_when_chosen_then_its_text_and_not_the_file_is_the_change(
    tmp_path: Path, as_setting: bool
) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text(SECTIONS, encoding="utf-8")
    setting = f"summary.prompt={prompt}"
    change = setting_change(Settings(), setting) if as_setting else prompt_change(prompt)
    assert change == Change("summary.prompt_sha256", prompt_sha256(SECTIONS), SECTIONS)


def test_prompt_when_the_batch_began_then_any_worker_reads_it_from_the_database(
    rows: sa.Engine, tmp_path: Path
) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text(SECTIONS, encoding="utf-8")
    change = prompt_change(prompt)
    operator = Actor("operator", "operator", Role.ADMIN, None, "cli")
    begin(rows, operator, Plan("run=x", "summarize", change, ()))
    prompt.unlink()
    settings = Settings(
        home=tmp_path / "elsewhere", llm=LlmSettings(base_url="http://127.0.0.1:9/v1", model="m")
    ).with_overrides({change.variable: change.value})
    summarizer = load_summarizer(settings, rows)
    assert isinstance(summarizer, LlmSummarizer)
    assert summarizer._prompt.digest == change.value
    assert summarizer._prompt.system == "One"


def test_prompt_when_none_is_kept_under_the_hash_then_not_found(rows: sa.Engine) -> None:
    with reading(rows) as session, pytest.raises(NotFoundError):
        get_prompt(session, "0" * 64)


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xff\xfe\x00", b"# system\nOnly this\n"])
def test_prompt_when_it_is_no_prompt_then_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "prompt.md").write_bytes(content)
    with pytest.raises(InputError):
        prompt_change(tmp_path / "prompt.md")


def test_prompt_when_there_is_no_file_then_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        setting_change(Settings(), f"summary.prompt={tmp_path / 'prompt.md'}")


def measured(*sentences: str) -> Measured:
    return Measured(1, "pass", 0, Coverage(), sentences, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "ratio"),
    [
        (("a", "b"), ("a", "b"), 0.0),
        (("a", "b"), ("b", "a"), 0.0),
        (("a", "b"), ("a", "c"), 0.5),
        (("a",), ("b", "c"), 1.0),
        ((), ("b",), 1.0),
        (("a",), ("a", "a"), 0.5),
    ],
)
def test_report_when_sentences_differ_then_share_of_new_ones(
    old: tuple[str, ...], new: tuple[str, ...], ratio: float
) -> None:
    compared = Compared("run_1", "published", measured(*old), measured(*new), None)
    assert compared.changed_sentences_ratio == ratio


def test_report_when_there_is_no_new_summary_then_no_ratio() -> None:
    assert Compared("r", "failed", measured("a"), None, "x").changed_sentences_ratio is None
    assert Compared("r", "failed", measured("a"), measured(), "x").changed_sentences_ratio is None


def test_report_when_printed_then_holds_no_sentence() -> None:
    compared = Compared("r", "published", measured("hush"), measured("hush now"), None)
    assert "hush" not in str(compared.as_dict())
