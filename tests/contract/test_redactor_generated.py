"""Regression thresholds of redaction on a part of the generated sentences, with the real models."""

from collections.abc import Mapping

import pytest

from models.documents import LANGUAGES
from models.evaluation_pii import PiiRow, evaluate_generated

PER_CLASS = 20
IDENTIFIERS = 0.95
WORDED = 0.9
PRECISION = 0.85

Rows = Mapping[tuple[str, str], PiiRow]


@pytest.fixture(scope="module")
def rows() -> Rows:
    found = evaluate_generated(per_class=PER_CLASS)
    return {(row.file, row.entity_type): row for row in found}


@pytest.mark.parametrize("language", LANGUAGES)
def test_redaction_when_sentences_are_generated_then_identifiers_are_found(
    rows: Rows, language: str
) -> None:
    row = rows[f"{language} all", "identifiers"]
    assert row.recall is not None
    assert row.recall >= IDENTIFIERS


@pytest.mark.parametrize("entity_type", ["PERSON", "ADDRESS"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_redaction_when_sentences_are_generated_then_persons_and_addresses_are_found(
    rows: Rows, language: str, entity_type: str
) -> None:
    row = rows[f"{language} all", entity_type]
    assert row.recall is not None
    assert row.recall >= WORDED


@pytest.mark.parametrize("language", LANGUAGES)
def test_redaction_when_sentences_are_generated_then_few_findings_are_false(
    rows: Rows, language: str
) -> None:
    row = rows[f"{language} all", "all but optional"]
    assert row.precision is not None
    assert row.precision >= PRECISION


@pytest.mark.parametrize("language", LANGUAGES)
def test_redaction_when_sentences_are_generated_then_no_class_is_lost(
    rows: Rows, language: str
) -> None:
    low = {
        name: row.recall
        for (file, name), row in rows.items()
        if file == f"{language} all" and row.gold and (row.recall or 0.0) < 0.75
    }
    assert low == {}
