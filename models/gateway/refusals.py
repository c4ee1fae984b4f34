"""What an endpoint's refusal means: the SDK's errors as ours, whose words are not kept."""

import re
from email.utils import parsedate_to_datetime
from typing import Any

from configs.clock import utc_now
from configs.errors import (
    ContentFilterError,
    ContextTooLongError,
    ModelError,
    OverBudgetError,
    RateLimitedError,
    TransientError,
    UnknownModelError,
)
from models.gateway.dialect import NotUnderstoodError

_TOO_LONG = re.compile(
    r"context[_ ]?(?:length|size|window)|maximum context|too many (?:input )?tokens|num_ctx"
    r"|(?:prompt|input) is too long|reduce the length|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[_ ]?(?:filter|policy)|safety", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing", re.IGNORECASE)


def translated(error: Any) -> Exception:  # noqa: ANN401 - the SDK's edge
    """Return our error for an `openai.APIError`; its words are looked at and not kept."""
    status = getattr(error, "status_code", None)
    told = f"{error.code} {error.type} {error.message}"
    details: dict[str, object] = {"status": status} if status else {}
    if status is None and error.body and _FILTERED.search(told):  # in the middle of a stream
        return ContentFilterError()
    if status is None or status >= 500 or status in {408, 409}:
        return TransientError("The model's endpoint did not answer.", details | _waiting(error))
    if status == 429 and not _QUOTA.search(told):
        return RateLimitedError(details=details | _waiting(error))
    kind, message = _refusal(status, told)
    if kind is ModelError and status in {400, 422}:
        return NotUnderstoodError(ModelError(message, details), told)
    return kind(message, details)


def raise_unless_unanswered(error: Any) -> None:  # noqa: ANN401 - the SDK's edge
    """Raise our error for the SDK's, but where the endpoint lacks what it was asked."""
    ours = translated(error)
    lacks = isinstance(ours, UnknownModelError | NotUnderstoodError)
    if not lacks and getattr(error, "status_code", None) not in {405, 501}:
        raise ours from None


def _refusal(status: int, told: str) -> tuple[type[ModelError], str | None]:
    """Return the class and message of an answer that trying again does not change."""
    if status in {402, 429}:
        return OverBudgetError, "The account at the model's endpoint has no budget."
    if status == 413 or _TOO_LONG.search(told):
        return ContextTooLongError, None
    if _FILTERED.search(told):
        return ContentFilterError, None
    if status in {401, 403}:
        return ModelError, "The model's endpoint refused the API key."
    if status == 404:
        return UnknownModelError, None
    return ModelError, "The model's endpoint does not take this request."


def _waiting(error: Any) -> dict[str, object]:  # noqa: ANN401 - the SDK's edge
    """Read how long to wait from the headers: milliseconds, seconds or a date."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            return {"retry_after_s": float(milliseconds) / 1000}
        if value and re.fullmatch(r"\d+(?:\.\d+)?", value.strip()):
            return {"retry_after_s": float(value)}
        if value:
            wait = (parsedate_to_datetime(value) - utc_now()).total_seconds()
            return {"retry_after_s": max(0.0, round(wait, 1))}
    except (TypeError, ValueError):
        return {}
    return {}
