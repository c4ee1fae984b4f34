"""What was left out of a document when its text was taken, for the editor to know."""

from collections.abc import Iterator

from models.documents import Finding, RedactedTranscript, Severity
from models.extraction.content import Warned

_WARNED = {
    Warned.PAGES_WITHOUT_TEXT: (
        Severity.WARN,
        "Pages of the document hold pictures only; nothing on them was read.",
    ),
    Warned.TEXT_RECOGNIZED: (
        Severity.WARN,
        "The text was recognized from pictures of pages; compare it with the original.",
    ),
    Warned.UNREADABLE_CHARACTERS: (
        Severity.WARN,
        "Fonts of the document do not tell what some of their characters are.",
    ),
    Warned.ATTACHMENTS: (Severity.INFO, "Attachments are named, but were not read."),
    Warned.EMBEDDED: (Severity.INFO, "Embedded objects were not read."),
    Warned.SPEAKER_NOTES: (Severity.INFO, "The speaker's notes were left out."),
    Warned.REPEATED: (
        Severity.INFO,
        "What the pages repeat at their head and foot was read once, their numbers were left out.",
    ),
    Warned.HIDDEN_TEXT: (Severity.INFO, "Hidden text was left out."),
    Warned.STRUCK_TEXT: (Severity.INFO, "Text that is struck out was left out."),
}


def check_document(redacted: RedactedTranscript) -> Iterator[Finding]:
    """Yield a finding for each warning that came with the document's text."""
    for code, (severity, reason) in _WARNED.items():
        if code in redacted.warnings:
            yield Finding(
                check=f"document.{code}", severity=severity, place="transcript", reason=reason
            )
