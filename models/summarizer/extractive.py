"""The summary by quotation: whole sentences of the source, word for word, with their evidence."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.documents import RedactedTranscript, SummaryMethod
from models.summarizer.port import ModelAnswer, Part


class TextEmbedder(Protocol):
    """What the extractive summary needs of an embedder."""

    @property
    def name(self) -> str:
        """The model's name, for records."""
        ...

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return unit vectors, `(len(texts), dimensions)`."""
        ...


class ExtractiveSummarizer:
    """A `Summarizer` that chooses sentences; it needs no endpoint and cannot invent."""

    method = SummaryMethod.EXTRACTIVE

    def __init__(self, embedder: TextEmbedder) -> None:
        """Keep the embedder; nothing is loaded until the first answer."""
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedding model's name."""
        return self._embedder.name

    def parts(self, redacted: RedactedTranscript) -> tuple[Part, ...]:
        """Return one part with everything, or none where there is no text."""
        raise NotImplementedError

    def answer(self, redacted: RedactedTranscript, part: Part) -> ModelAnswer:
        """Summarize; see `Summarizer.answer`."""
        raise NotImplementedError
