"""Whether hostile and unusual file names stay labels: shown, and part of no path or key."""

import json
from dataclasses import dataclass
from pathlib import Path

from pipeline.commands import display_name

_HIDDEN_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class NameScore:
    """What a name became."""

    name: str
    shown: str
    why: str

    @property
    def ok(self) -> bool:
        """True where what is shown is one harmless line that is no path."""
        lines = len(self.shown.splitlines()) == 1 and "\x00" not in self.shown
        separators = "/" in self.shown or "\\" in self.shown or self.shown in {".", ".."}
        turned = bool(_HIDDEN_DIRECTION & set(self.shown))
        return lines and not separators and not turned and len(self.shown.encode()) <= 1024

    def as_dict(self) -> dict[str, object]:
        """Return the form that `eval media --json` prints."""
        return {"file": self.name, "expect": self.why, "outcome": self.shown, "ok": self.ok}


def score_names(data: Path) -> list[NameScore]:
    """Pass each name of `media_odd/filenames.json` through what an upload makes of it."""
    listing = data / "media_odd" / "filenames.json"
    if not listing.is_file():
        return []
    entries = json.loads(listing.read_text(encoding="utf-8"))
    return [NameScore(e["name"], display_name(e["name"]), e["why"]) for e in entries]
