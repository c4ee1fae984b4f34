"""carry_summary: a person's summary, kept over a change of the redactions under it."""

from models.documents import PseudonymMap, RedactedTranscript, Summary
from models.quality.following import follow_redactions
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, hashes
from pipeline.steps.services import services
from storage.refs import ArtifactRef

EDITED = "edited"
"""Name of the roles that hold what a person wrote, `summary/edited`, and its pseudonyms."""


@guarded
def carry_summary(
    job: Job,
    edited: ArtifactRef,
    before: ArtifactRef,
    redacted: ArtifactRef,
    after: ArtifactRef,
) -> Made:
    """Apply the new redactions to a summary that a person edited.

    Args:
        job: the revision.
        edited: the summary as the person left it.
        before: the pseudonym map of the transcript that it was about.
        redacted: the transcript as it is redacted now.
        after: the pseudonym map of that one.

    Raises:
        StoreUnavailableError: retryable.

    Effects: puts `summary`; repeatable, the same input gives the same bytes.
    Personal data: reads both maps to rename and to redact; writes redacted text.
    """
    read = services().store.read_bytes
    summary = follow_redactions(
        Summary.model_validate_json(read(edited)),
        PseudonymMap.model_validate_json(read(before)),
        PseudonymMap.model_validate_json(read(after)),
        RedactedTranscript.model_validate_json(read(redacted)),
    )
    return Made(
        artifacts={"summary": services().put_document(job, "summary", summary)},
        inputs=hashes(
            {
                f"summary/{EDITED}": edited,
                f"pseudonym_map/{EDITED}": before,
                "redacted_transcript": redacted,
                "pseudonym_map": after,
            }
        ),
    )
