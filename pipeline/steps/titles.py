"""What redaction finds in a title, which no model reads on the way."""

from collections.abc import Callable

from models.documents import Segment, Transcript
from models.quality.titles import TitleReader
from models.redactor import RedactionPolicy
from pipeline.steps.services import RedactorPort


def title_reader(redactor: Callable[[], RedactorPort], policy: RedactionPolicy) -> TitleReader:
    """Return what takes a title and its language to the classes of personal data in it."""

    def classes(title: str, language: str) -> tuple[str, ...]:
        segment = Segment(id=1, start=0.0, end=0.0, text=title)
        alone = Transcript(kind="document", language=language, duration_s=0.0, segments=(segment,))
        found = redactor().redact(alone, policy).pseudonyms.entries
        return tuple(sorted({entry.entity_type for entry in found}))

    return classes
