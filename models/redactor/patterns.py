"""Patterns of identifiers, read from configs/pii/*.toml: expression, check digit, context words.

They are kept apart from Presidio's own pattern recognizers because those look at one form of the
text and find context by spaCy's tokens, which Japanese and Chinese digits and spoken numbers do
not have: here the same pattern runs over several views and context is looked up in the characters
around.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from models.redactor.checksums import CHECKS
from models.redactor.scan import Scan
from models.redactor.types import Found

THRESHOLD = 0.5
"""Findings below this score are dropped."""

_SENTENCE_END = re.compile(r"[.!?]\s|[。！？\n]")
_MACRO = re.compile(r"\{([A-Z][A-Z_]*)\}")


@dataclass(frozen=True)
class Pattern:
    """One way an identifier is written.

    Args:
        name: names the pattern in findings.
        entity_type: the class it finds.
        expression: what it looks like; a group `value` narrows the finding to that part.
        score: 0..1 without context words near by.
        context_score: 0..1 with one.
        context: words that raise the score; matched in the `window` characters before, and in the
            `window_after` characters after as far as the sentence goes.
        refuse: words that forbid the finding; matched in 16 characters before and 12 after.
        needs: something short that stands in or right beside every match; only the lines around it
            are looked at.
        check: a function over the matched text that must hold, or None.
        checked_score: score when the check holds (None: the check only filters).
        views: the forms of the text to look at: `written`, `spoken`.
    """

    name: str
    entity_type: str
    expression: re.Pattern[str]
    score: float
    context_score: float
    context: re.Pattern[str] | None = None
    refuse: re.Pattern[str] | None = None
    needs: re.Pattern[str] | None = None
    check: str | None = None
    checked_score: float | None = None
    window: int = 40
    window_after: int = 32
    views: tuple[str, ...] = ("written", "spoken")

    def find(self, scan: Scan) -> Iterator[Found]:
        """Yield what the pattern finds in a text, scores below `THRESHOLD` left out."""
        group = "value" if "value" in self.expression.groupindex else 0
        for place in self._places(scan):
            for match in self.expression.finditer(scan.text, *place):
                start, end = match.span(group)
                if start < end and (score := self._score(scan.text, start, end)) >= THRESHOLD:
                    yield Found(start, end, self.entity_type, score, self.name)

    def _places(self, scan: Scan) -> Sequence[tuple[int, int]]:
        """Return the stretches of the text where something can be found."""
        best = self.score if self.checked_score is None else max(self.score, self.checked_score)
        if best < THRESHOLD:
            reach = max(self.window, self.window_after)
            return () if self.context is None else scan.near(self.context, reach)
        return scan.near(self.needs) if self.needs else ((0, len(scan.text)),)

    def _score(self, text: str, start: int, end: int) -> float:
        before = text[max(0, start - self.window) : start]
        after = _SENTENCE_END.split(text[end : end + self.window_after], maxsplit=1)[0]
        if self.refuse and self.refuse.search(before[-16:] + "\n" + after[:12]):
            return 0.0
        has_context = bool(
            self.context and (self.context.search(before) or self.context.search(after))
        )
        score = self.context_score if has_context else self.score
        if self.check is None:
            return score
        holds = CHECKS[self.check](text[start:end])
        if self.checked_score is None:
            return score if holds else 0.0
        return max(score, self.checked_score) if holds else score


@cache
def patterns() -> tuple[Pattern, ...]:
    """Read all patterns, in the order of their files' names."""
    folder = resources.files("configs") / "pii"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    tables = [tomllib.loads(f.read_text(encoding="utf-8")) for f in files]
    macros = {name: text for table in tables for name, text in table.get("macros", {}).items()}
    words = {name: text for table in tables for name, text in table.get("context", {}).items()}
    rows = [row for table in tables for row in table.get("pattern", [])]
    return tuple(_pattern(row, macros, words) for row in rows)


def find_patterns(text: str, view: str) -> list[Found]:
    """Run every pattern that looks at this view (`written` or `spoken`) over a text."""
    scan = Scan(text)
    return [found for p in patterns() if view in p.views for found in p.find(scan)]


def _pattern(
    row: Mapping[str, object], macros: Mapping[str, str], words: Mapping[str, list[str]]
) -> Pattern:
    values = dict(row)
    flags = 0 if values.pop("case_sensitive", False) else re.IGNORECASE
    expression = _expand(str(values.pop("regex")), macros)
    for key in ("context", "refuse"):
        values[key] = _any_word(tuple(_strings(values.get(key) or ())), words)
    needs = values.get("needs")
    values["needs"] = re.compile(str(needs), re.IGNORECASE) if needs else None
    values["views"] = tuple(_strings(values.get("views", ("written", "spoken"))))
    values.setdefault("context_score", values["score"])
    return Pattern(expression=re.compile(expression, flags), **values)  # type: ignore[arg-type]


def _expand(expression: str, macros: Mapping[str, str]) -> str:
    while _MACRO.search(expression):
        expression = _MACRO.sub(lambda m: macros[m[1]], expression)
    return expression


def _any_word(names: Sequence[str], words: Mapping[str, list[str]]) -> re.Pattern[str] | None:
    """Compile the words of the named groups; ASCII words match whole."""
    listed = [word for name in names for word in words.get(name, [name])]
    whole = "|".join(word for word in listed if word[0].isascii())
    forms = [rf"(?<![a-z])(?:{whole})(?![a-z])"] if whole else []
    forms += [word for word in listed if not word[0].isascii()]
    return re.compile("|".join(forms), re.IGNORECASE) if forms else None


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        return (str(v) for v in value)
    raise TypeError("a list of words is expected")
