"""What was left out of a document when its text was taken, for the editor to know."""

from collections.abc import Iterator

from models.documents import Finding, RedactedTranscript, Severity

_WARNED = {
    "pages_without_text": (
        Severity.WARN,
        "Pages of the document hold pictures only; nothing on them was read.",
    ),
    "text_recognized": (
        Severity.WARN,
        "The text was recognized from pictures of pages; compare it with the original.",
    ),
    "unreadable_characters": (
        Severity.WARN,
        "Fonts of the document do not tell what some of their characters are.",
    ),
    "attachments_not_read": (Severity.INFO, "Attachments are named, but were not read."),
    "embedded_objects_not_read": (Severity.INFO, "Embedded objects were not read."),
    "speaker_notes_left_out": (Severity.INFO, "The speaker's notes were left out."),
    "hidden_text_left_out": (Severity.INFO, "Hidden text was left out."),
}


def check_document(redacted: RedactedTranscript) -> Iterator[Finding]:
    """Yield a finding for each warning that came with the document's text."""
    for code, (severity, reason) in _WARNED.items():
        if code in redacted.warnings:
            yield Finding(
                check=f"document.{code}", severity=severity, place="transcript", reason=reason
            )
