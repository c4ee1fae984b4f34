"""A model of entailment from a folder; with `transformers` and `torch`."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from configs.errors import ModelError, UnknownModelError
from models.pretrained import load_pretrained
from models.quality.entailment import Judgement

_NAMED = "The model of entailment"
_MAX_TOKENS = 512
_BATCH = 8


class NliModel:
    """An `EntailmentModel`: sequence classification that was trained for language inference.

    Loaded at the first use, never fetched from a hub. Which of its outputs means what is read from
    the folder's `config.json`, for models differ in it.

    Args:
        folder: a transformers model folder with `config.json`, weights and `tokenizer.json`.
        device: `cpu`, `cuda`, `mps`.
        threads: of torch on a CPU.
    """

    def __init__(self, folder: Path, *, device: str = "cpu", threads: int = 2) -> None:
        """Read which output is which; the weights are not loaded.

        Raises:
            UnknownModelError: there is no such folder, or its model does not tell entailment,
                neutral and contradiction apart (not retryable).
        """
        self._folder = folder
        self._device = device
        self._threads = threads
        self._entails, self._contradicts = _outputs(folder)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._folder.name

    def judge(self, premise: str, sentence: str) -> tuple[Judgement, ...]:
        """Judge a sentence by each stretch of a text that the model can read at once.

        Stretches overlap by an eighth of the model's length. Of a sentence longer than half of it,
        the first half is read.

        Args:
            premise: what is known; not empty.
            sentence: what is said of it.

        Returns:
            One judgement for each stretch, in order.

        Raises:
            ModelError: the model cannot be loaded or run (not retryable).
        """
        rows = list(self._rows(premise, sentence))
        batches = (rows[i : i + _BATCH] for i in range(0, len(rows), _BATCH))
        return tuple(judgement for batch in batches for judgement in self._judged(batch))

    def _rows(self, premise: str, sentence: str) -> Iterator[dict[str, list[int]]]:
        """Yield the model's input for each stretch of the premise."""
        tokenizer, limit = self._tokenizer, self._max_tokens
        short = tokenizer(
            sentence, add_special_tokens=False, truncation=True, max_length=limit // 2,
            return_offsets_mapping=True,
        )  # fmt: skip
        end = short["offset_mapping"][-1][1] if short["offset_mapping"] else 0
        found = tokenizer(
            premise, sentence[:end], truncation="only_first", max_length=limit,
            stride=limit // 8, return_overflowing_tokens=True,
        )  # fmt: skip
        names = [name for name in tokenizer.model_input_names if name in found]
        for i in range(len(found["input_ids"])):
            yield {name: found[name][i] for name in names}

    def _judged(self, rows: Sequence[dict[str, list[int]]]) -> Iterator[Judgement]:
        import torch  # noqa: PLC0415 - takes seconds to import

        inputs = self._tokenizer.pad(rows, return_tensors="pt").to(self._device)
        try:
            with torch.inference_mode():
                found = self._model(**inputs).logits.softmax(dim=-1).tolist()
        except RuntimeError as error:
            raise ModelError(f"{_NAMED} failed.", {"type": type(error).__name__}) from None
        for shares in found:
            yield Judgement(shares[self._entails], shares[self._contradicts])

    @cached_property
    def _max_tokens(self) -> int:
        own = getattr(self._model.config, "max_position_embeddings", None) or _MAX_TOKENS
        return int(min(_MAX_TOKENS, own, self._tokenizer.model_max_length))

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - transformers ships no types
        from transformers import AutoTokenizer  # noqa: PLC0415 - takes seconds to import

        tokenizer = load_pretrained(AutoTokenizer, self._folder, _NAMED)
        if not tokenizer.is_fast:
            raise ModelError(f"{_NAMED} has no `tokenizer.json`; it cannot be used.")
        return tokenizer

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - transformers ships no types
        import torch  # noqa: PLC0415 - takes seconds to import
        from transformers import AutoModelForSequenceClassification  # noqa: PLC0415

        torch.set_num_threads(self._threads)
        model = load_pretrained(AutoModelForSequenceClassification, self._folder, _NAMED)
        return model.to(self._device).eval()


def _outputs(folder: Path) -> tuple[int, int]:
    """Return at which outputs a model says entailment and contradiction."""
    labels = _labels(folder)
    places = [
        [place for place, label in labels if label.lower().startswith(wanted)]
        for wanted in ("entail", "contradict", "neutral")
    ]
    if len(labels) != len(places) or any(len(found) != 1 for found in places):
        named = ", ".join(label for _, label in labels) or "none"
        raise UnknownModelError(
            f"The model in {folder} does not tell entailment, neutral and contradiction apart (its "
            f"labels: {named}); take one that was trained for natural language inference."
        )
    return places[0][0], places[1][0]


def _labels(folder: Path) -> list[tuple[int, str]]:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return [(int(place), str(label)) for place, label in config.get("id2label", {}).items()]
    except (OSError, ValueError, AttributeError):
        raise UnknownModelError(
            f"There is no model in {folder}: it has no `config.json` that can be read."
        ) from None
