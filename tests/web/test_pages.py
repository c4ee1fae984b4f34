"""Every page renders, in every language, with nothing undefined and nothing inline."""

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import pytest

from configs.errors import AppError
from models import quality
from models.documents import Severity, SummaryMethod, Verdict
from models.extraction.content import Kind
from pipeline.engine import StepStatus
from review_ui import contexts
from review_ui.locale import LOCALES, choose_locale, load_locale
from review_ui.templating import FOLDER, render_page
from storage.statuses import ReviewStatus, Role, RunStatus
from tests.web import samples

SAMPLES = samples.pages()
KEY = re.compile(r"""\bt\(\s*"([a-z_.]+)"\s*[,)]""")


@pytest.mark.parametrize("tag", LOCALES)
@pytest.mark.parametrize(
    ("name", "template", "context", "frame"), SAMPLES, ids=[s[0] for s in SAMPLES]
)
def test_page_when_rendered_has_no_inline_script_or_style(
    name: str,  # noqa: ARG001 - it names the test
    template: str,
    context: object,
    frame: contexts.Frame,
    tag: str,
) -> None:
    html = render_page(template, context, frame, load_locale(tag))
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", html)
    assert "<script>alert" not in html
    assert "<img src=x" not in html


def test_every_text_that_templates_ask_for_is_in_the_english_file() -> None:
    texts = load_locale("en").texts
    for path in (FOLDER / "templates").rglob("*.html"):
        for key in KEY.findall(path.read_text(encoding="utf-8")):
            assert key in texts or f"{key}.one" in texts, f"{key} in {path.name}"


def test_htmx_when_compared_with_its_checksum_is_what_was_vendored() -> None:
    folder = FOLDER / "static" / "vendor"
    for line in (folder / "SHA256SUMS.txt").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_every_page_template_has_a_sample() -> None:
    sampled = {template for _, template, _, _ in SAMPLES}
    pages = {f"pages/{p.name}" for p in (FOLDER / "templates" / "pages").glob("*.html")}
    assert sampled == pages


PLACE = re.compile(r"\{([a-z_]+)\}")
WORDS_OF: Mapping[str, type[StrEnum]] = {
    "status": RunStatus,
    "review_status": ReviewStatus,
    "step_status": StepStatus,
    "verdict": Verdict,
    "severity": Severity,
    "method": SummaryMethod,
    "role": Role,
    "location": Kind,
}


def texts_by_key(tag: str) -> dict[str, str]:
    """Return texts without the difference of singular and plural."""
    return {
        re.sub(r"\.(one|other)$", "", key): text for key, text in load_locale(tag).texts.items()
    }


@pytest.mark.parametrize("tag", [tag for tag in LOCALES if tag != "en"])
def test_locale_when_compared_with_english_has_the_same_texts_and_places(tag: str) -> None:
    english, other = texts_by_key("en"), texts_by_key(tag)
    other = {k: v for k, v in other.items() if not k.startswith(("error_message.", "finding."))}
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert set(PLACE.findall(text)) == set(PLACE.findall(other[key])), key


@pytest.mark.parametrize("tag", LOCALES)
@pytest.mark.parametrize("prefix", WORDS_OF)
def test_every_value_that_a_page_can_show_has_words(prefix: str, tag: str) -> None:
    texts = load_locale(tag).texts
    assert not [value for value in WORDS_OF[prefix] if f"{prefix}.{value}" not in texts]


def checks_of_the_code() -> set[str]:
    """Return the codes of all findings, from the code that makes them."""
    folder = Path(quality.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    named = set(re.findall(r'check="([a-z_.]+)"', sources))
    return named | set(re.findall(r'finding\(\s*"([a-z]+\.[a-z_]+)"', sources))


@pytest.mark.parametrize("tag", LOCALES)
def test_every_finding_has_words(tag: str) -> None:
    texts, codes = load_locale(tag).texts, checks_of_the_code()
    assert len(codes) >= 27
    assert not [code for code in codes if f"check.{code}" not in texts]
    assert tag == "en" or not [code for code in codes if f"finding.{code}" not in texts]


def error_codes(base: type[AppError] = AppError) -> set[str]:
    """Return the codes of the error classes of the application and its engine."""
    ours = ("configs", "pipeline.engine", "storage", "pipeline.steps")
    found = {base.code} if base.__module__.startswith(ours) else set()
    return found.union(*(error_codes(child) for child in base.__subclasses__()))


@pytest.mark.parametrize("tag", [tag for tag in LOCALES if tag != "en"])
def test_every_error_has_words(tag: str) -> None:
    texts = load_locale(tag).texts
    not_shown = {"store.exists"}
    assert not [c for c in error_codes() - not_shown if f"error_message.{c}" not in texts]


def test_finding_when_its_report_is_older_than_its_values_then_in_its_own_words() -> None:
    japanese = load_locale("ja")
    key = "finding.coverage.uncited"
    assert japanese.maybe(key, "Nothing is cited.") == "Nothing is cited."
    assert "3" in japanese.maybe(key, "Nothing is cited.", first="3", last="9")


@pytest.mark.parametrize(
    ("cookie", "accepted", "tag"),
    [
        (None, None, "en"),
        (None, "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        (None, "zh-CN,zh;q=0.9", "zh-Hant"),
        (None, "fr-FR, de;q=0.5", "en"),
        ("ja", "en", "ja"),
        ("../../etc/passwd", "en", "en"),
    ],
)
def test_language_when_chosen_or_preferred_is_that_of_the_page(
    cookie: str | None, accepted: str | None, tag: str
) -> None:
    assert choose_locale(cookie, accepted).tag == tag
