"""What a chat model is to the written summary, whichever library runs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    """What came back: text, why it ended, and the tokens as the model counted them.

    `endpoint` is set where a gateway chose which one to ask.
    """

    text: str
    model: str
    finish_reason: str
    input_tokens: int | None
    output_tokens: int | None
    endpoint: str | None = None


class ChatModel(Protocol):
    """A language model that answers a conversation."""

    @property
    def name(self) -> str:
        """The model's name, for records."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together."""
        ...

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer may have."""
        ...

    def count_tokens(self, text: str) -> int:
        """Count or estimate the tokens of a text, rather too many than too few."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, object] | None = None,
        *,
        max_output_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> Completion:
        """Ask for one answer; see `models.llm.LlmClient.complete` for the errors."""
        ...
