"""extract: from a document to text with its places."""

from models import extractor
from pipeline.steps.guard import guarded
from pipeline.steps.job import Job, hashes
from pipeline.steps.probe import file_name
from pipeline.steps.services import services
from pipeline.steps.transcribe import Transcribed, transcribed
from storage.refs import ArtifactRef


@guarded
def extract(job: Job, source: ArtifactRef) -> Transcribed:
    """Read the text of a document, paragraph by paragraph.

    Raises:
        InputError: encrypted, damaged, or without text (not retryable).
        StoreUnavailableError: retryable.

    Effects: puts `transcript`; repeatable.
    Personal data: reads the raw document, writes raw text.
    """
    language = None if job.language == "auto" else job.language
    with services().workspace() as folder:
        path = folder / "source"
        services().store.download(source, path)
        transcript = extractor.extract(path, language, name=file_name(job))
    return transcribed(job, transcript, hashes({"source": source}))
