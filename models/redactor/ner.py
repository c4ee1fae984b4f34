"""Names and places by a transformer, from a folder of weights; loaded at the first text.

Presidio's own recognizer for such models is not used: where a piece of the text fails it goes on
without it, it takes labels that nobody mapped, and finds nothing, silently, with a tokenizer that
does not know where its tokens stand.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from configs.errors import ModelError, UnknownModelError
from models.pretrained import load_pretrained
from models.redactor.lexicon import classes_by_label
from models.redactor.patterns import THRESHOLD
from models.redactor.types import Found

RECOGNIZER = "name_transformer"
_NAMED = "The model of redaction.ner_model"
_OVERLAP_TOKENS = 64
_SPECIAL_POSITIONS = 2
_BEGINS, _GOES_ON = frozenset("BSU"), frozenset("IELM")


class TransformerNames:
    """Persons, places and addresses by token classification; never fetched from a hub.

    Args:
        folder: a transformers folder: `config.json`, weights, and a tokenizer in `tokenizer.json`
            or of a kind that transformers converts to one.
    """

    def __init__(self, folder: Path) -> None:
        """Read which labels the model has; nothing is loaded.

        Raises:
            UnknownModelError: the folder is no such model, or its labels know no persons (not
                retryable).
        """
        self._folder = folder
        self._labels = _labels_of(folder)
        if not any(label.endswith("-PERSON") for label in self._labels.values()):
            raise UnknownModelError(
                "redaction.ner_model has no label for persons that configs/pii/labels.toml maps "
                "([labels.transformer]); take another model, or add its label there."
            )

    @property
    def name(self) -> str:
        """The folder's name and the beginning of its files' hash."""
        return f"{self._folder.name} sha256:{self.digest[:12]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the names and bytes of the folder's files."""
        total = hashlib.sha256()
        for path in sorted(p for p in self._folder.iterdir() if p.is_file()):
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").digest()
            total.update(path.name.encode() + b"\0" + content)
        return total.hexdigest()

    def find(self, text: str) -> Iterator[Found]:
        """Yield names, places and addresses; long text is read in pieces that overlap.

        Args:
            text: the text, of any length.

        Raises:
            ModelError: the model cannot be loaded or run (not retryable).
        """
        if not text.strip():
            return
        try:
            groups = self._pipeline(text)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(f"{_NAMED} failed.", {"type": type(error).__name__}) from None
        for group in groups:
            if group["score"] >= THRESHOLD and text[group["start"] : group["end"]].strip():
                start, end = _whole_words(text, group["start"], group["end"])
                score = round(float(group["score"]), 3)
                yield Found(start, end, group["entity_group"], min(score, 0.999), RECOGNIZER)

    @cached_property
    def _pipeline(self) -> Any:  # noqa: ANN401 - transformers ships no types
        from transformers import pipeline  # noqa: PLC0415 - takes seconds to import

        model, tokenizer = self._loaded()
        return pipeline(
            "token-classification",
            model=model,
            tokenizer=tokenizer,
            aggregation_strategy="simple",
            stride=min(_OVERLAP_TOKENS, tokenizer.model_max_length // 4),
            device="cpu",
        )

    def _loaded(self) -> tuple[Any, Any]:
        from transformers import (  # noqa: PLC0415 - takes seconds to import
            AutoModelForTokenClassification,
            AutoTokenizer,
        )

        tokenizer = load_pretrained(AutoTokenizer, self._folder, _NAMED)
        model = load_pretrained(AutoModelForTokenClassification, self._folder, _NAMED)
        if not tokenizer.is_fast:
            raise ModelError(
                "The tokenizer of redaction.ner_model does not tell where its tokens stand; take a "
                "model with a tokenizer.json."
            )
        model.config.id2label = self._labels
        positions = getattr(model.config, "max_position_embeddings", 512) - _SPECIAL_POSITIONS
        tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
        return model.eval(), tokenizer


def _labels_of(folder: Path) -> dict[int, str]:
    """Return the model's labels as `B-` or `I-` and a class of ours, `O` for all others."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        kinds, labels = config["architectures"], config["id2label"]
        classifies = any(str(kind).endswith("ForTokenClassification") for kind in kinds)
        found = {int(number): _label(str(label)) for number, label in labels.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        classifies, found = False, {}
    if not classifies:
        raise UnknownModelError(
            "redaction.ner_model is no folder of a transformers model for token classification "
            "(config.json with such an architecture and id2label); name one, or leave it empty."
        )
    return found


def _label(label: str) -> str:
    mark, dash, name = label.partition("-")
    if not dash or mark not in _BEGINS | _GOES_ON:
        mark, name = "I", label
    entity_type = classes_by_label("transformer").get(name.upper())
    return f"{'B' if mark in _BEGINS else 'I'}-{entity_type}" if entity_type else "O"


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a finding that begins or ends inside a Latin word: tokens are parts of words."""
    while start and _is_latin(text[start]) and _is_latin(text[start - 1]):
        start -= 1
    while end < len(text) and _is_latin(text[end - 1]) and _is_latin(text[end]):
        end += 1
    return start, end


def _is_latin(char: str) -> bool:
    return char.isalpha() and char < "\u0250"
