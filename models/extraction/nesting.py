"""Pages that no browser was meant to show: a parser would be busy with them for hours."""

import re
from collections import Counter

from configs.errors import TooLargeError

_DEEPEST = 5000
"""Browsers themselves put what is nested deeper than 512 elements side by side."""
_MOST_MARKS = 2_000_000
"""Begins and ends of elements; more of them take gigabytes."""
_MARK = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1|\Z)|<(/?)([a-z][^\s/>]*)",
    re.IGNORECASE | re.DOTALL,
)
_CROWDED = re.compile(r"<[a-zA-Z](?:[^<>=]*=){5000}")
_NOT_CLOSED = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"}
    | {"wbr", "body", "caption", "colgroup", "dd", "dt", "html", "li", "optgroup", "option", "p"}
    | {"rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr"}
)
"""Elements without an end, or whose end may be left out."""


def refuse_abuse(markup: str) -> None:
    """Look through a page's marks before it is parsed, in time that grows with its length only.

    Raises:
        TooLargeError: thousands of elements within one another, or attributes of one, or more
            than a million elements (not retryable).
    """
    if _CROWDED.search(markup):
        raise TooLargeError("An element of the page has thousands of attributes.")
    opened: Counter[str] = Counter()
    depth = 0
    for count, mark in enumerate(_MARK.finditer(markup)):
        if count > _MOST_MARKS:
            raise TooLargeError("The page holds more than a million elements. Split it.")
        name = (mark[3] or "").lower()
        if not name or name in _NOT_CLOSED:
            continue
        if not mark[2]:
            opened[name] += 1
            depth += 1
        elif opened[name]:
            opened[name] -= 1
            depth -= 1
        if depth > _DEEPEST:
            raise TooLargeError("The page nests thousands of elements within one another.")
