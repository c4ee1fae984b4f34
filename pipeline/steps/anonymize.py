"""anonymize, bleep: personal data out of the text, and out of the sound."""

from models import audio
from models.documents import Redactions, Transcript
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, ModelUse, hashes
from pipeline.steps.services import services
from storage.refs import ArtifactRef


@guarded
def anonymize(job: Job, transcript: ArtifactRef, edits: ArtifactRef | None) -> Made:
    """Replace personal data by pseudonyms.

    Args:
        job: the revision.
        transcript: the raw transcript.
        edits: redactions that carry an editor's corrections, if there are any.

    Raises:
        RedactionError: something could not be removed safely (not retryable).
        UnknownTenantError: the tenant's lists of names are gone (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `redacted_transcript`, `redactions`, `pseudonym_map`; repeatable.
    Personal data: reads raw text; only `redacted_transcript` is free of it.
    """
    store, options = services().store, services().options(job)
    text = Transcript.model_validate_json(store.read_bytes(transcript))
    corrections = Redactions.model_validate_json(store.read_bytes(edits)).edits if edits else ()
    redactor = services().redactor()
    policy = services().redaction_policy(job)
    result = redactor.redact(text, policy, corrections)
    documents = {
        "redacted_transcript": result.redacted,
        "redactions": result.redactions,
        "pseudonym_map": result.pseudonyms,
    }
    inputs = {"transcript": transcript} | ({"redactions": edits} if edits else {})
    return Made(
        artifacts={
            kind: services().put_document(job, kind, document)
            for kind, document in documents.items()
        },
        inputs=hashes(inputs),
        model=ModelUse(redactor.name, redactor.digest, config_sha256=options.digests["redaction"]),
    )


@guarded
def bleep(job: Job, normalized: ArtifactRef, redactions: ArtifactRef) -> Made:
    """Cover redacted words with a tone.

    Raises:
        StoreUnavailableError: retryable.

    Effects: puts `redacted_audio`; repeatable, the same input gives the same bytes.
    Personal data: reads raw audio; what it writes is free of what was found.
    """
    intervals = Redactions.model_validate_json(services().store.read_bytes(redactions)).audio
    with services().workspace() as folder:
        path, target = folder / "normalized.flac", folder / "audio.opus"
        services().store.download(normalized, path)
        audio.bleep(path, target, intervals)
        ref = services().put_file(job, "redacted_audio", target, "opus", "audio/ogg")
    return Made(
        artifacts={"redacted_audio": ref},
        inputs=hashes({"normalized_audio": normalized, "redactions": redactions}),
    )
