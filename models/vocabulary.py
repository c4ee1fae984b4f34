"""Names and terms that may occur in a recording, shown to the recognizer before it listens."""

import re
import unicodedata
from collections.abc import Iterable

from configs.errors import InputError
from models.documents import Document

MAX_TERMS = 200
MAX_TERM_CHARS = 100
_BORDER = re.compile(r"[,;\n、，；]")


class Vocabulary(Document):
    """An uploader's terms (raw: they may be names of people).

    `salt` is random, so that the hash of a short list tells nobody what is in it.
    """

    terms: tuple[str, ...]
    salt: str = ""


def parse_terms(texts: Iterable[str]) -> tuple[str, ...]:
    """Split texts at commas, semicolons and line ends into terms, each once, in order.

    Raises:
        InputError: too many terms, or one that is too long (not retryable).
    """
    found = (_cleaned(part) for text in texts for part in _BORDER.split(text))
    terms = tuple(dict.fromkeys(term for term in found if term))
    if len(terms) > MAX_TERMS or any(len(term) > MAX_TERM_CHARS for term in terms):
        raise InputError(
            f"The vocabulary is too long: at most {MAX_TERMS} terms of {MAX_TERM_CHARS} "
            "characters. Keep the names that matter most; the recognizer reads about a hundred.",
            {"terms": len(terms)},
        )
    return terms


def _cleaned(text: str) -> str:
    shown = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
    return " ".join(shown.split())
