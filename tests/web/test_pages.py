"""Every page renders, in every language, with nothing undefined and nothing inline."""

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum

import pytest

from models.documents import Severity, SummaryMethod, Verdict
from pipeline.engine import StepStatus
from review_ui import contexts
from review_ui.locale import LOCALES, choose_locale, load_locale
from review_ui.templating import FOLDER, render_page
from storage.tables import ReviewStatus, Role, RunStatus
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
}


def texts_by_key(tag: str) -> dict[str, str]:
    """Return texts without the difference of singular and plural."""
    return {
        re.sub(r"\.(one|other)$", "", key): text for key, text in load_locale(tag).texts.items()
    }


@pytest.mark.parametrize("tag", [tag for tag in LOCALES if tag != "en"])
def test_locale_when_compared_with_english_has_the_same_texts_and_places(tag: str) -> None:
    english, other = texts_by_key("en"), texts_by_key(tag)
    other = {k: v for k, v in other.items() if not k.startswith("error_message.")}
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert set(PLACE.findall(text)) == set(PLACE.findall(other[key])), key


@pytest.mark.parametrize("tag", LOCALES)
@pytest.mark.parametrize("prefix", WORDS_OF)
def test_every_value_that_a_page_can_show_has_words(prefix: str, tag: str) -> None:
    texts = load_locale(tag).texts
    assert not [value for value in WORDS_OF[prefix] if f"{prefix}.{value}" not in texts]


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
