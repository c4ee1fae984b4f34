"""The values of redaction: classes of personal data, findings, policy and result."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from models.documents import PseudonymMap, RedactedTranscript, Redactions

IDENTIFIER_CLASSES: tuple[str, ...] = (
    "BANK_ACCOUNT",
    "CN_ID_CARD",
    "CREDIT_CARD",
    "DRIVER_LICENSE",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "ID_NUMBER",
    "IP_ADDRESS",
    "JP_MY_NUMBER",
    "LICENSE_PLATE",
    "PASSPORT",
    "PHONE_NUMBER",
    "USERNAME",
    "US_DRIVER_LICENSE",
    "US_SSN",
)
"""What points at one person or account by itself."""

DEFAULT_CLASSES: tuple[str, ...] = (
    *IDENTIFIER_CLASSES,
    "ADDRESS",
    "AGE",
    "DATE_OF_BIRTH",
    "PERSON",
    "ZIP_CODE",
)
"""What is redacted unless the policy says otherwise: persons and what singles one out.

Not among them, because a summary without them says nothing and they rarely single out a person:
`ORGANIZATION`, `LOCATION` (a town or country; an address is `ADDRESS`), `DATE_TIME`, `NRP`
(nationality, religion, politics) and `URL` (a profile page on a social network is `USERNAME`).
"""

ALL_CLASSES: tuple[str, ...] = (
    *DEFAULT_CLASSES,
    "DATE_TIME",
    "LOCATION",
    "NRP",
    "ORGANIZATION",
    "URL",
)
"""Every class that `Redactor.detect` can return."""


@dataclass(frozen=True)
class Found:
    """A candidate: code points `[start, end)` of some text, with class, score and finder."""

    start: int
    end: int
    entity_type: str
    score: float
    recognizer: str = ""

    def overlaps(self, other: "Found") -> bool:
        """Tell whether the two share a code point."""
        return self.start < other.end and other.start < self.end


class NameModel(Protocol):
    """A model for names beside the packaged ones, whatever the language."""

    @property
    def name(self) -> str:
        """Names the weights in the record of a step."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        ...

    def find(self, text: str) -> Iterable[Found]:
        """Return persons, places and addresses, in code points of the text.

        Raises:
            ModelError: the model cannot be loaded or run (not retryable).
        """
        ...


@dataclass(frozen=True)
class RedactionPolicy:
    """What a tenant or a run wants redacted.

    Args:
        participants: names of persons in the source; each whole name and its parts are redacted.
        deny: further words to redact, as they are (class `PERSON` unless found otherwise).
        allow: surfaces never to redact, such as the own company's switchboard number.
        classes: the classes that are redacted.

    Lists are compared without regard to case and width.
    """

    participants: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    classes: tuple[str, ...] = DEFAULT_CLASSES


@dataclass(frozen=True)
class RedactionResult:
    """The redacted transcript (may be shown), and the raw artifacts (may not)."""

    redacted: RedactedTranscript
    redactions: Redactions
    pseudonyms: PseudonymMap
