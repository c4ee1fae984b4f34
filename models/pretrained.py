"""Load a part of a transformers folder: nothing is fetched, none of the folder's code is run."""

from pathlib import Path
from typing import Any

from configs.errors import ModelError


def load_pretrained(kind: Any, folder: Path, model: str, **options: str) -> Any:  # noqa: ANN401 - transformers ships no types
    """Return a tokenizer or the weights of a folder.

    Args:
        kind: the `Auto` class of transformers to load it with.
        folder: a transformers model folder.
        model: what an error calls the model, as its first words.
        options: further ones of `from_pretrained`.

    Raises:
        ModelError: it cannot be loaded (not retryable).
    """
    from transformers.utils import logging  # noqa: PLC0415 - takes seconds to import

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return kind.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, **options
        )
    except Exception as error:  # noqa: BLE001 - damaged weights raise whatever they like
        raise ModelError(f"{model} cannot be loaded.", {"type": type(error).__name__}) from None
