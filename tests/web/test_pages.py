"""Every page renders, in every language, with nothing undefined and nothing inline."""

import hashlib
import re

import pytest

from review_ui import contexts
from review_ui.locale import LOCALES, load_locale
from review_ui.templating import FOLDER, render_page
from tests.web import samples

SAMPLES = samples.pages()
KEY = re.compile(r"""\bt\(\s*"([a-z_.]+)"\s*[,)]""")


@pytest.mark.parametrize(
    "tag", [tag for tag in LOCALES if (FOLDER / "locales" / f"{tag}.toml").exists()]
)
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
