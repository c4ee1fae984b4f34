"""Chat with a language model in this process; with `transformers` and `torch`."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from configs.errors import ContextTooLongError, ModelError, UnknownModelError
from models.documents import SummaryMethod
from models.pretrained import load_pretrained
from models.summarizer.chat import Completion, Message
from models.summarizer.prompts import Prompt
from models.summarizer.written import WrittenSummarizer

_NAMED = "The local model"


class LocalLlm:
    """A `ChatModel` from a model folder, loaded at the first use; never fetched from a hub.

    It writes the most likely words and is given no JSON schema: the prompt asks for the form,
    `parse_summary` checks it.

    Args:
        folder: a transformers model folder with tokenizer and chat template.
        gguf_file: the name of a GGUF file in that folder, instead of safetensors.
        device: `cpu`, `cuda`, `mps`.
        threads: of torch on a CPU.
        context_tokens: at most; the model's own length where that is less.
        max_output_tokens: what an answer may take of it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        gguf_file: str | None = None,
        device: str = "cpu",
        threads: int = 2,
        context_tokens: int = 8192,
        max_output_tokens: int = 1024,
    ) -> None:
        """Keep the configuration.

        Raises:
            UnknownModelError: there is no such folder or file (not retryable).
        """
        path = folder / gguf_file if gguf_file else folder
        if not path.exists():
            raise UnknownModelError("The folder of the local model does not exist.")
        self._folder = folder
        self._gguf_file = gguf_file
        self._device = device
        self._threads = threads
        self._context_tokens = context_tokens
        self._max_output_tokens = max_output_tokens

    @property
    def name(self) -> str:
        """The name of the folder or file."""
        return self._gguf_file or self._folder.name

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""
        own = getattr(self._model.config, "max_position_embeddings", None)
        return min(self._context_tokens, own) if own else self._context_tokens

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer may have."""
        return self._max_output_tokens

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None = None,  # noqa: ARG002 - the prompt holds the form
        *,
        max_output_tokens: int | None = None,
        idempotency_key: str | None = None,  # noqa: ARG002 - nothing is bought
    ) -> Completion:
        """Write one answer.

        Raises:
            ContextTooLongError: prompt and answer do not fit the context (split the input).
            ModelError: the model cannot be loaded or run (not retryable).
        """
        import torch  # noqa: PLC0415 - takes seconds to import

        limit = max_output_tokens or self._max_output_tokens
        inputs = self._inputs(messages)
        length = int(inputs["input_ids"].shape[1])
        if length + limit > self.context_tokens:
            raise ContextTooLongError(details={"input_tokens": length})
        try:
            with torch.inference_mode():
                output = self._model.generate(
                    **inputs,
                    max_new_tokens=limit,
                    do_sample=False,
                    pad_token_id=self._tokenizer.eos_token_id,
                )
        except RuntimeError as error:
            raise ModelError(f"{_NAMED} failed.", {"type": type(error).__name__}) from None
        written = output[0][length:]
        return Completion(
            text=self._tokenizer.decode(written, skip_special_tokens=True).strip(),
            model=self.name,
            finish_reason="length" if len(written) >= limit else "stop",
            input_tokens=length,
            output_tokens=len(written),
        )

    def _inputs(self, messages: Sequence[Message]) -> Any:  # noqa: ANN401 - the SDK's edge
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return self._tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(self._device)

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - transformers ships no types
        from transformers import AutoTokenizer  # noqa: PLC0415 - takes seconds to import

        tokenizer = self._loaded(AutoTokenizer)
        if not tokenizer.chat_template:
            raise ModelError(f"{_NAMED} has no chat template; take an instruction model.")
        return tokenizer

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - transformers ships no types
        import torch  # noqa: PLC0415 - takes seconds to import
        from transformers import AutoModelForCausalLM  # noqa: PLC0415

        torch.set_num_threads(self._threads)
        return self._loaded(AutoModelForCausalLM).to(self._device).eval()

    def _loaded(self, kind: Any) -> Any:  # noqa: ANN401 - the SDK's edge
        options = {"gguf_file": self._gguf_file} if self._gguf_file else {}
        return load_pretrained(kind, self._folder, _NAMED, **options)


class LocalLlmSummarizer(WrittenSummarizer):
    """The written summary by a local model."""

    def __init__(self, model: LocalLlm, prompt: Prompt | None = None) -> None:
        """Keep the model; nothing is loaded."""
        super().__init__(model, SummaryMethod.LOCAL_LLM, prompt)
