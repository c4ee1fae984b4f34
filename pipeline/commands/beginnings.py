"""Where the next revision of a run can begin, what it takes over, and what it needs for that."""

from collections.abc import Callable

from sqlmodel import Session

from configs.errors import InputError, NotApplicableError
from storage import runs
from storage.statuses import RunStatus
from storage.tables import Run

DOCUMENT_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "html": "text/html",
    "mail": "message/rfc822",
    "markdown": "text/markdown",
    "text": "text/plain",
}
"""Media types of the documents that can be read, by kind."""

_FROM_SOURCE = frozenset({"source", "vocabulary"})
_FROM_TRANSCRIPT = _FROM_SOURCE | {"normalized_audio", "transcript", "redactions"}
_FROM_REDACTED = _FROM_TRANSCRIPT | {"pseudonym_map", "redacted_transcript", "redacted_audio"}
_FROM_SUMMARY = _FROM_REDACTED | {"summary"}
BEGINNINGS = {
    "probe": _FROM_SOURCE,
    "transcribe": _FROM_SOURCE,
    "extract": _FROM_SOURCE,
    "anonymize": _FROM_TRANSCRIPT,
    "summarize": _FROM_REDACTED,
    "render": _FROM_SUMMARY,
    "check_quality": _FROM_SUMMARY,
}
"""Artifact kinds that a revision takes over, by the first step that runs again."""

REDACTING = frozenset(step for step in BEGINNINGS if "redacted_transcript" not in BEGINNINGS[step])
"""First steps of the revisions in which personal data is removed anew."""

_NEEDED = {
    "anonymize": ("transcript",),
    "summarize": ("redacted_transcript", "pseudonym_map"),
    "render": ("redacted_transcript", "pseudonym_map", "summary"),
    "check_quality": ("redacted_transcript", "pseudonym_map", "summary"),
}
_OF_A_RECORDING = frozenset({"transcribe", "bleep"})
_BEFORE_THE_TEXT = frozenset({"probe", "transcribe", "extract"})
_AT_THE_DOOR = (RunStatus.APPROVED, RunStatus.PUBLISHING)


def is_document(media_type: str) -> bool:
    """Tell a document from a recording."""
    return media_type in DOCUMENT_TYPES.values()


def require_known(from_step: str) -> None:
    """Refuse a step that no revision can begin from.

    Raises:
        InputError: with those that one can (not retryable).
    """
    if from_step not in BEGINNINGS:
        raise InputError(f"Begin from one of {', '.join(BEGINNINGS)}.")


def require_has(run: Run, step: str) -> None:
    """Refuse a step that a run does not have, because of what its source is.

    Raises:
        NotApplicableError: not retryable.
    """
    document = is_document(run.media_type)
    if document and step in _OF_A_RECORDING:
        raise _refused("is_document", f"It is a document, and {step} is a step of recordings.")
    if not document and step == "extract":
        raise _refused("is_recording", "It is a recording, and extract is a step of documents.")


def require_beginning(session: Session, run: Run, from_step: str) -> None:
    """Refuse to begin the next revision of a run at a step that it cannot begin from.

    Raises:
        NotApplicableError: the run lacks the step, or what the step works on (not retryable).
        ErasedError: it has been erased (not retryable).
    """
    require_has(run, from_step)
    for refuse in _REFUSALS:
        refuse(session, run, from_step)


def _refuse_status(_session: Session, run: Run, from_step: str) -> None:
    runs.require_there(run)
    if run.status in _AT_THE_DOOR:
        raise _refused("being_published", "It is being published right now; try again after it.")
    if run.status is RunStatus.NO_SPEECH and from_step not in _BEFORE_THE_TEXT:
        raise _refused("no_speech", f"Nothing is said in it, so there is nothing to {from_step}.")


def _refuse_missing(session: Session, run: Run, from_step: str) -> None:
    there = runs.artifacts_of(session, run.id, run.revision)
    needed = _NEEDED.get(from_step, ("source",))
    if from_step == "anonymize" and not is_document(run.media_type):
        needed = (*needed, "normalized_audio")
    missing = [kind for kind in needed if kind not in there]
    if missing:
        message = (
            f"{from_step} needs its {missing[0]}, which is not there: it did not get that far, or "
            "the retention period has passed. Begin at an earlier step, or upload the source again."
        )
        raise _refused("artifact_missing", message, missing=missing)


_REFUSALS: tuple[Callable[[Session, Run, str], None], ...] = (_refuse_status, _refuse_missing)


def _refused(reason: str, message: str, **more: object) -> NotApplicableError:
    return NotApplicableError(message, {"reason": reason, **more})
