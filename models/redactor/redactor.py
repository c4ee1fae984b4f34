"""The redactor: detection over the whole document, pseudonyms, splicing, bleep intervals."""

from collections.abc import Iterable, Iterator, Sequence

from models.documents import LANGUAGES, RedactionEdit, RedactionSpan, Transcript
from models.redactor.types import RedactionPolicy, RedactionResult


class Redactor:
    """Replaces personal data by pseudonyms. Models are loaded at first use.

    Args:
        key: secret of the installation (32 bytes or more); keys the table of pseudonyms.
        languages: languages whose models may be loaded.
        padding_s: seconds to bleep before and after a redacted word.
    """

    def __init__(
        self, key: bytes, *, languages: Sequence[str] = LANGUAGES, padding_s: float = 0.15
    ) -> None:
        self._key = key
        self._languages = tuple(languages)
        self._padding_s = padding_s

    @property
    def name(self) -> str:
        """Names and versions of the models, for the record of a step."""
        raise NotImplementedError

    @property
    def digest(self) -> str:
        """SHA-256 over models, patterns and rules, for the record of a step."""
        raise NotImplementedError

    def detect(self, text: str, language: str) -> list[RedactionSpan]:
        """Find personal data of every class in a text.

        Returns:
            Spans by start, not overlapping, in code points of `text`.

        Raises:
            RedactionError: a model failed (not retryable).
        """
        raise NotImplementedError

    def redact_text(
        self, text: str, language: str, policy: RedactionPolicy | None = None
    ) -> tuple[str, list[RedactionSpan]]:
        """Redact one text; the pseudonyms count from 1 in it.

        Raises:
            RedactionError: a model failed (not retryable).
        """
        raise NotImplementedError

    def redact(
        self,
        transcript: Transcript,
        policy: RedactionPolicy,
        edits: Sequence[RedactionEdit] = (),
    ) -> RedactionResult:
        """Redact a transcript.

        Raises:
            RedactionError: a model failed, or a redacted stretch of speech cannot be placed in
                time and so not be bleeped (not retryable).
        """
        raise NotImplementedError

    def redact_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Answer JSON lines `{"id", "text", "lang"}` with `{"id", "text", "spans"}`."""
        raise NotImplementedError

    def self_test(self) -> None:
        """Find known strings in each language.

        Raises:
            RedactionError: one was missed; nothing may be redacted with this installation (not
                retryable).
        """
        raise NotImplementedError
