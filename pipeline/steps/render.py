"""render: the files of the publication, before anybody approves them."""

from models.documents import RedactedTranscript, Summary
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, Made, hashes
from pipeline.steps.rendering import MEDIA_TYPES, render_publication
from pipeline.steps.services import services
from storage import runs
from storage.database import reading
from storage.refs import ArtifactRef


@guarded
def render(
    job: Job, summary: ArtifactRef, redacted: ArtifactRef, redacted_audio: ArtifactRef | None
) -> Made:
    """Write the files that an editor previews, the checks scan and publishing copies.

    Raises:
        StoreUnavailableError: retryable.

    Effects: puts `rendered/{file}`; repeatable.
    Personal data: reads redacted text and the run's title.
    """
    store = services().store
    with reading(services().database) as session:
        title = runs.get_run(session, job.run_id).title
    files = render_publication(
        title,
        Summary.model_validate_json(store.read_bytes(summary)),
        RedactedTranscript.model_validate_json(store.read_bytes(redacted)),
        has_audio=redacted_audio is not None,
    )
    return Made(
        artifacts={f"rendered/{name}": _put(job, name, data) for name, data in files.items()},
        inputs=hashes({"summary": summary, "redacted_transcript": redacted}),
    )


def _put(job: Job, name: str, data: bytes) -> ArtifactRef:
    extension = name.rpartition(".")[2]
    return services().put(job, "rendered", data, extension, MEDIA_TYPES[name])
