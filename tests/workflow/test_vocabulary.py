"""An uploader's names and terms reach the recognizer, and nobody else."""

from pipeline import commands
from pipeline.commands import Upload
from tests.deployment import OPERATOR, RECORDING, Deployment
from tests.searching import places_of
from tests.waiting import wait_until

TERM = "Peregrine Oxblood"


def _submitted(application: Deployment) -> str:
    upload = Upload(
        path=RECORDING, file_name="a.wav", language="en", vocabulary=(f"{TERM}, Kikigaki",)
    )
    return commands.submit(application.runtime.app, OPERATOR, upload).id


def test_vocabulary_when_given_then_heard_with_in_each_revision_and_found_nowhere(
    application: Deployment,
) -> None:
    def heard() -> int:
        return application.calls("expected:Peregrine_Oxblood")

    before = heard()
    run_id = _submitted(application)
    wait_until(lambda: heard() == before + 1, "the first revision to be heard")
    commands.reprocess(application.runtime.app, OPERATOR, run_id, "transcribe", {})
    wait_until(lambda: heard() == before + 2, "the second revision to be heard")
    assert places_of(application, run_id, [TERM]) == []


def test_vocabulary_when_a_subject_is_looked_for_then_its_run_is_found(
    application: Deployment,
) -> None:
    run_id = _submitted(application)
    found = commands.find_subject(application.runtime.app, OPERATOR, TERM)
    assert run_id in found.run_ids


def test_vocabulary_when_two_uploads_are_equal_then_no_hash_tells(
    application: Deployment,
) -> None:
    first, second = _submitted(application), _submitted(application)
    hashes = {application.artifacts(run_id)["vocabulary"].sha256 for run_id in (first, second)}
    assert len(hashes) == 2
