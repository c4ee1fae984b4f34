"""Planted names, numbers and addresses are found nowhere they should not be.

The transcripts are scripted, so that what was said is known; `test_privacy_real.py` has real
recordings. Everything that the application wrote is searched: every table of the database with the
engine's and the scheduler's own, the derived and published objects, the logs.
"""

import pytest

from storage.statuses import RunStatus
from tests.deployment import Deployment
from tests.scripted import PLANTED, SENTENCES
from tests.searching import places_of, rows_of


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_planted_personal_data_is_found_nowhere_it_should_not_be(
    application: Deployment, language: str, capfd: pytest.CaptureFixture[str]
) -> None:
    run_id = application.submit_for_review(language=language)
    application.decide(run_id, "approve")
    application.wait_for_run(run_id, RunStatus.PUBLISHED)
    raw = application.runtime.store.read_bytes(application.artifacts(run_id)["transcript"])
    planted = [surface for surface in PLANTED if surface in raw.decode()]
    assert len(planted) == 2
    assert places_of(application, run_id, planted) == []
    shown = capfd.readouterr()
    assert [s for s in planted if s in shown.out + shown.err] == []


def test_search_finds_what_is_there(application: Deployment) -> None:
    run_id = application.submit_for_review()
    assert any(run_id in row for _, row in rows_of(application.runtime.database))
    assert "summary" in places_of(application, run_id, ["[PERSON_1]"])
