"""find_subject: which runs hold what was said or written of a person.

The text that is looked for is personal data itself: it is stored, logged and told nowhere.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from configs.errors import InputError
from models.documents import Pseudonym, PseudonymMap, RedactedTranscript, Summary, Transcript
from models.redactor.leaks import find_leaks
from models.vocabulary import Vocabulary
from pipeline.commands.context import Actor, App, require
from storage import reviews, revisions, runs
from storage.artifacts import ArtifactStore
from storage.database import reading
from storage.refs import ArtifactRef
from storage.statuses import Role, RunStatus
from storage.tables import Run

_LONGEST = 200


@dataclass(frozen=True)
class SubjectFound:
    """The runs that hold the text, and those of which only what is redacted could be searched."""

    run_ids: tuple[str, ...]
    searched: int
    without_raw: tuple[str, ...]


def find_subject(app: App, actor: Actor, subject: str) -> SubjectFound:
    """Look for a name, number or address in all that is kept of every run.

    Case, width, spaces and hyphens make no difference, and spoken numbers count as digits; parts of
    a name are not looked for.

    Args:
        app: the application.
        actor: an admin.
        subject: what the person is called, or a number or address of theirs.

    Raises:
        InputError: it is too short to tell anybody apart (not retryable).
        PolicyError: not an admin (not retryable).
        IntegrityError: an artifact is not what was recorded (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    require(actor, Role.ADMIN)
    wanted = PseudonymMap(
        entries=(Pseudonym(replacement="[X_1]", entity_type="SUBJECT", surfaces=(subject,)),)
    )
    if len(subject) > _LONGEST or not find_leaks(subject, wanted):
        raise InputError(f"Give a name, number or address of 3 to {_LONGEST} characters.")
    found, without_raw = [], []
    with reading(app.database) as session:
        kept = [run for run in _runs(session) if actor.in_policy.serves(run.tenant)]
    for run in kept:
        with reading(app.database) as session:
            written, refs = list(_written(session, run)), _artifacts(session, run)
        if not any(ref.key.split("/")[-2] == "transcript" for ref in refs):
            without_raw.append(run.id)
        texts = (*written, *(text for ref in refs for text in _texts(app.store, ref)))
        if any(find_leaks(text, wanted) for text in texts):
            found.append(run.id)
    return SubjectFound(tuple(found), len(kept), tuple(without_raw))


def _runs(session: Session) -> list[Run]:
    query = select(Run).where(Run.status != RunStatus.ERASED).order_by(col(Run.id))
    return list(session.exec(query))


def _written(session: Session, run: Run) -> Iterator[str]:
    """Yield what people wrote about a run."""
    yield from (run.title, run.file_name)
    for revision in revisions.revisions_of(session, run.id):
        review = reviews.review_of(session, run.id, revision.number)
        for decision in reviews.decisions_of(session, review.id) if review else ():
            yield from (decision.comment, decision.override_reason or "")


def _artifacts(session: Session, run: Run) -> list[ArtifactRef]:
    """Return the artifacts with text of all revisions of a run, each once."""
    found = {
        ref: None
        for revision in revisions.revisions_of(session, run.id)
        for role, ref in runs.artifacts_of(session, run.id, revision.number).items()
        if role in _READERS
    }
    return list(found)


def _texts(store: ArtifactStore, ref: ArtifactRef) -> Iterator[str]:
    yield from _READERS[ref.key.split("/")[-2]](store.read_bytes(ref))


def _transcript(data: bytes) -> list[str]:
    """Return the text as one, so that what is split over two segments is found."""
    segments = Transcript.model_validate_json(data).segments
    return ["\n".join(segment.text for segment in segments)]


def _redacted(data: bytes) -> list[str]:
    segments = RedactedTranscript.model_validate_json(data).segments
    return ["\n".join(f"{segment.speaker or ''} {segment.text}" for segment in segments)]


def _summary(data: bytes) -> list[str]:
    return list(Summary.model_validate_json(data).texts())


def _pseudonyms(data: bytes) -> list[str]:
    entries = PseudonymMap.model_validate_json(data).entries
    return [surface for entry in entries for surface in entry.surfaces]


def _vocabulary(data: bytes) -> list[str]:
    return list(Vocabulary.model_validate_json(data).terms)


_READERS: Mapping[str, Callable[[bytes], list[str]]] = {
    "transcript": _transcript,
    "redacted_transcript": _redacted,
    "summary": _summary,
    "pseudonym_map": _pseudonyms,
    "vocabulary": _vocabulary,
}
