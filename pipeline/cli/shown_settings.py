"""The settings as they may be shown: no secret, and no password inside an address."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from configs.settings import Settings

HIDDEN = "(hidden)"
# the path of a webhook's address is often all that protects it
_ONLY_HOST = frozenset({"webhook.url"})


def shown_settings(settings: "Settings") -> dict[str, object]:
    """Return the effective settings by group, JSON-able; durations are ISO 8601."""
    dumped = settings.model_dump(mode="json")  # pydantic itself masks secrets
    return {name: _shown(value, name) for name, value in dumped.items()}


def _shown(value: object, dotted: str) -> object:
    if isinstance(value, dict):
        return {name: _shown(part, f"{dotted}.{name}") for name, part in value.items()}
    if isinstance(value, list):
        return [_shown(part, dotted) for part in value]
    if isinstance(value, str) and "://" in value:
        return _shown_address(value, only_host=dotted in _ONLY_HOST)
    return value


def _shown_address(value: str, *, only_host: bool) -> str:
    parts = urlsplit(value)
    user, at, host = parts.netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}:{HIDDEN}@{host}" if at else host
    if only_host:
        return f"{parts.scheme}://{netloc}/{HIDDEN}"
    query = HIDDEN if "password" in parts.query.casefold() else parts.query
    return urlunsplit((parts.scheme, netloc, parts.path, query, ""))
