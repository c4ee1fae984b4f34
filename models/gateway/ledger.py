"""The port of the ledger: where calls are allowed, noted and remembered.

The gateway asks it before each call and tells it afterwards. It holds numbers, hashes and names of
models; of the answers, only what `kept` puts aside to be found again.
"""

from dataclasses import dataclass
from typing import Protocol

from models.summarizer.chat import Completion


@dataclass(frozen=True)
class Request:
    """One call as the ledger sees it, before it is made.

    `sha256` is over everything that could change the answer: equal ones have equal answers.
    Tokens are estimated, rather too many than too few, `told` of them the prompt's; `most_usd` is
    what they would cost.
    """

    endpoint: str
    model: str
    sha256: str
    tokens: int
    most_usd: float
    told: int = 0
    prompt_sha256: str | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a call: `answered`, or the code of the error."""

    code: str
    latency_s: float
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class Ledger(Protocol):
    """Allows, notes and remembers calls; one may be shared by threads."""

    def remembered(self, request: Request) -> Completion | None:
        """Return the kept answer to an equal request of the same tenant, if there is one."""

    def admit(self, request: Request) -> str:
        """Allow a call now, and note that it is being made.

        Returns:
            The entry, for `close`.

        Raises:
            OverBudgetError: it could cost more than is left (not retryable).
            RateLimitedError: its turn comes after `retry_after_s`, and is kept (retryable).
        """

    def close(self, entry: str, outcome: Outcome, kept: Completion | None = None) -> None:
        """Note what became of a call.

        Args:
            entry: what `admit` returned.
            outcome: tokens and cost as the endpoint counted them.
            kept: the answer, where an equal request may be answered with it.
        """


class NoLedger:
    """Allows every call and keeps nothing: for a stage that runs alone."""

    def remembered(self, request: Request) -> Completion | None:  # noqa: ARG002 - the port's
        """Return nothing."""
        return None

    def admit(self, request: Request) -> str:  # noqa: ARG002 - the port's
        """Allow the call."""
        return ""

    def close(self, entry: str, outcome: Outcome, kept: Completion | None = None) -> None:
        """Keep nothing."""
