"""The one place that reads the clock and draws randomness outside workflow code."""

import secrets
import time
from datetime import UTC, datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def utc_now() -> datetime:
    """Return the current time, timezone-aware in UTC."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Return seconds from a clock that never goes back, for measuring how long something took."""
    return time.monotonic()


def new_id(prefix: str) -> str:
    """Return an id `{prefix}_{time}{random}`: sortable by creation, 80 random bits, URL-safe."""
    stamp = int(utc_now().timestamp() * 1000)
    random_bits = secrets.randbits(80)
    return f"{prefix}_{_base32(stamp, 10)}{_base32(random_bits, 16)}"


def new_secret() -> str:
    """Return a URL-safe secret with 256 random bits."""
    return secrets.token_urlsafe(32)


def _base32(value: int, length: int) -> str:
    digits = []
    for _ in range(length):
        value, digit = divmod(value, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
