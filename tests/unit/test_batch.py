"""The one variable of a batch, and the report's arithmetic."""

from pathlib import Path

import pytest

from configs.errors import InputError
from configs.settings import Settings, SettingsError
from models.documents import Coverage
from pipeline.batch_plan import Change
from pipeline.batch_report import Compared, Measured
from pipeline.cli.changes import prompt_change, setting_change


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


def test_prompt_when_file_is_edited_later_then_the_batch_keeps_what_it_was(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text("First wording", encoding="utf-8")
    change = prompt_change(Settings(home=tmp_path), prompt)
    prompt.write_text("Second wording", encoding="utf-8")
    assert change.variable == "summary.prompt"
    assert Path(change.value).read_text(encoding="utf-8") == "First wording"


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xff\xfe\x00"])
def test_prompt_when_it_is_no_text_then_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "prompt.md").write_bytes(content)
    with pytest.raises(InputError):
        prompt_change(Settings(home=tmp_path), tmp_path / "prompt.md")


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
