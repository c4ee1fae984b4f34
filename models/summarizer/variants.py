"""Traditional and simplified Chinese characters as one, since recognizers write either."""

from functools import cache
from importlib.resources import files


def fold(text: str) -> str:
    """Return a text with simplified characters for traditional ones, of the same length.

    Patterns must be folded like the texts they are looked for in: Japanese shares some of the
    traditional characters.
    """
    return text.translate(_table())


@cache
def _table() -> dict[int, int]:
    source = files("models.summarizer").joinpath("variants.txt").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if not line.startswith("#")]
    return str.maketrans("".join(lines[::2]), "".join(lines[1::2]))
