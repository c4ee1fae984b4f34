"""What an endpoint understands of the common protocol, as far as it has shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from configs.errors import AppError

Structured = Literal["json_schema", "json_object", "plain"]
MODES: tuple[Structured, ...] = ("json_schema", "json_object", "plain")


class NotUnderstoodError(Exception):
    """The endpoint did not do what was asked: it may lack a feature. `told` is never kept."""

    def __init__(self, error: AppError, told: str) -> None:
        super().__init__()
        self.error = error
        self.told = told


@dataclass(frozen=True)
class Dialect:
    """How a request is worded: how JSON is asked for, names of parameters, streaming."""

    mode: Structured
    stream: bool
    stream_usage: bool = True
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def options(
        self, schema: Mapping[str, object] | None, limit: int, temperature: float
    ) -> dict[str, Any]:
        """Return the parameters of a request beside model and messages."""
        options: dict[str, Any] = {self.limit_name: limit}
        if self.temperature:
            options["temperature"] = temperature
        if schema is not None and self.mode == "json_schema":
            named = {"name": "answer", "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        elif schema is not None and self.mode == "json_object":
            options["response_format"] = {"type": "json_object"}
        if self.stream:
            options["stream"] = True
            if self.stream_usage:
                options["stream_options"] = {"include_usage": True}
        return options

    def narrower(self, refused: NotUnderstoodError, *, fixed: bool) -> "Dialect":
        """Return a dialect that avoids what was not understood.

        Args:
            refused: what the endpoint said.
            fixed: whether the way of asking for JSON is prescribed.

        Raises:
            AppError: there is none left; the refusal's own error (not retryable).
        """
        told = refused.told
        if "max_completion_tokens" in told and self.limit_name == "max_tokens":
            return replace(self, limit_name="max_completion_tokens")
        if "temperature" in told and self.temperature:
            return replace(self, temperature=False)
        if "stream_options" in told and self.stream and self.stream_usage:
            return replace(self, stream_usage=False)
        if "stream" in told and self.stream:
            return replace(self, stream=False)
        if fixed or self.mode == MODES[-1]:
            raise refused.error
        return replace(self, mode=MODES[MODES.index(self.mode) + 1])
