"""Each document of the test data has the outcome that its list expects."""

import pytest

from models.evaluation_documents import evaluate_documents, listed_documents
from tests.recordings import DATA

LISTED = listed_documents(DATA)


@pytest.mark.parametrize("name", [entry.file for entry in LISTED])
def test_evaluate_documents_when_a_file_is_read_then_the_outcome_is_the_expected(name: str) -> None:
    (row,) = evaluate_documents(DATA, [entry for entry in LISTED if entry.file == name])
    assert row.ok, row


def test_evaluate_documents_when_listed_then_every_file_is_there() -> None:
    files = {path.name for path in (DATA / "documents").iterdir()} - {"documents.json"}
    assert {entry.file for entry in LISTED} == files
