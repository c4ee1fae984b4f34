"""A text that many patterns look at, and the lines of it where a word or a sign stands.

Most patterns can match in few places: beside a word, or where there are digits. Looking for those
first, once for all patterns that share them, is what makes ninety patterns affordable.
"""

import re
from collections.abc import Iterator


class Scan:
    """A text with the stretches that were asked for."""

    def __init__(self, text: str) -> None:
        """Keep the text; nothing is looked for yet."""
        self.text = text
        self._known: dict[tuple[str, int], tuple[tuple[int, int], ...]] = {}

    def near(self, sign: re.Pattern[str], reach: int = 0) -> tuple[tuple[int, int], ...]:
        """Return the lines that hold a sign, with a line more on both sides.

        Args:
            sign: what to look for.
            reach: characters around it that count as well.

        Returns:
            Stretches in order, not overlapping.
        """
        key = (sign.pattern, reach)
        if key not in self._known:
            self._known[key] = tuple(self._near(sign, reach))
        return self._known[key]

    def _near(self, sign: re.Pattern[str], reach: int) -> Iterator[tuple[int, int]]:
        first, last, covered = 0, -1, -1
        for match in self._hits(sign, whole_lines=not reach):
            if match.end() + reach <= covered:  # keeps long lines from being read for every hit
                continue
            covered = self._line_end(match.end() + reach)
            start = self._line_start(self._line_start(match.start() - reach) - 1)
            if start > last >= 0:
                yield first, last
            first, last = (start if start > last else first), self._line_end(covered + 1)
        if last >= 0:
            yield first, last

    def _hits(self, sign: re.Pattern[str], *, whole_lines: bool) -> Iterator[re.Match[str]]:
        """Yield where the sign stands, once a line where that is enough."""
        position = 0
        while match := sign.search(self.text, position):
            yield match
            position = self._line_end(match.end()) if whole_lines else match.end()

    def _line_start(self, position: int) -> int:
        """Return where the line of a place begins."""
        return self.text.rfind("\n", 0, max(0, position)) + 1

    def _line_end(self, position: int) -> int:
        """Return where the line of a place ends, before its line end."""
        end = self.text.find("\n", position)
        return end if end >= 0 else len(self.text)
