"""Scan of text that is about to be published for what was redacted. Pure Python, no model."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.documents import PseudonymMap


@dataclass(frozen=True)
class Leak:
    """A redacted surface that stands in a text, `[start, end)` in its code points."""

    entity_type: str
    replacement: str
    start: int
    end: int


def find_leaks(text: str, pseudonyms: PseudonymMap) -> Sequence[Leak]:
    """Find surfaces of the pseudonym map in a text.

    Args:
        text: what is about to be published, shown or logged.
        pseudonyms: the raw map of the revision.

    Returns:
        The leaks by position; empty when there are none.
    """
    raise NotImplementedError
