"""Characters that a reader does not see, and text as a reader sees it."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from models.documents import Finding, RedactedTranscript, Severity, Summary
from models.quality.places import placed_texts

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0001-\U000e007f]")
"""Controls that show text in another order than it has, and tags, which hide a whole text."""

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0001-\U000e007f]"
    "|(?<![\ufe0f\U0001f000-\U0001faff\u2600-\u27bf])\u200d|\u200d(?![\U0001f000-\U0001faff\u2600-\u27bf])"
)
"""Characters without a shape. Joined pictures have one, and so have variants of a character."""

_ALIKE = str.maketrans("аеорсухіјѕԁһӏοαν", "aeopcyxijsdhloav")
_MIXED = re.compile("[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z]", re.IGNORECASE)


def seen(text: str) -> str:
    """Return a text as a reader takes it: letters of one width, nothing that is not seen."""
    bare = _UNSEEN.sub("", unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))
    return bare.translate(_ALIKE) if _MIXED.search(bare) else bare


def check_unseen(
    summary: Summary, redacted: RedactedTranscript, titles: Sequence[str]
) -> Iterator[Finding]:
    """Yield where characters that nobody sees would be published.

    What only the source has warns at the transcript; elsewhere, what turns or hides text blocks.
    """
    texts = [*placed_texts(summary), *((f"titles[{i}]", title) for i, title in enumerate(titles))]
    levels: dict[str, Severity] = {}
    for place, text in texts:
        if _TURNS.search(text):
            levels[place] = Severity.BLOCK
        elif _UNSEEN.search(text):
            levels.setdefault(place, Severity.WARN)
    for place, severity in levels.items():
        yield _finding(place, severity)
    hits = tuple(s.id for s in redacted.segments if _UNSEEN.search(s.text))
    if hits:
        yield _finding("transcript", Severity.WARN, hits[:20])


def _finding(place: str, severity: Severity, segments: tuple[int, ...] = ()) -> Finding:
    reason = "It holds characters that a reader does not see."
    return Finding(
        check="text.unseen", severity=severity, place=place, reason=reason, segments=segments
    )
