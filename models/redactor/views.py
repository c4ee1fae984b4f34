"""Views: rewritten forms of a text that know where each of their characters came from.

Patterns look at normalised text (half-width digits, no zero-width characters, spoken digits as
digits), while redaction has to cut the original. A view keeps, for each of its characters, the
stretch of the base text that it stands for, and views can be stacked.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_LINE_ENDS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff"
)
"""Invisible although not of category Cf.

Source: Default_Ignorable_Code_Point of the Unicode Character Database, and the empty braille cell.
"""
_INVISIBLE = re.compile(f"[{_IGNORABLE}]")
_MARKS = "".join(chr(c) for c in range(0x300, 0x1F000) if unicodedata.category(chr(c))[0] == "M")
_ODD = re.compile(rf"[{_IGNORABLE}]|[ -@[-`{{-~][{_MARKS}]")
"""What is printable and normal, and yet hides a number."""

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣⁃", "-") | {"’": "'", "‘": "'", "ʼ": "'"})
_VOICING = "\u3099\u309a\uff9e\uff9f"
_LONG_VOWEL_DASH = re.compile(r"(?:(?<=\d)|(?<=\d[ \n]))ー(?=[ \n]?\d)")
_STABLE = re.compile(r"[\n -~、。「」ぁ-ゖァ-ヺー一-鿿]+(?=[\n -~、。「」ぁ-ゖァ-ヺー一-鿿]|$)")
"""Characters that stay as they are; the last one only where nothing can combine with it."""

_JOINT = re.compile(r"(?<=[A-Za-z0-9@._+/-])[ \t]*\n[ \t]*(?=[A-Za-z0-9@._+/-])")


@dataclass(frozen=True)
class Edit:
    """Replace `[start, end)` of a text; an empty replacement takes it out of the view."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class View:
    """A text, and for each of its characters the stretch `[start, end)` of the base text."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "View":
        """Return the view that is the text itself."""
        return cls(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))

    def base_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the base text for the non-empty `[start, end)` of the view."""
        return self.starts[start], self.ends[end - 1]

    def part(self, start: int, end: int) -> "View":
        """Return the view of a stretch alone; it knows the same base text."""
        return View(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def rewrite(self, edits: Iterable[Edit]) -> "View":
        """Return a view with the edits (sorted, not overlapping) applied."""
        text: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for edit in edits:
            text.append(self.text[position : edit.start])
            starts.extend(self.starts[position : edit.start])
            ends.extend(self.ends[position : edit.start])
            if edit.replacement:
                start, end = self.base_span(edit.start, edit.end)
                text.append(edit.replacement)
                starts.extend([start] * len(edit.replacement))
                ends.extend([end] * len(edit.replacement))
            position = edit.end
        text.append(self.text[position:])
        starts.extend(self.starts[position:])
        ends.extend(self.ends[position:])
        return View("".join(text), tuple(starts), tuple(ends))


def normalized(text: str) -> View:
    """Return the NFKC view: one width, one kind of dash and apostrophe, nothing invisible."""
    if _is_normal(text):
        return _without_long_vowel_dash(View.of(text))
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    while position < len(text):
        if run := _STABLE.match(text, position):
            end = run.end()
            out.append(run[0])
            starts.extend(range(position, end))
            ends.extend(range(position + 1, end + 1))
        else:
            end = _cluster_end(text, position)
            piece = _normalize_cluster(text[position:end])
            out.append(piece)
            starts.extend([position] * len(piece))
            ends.extend([end] * len(piece))
        position = end
    return _without_long_vowel_dash(View("".join(out), tuple(starts), tuple(ends)))


def _is_normal(text: str) -> bool:
    """Tell whether no character would change: most texts, and much faster to tell than to do."""
    if not text.isascii() and (_ODD.search(text) or text.translate(_DASHES) != text):
        return False
    visible = text.replace("\n", "").isprintable()  # format and control characters are not
    return visible and unicodedata.is_normalized("NFKC", text)


def _without_long_vowel_dash(view: View) -> View:
    edits = [Edit(m.start(), m.end(), "-") for m in _LONG_VOWEL_DASH.finditer(view.text)]
    return view.rewrite(edits) if edits else view


def fold(text: str) -> str:
    """Return the comparison form of a surface: NFKC, case-folded, invisible characters gone."""
    return normalized(text).text.casefold()


def glued(view: View) -> View:
    """Return the view in which numbers and addresses run on over line and segment borders."""
    return view.rewrite(Edit(m.start(), m.end(), "") for m in _JOINT.finditer(view.text))


def _cluster_end(text: str, start: int) -> int:
    end = start + 1
    if text[start] == "\r" and text[end : end + 1] == "\n":
        return end + 1
    while end < len(text) and (unicodedata.category(text[end])[0] == "M" or text[end] in _VOICING):
        end += 1
    return end


def _normalize_cluster(cluster: str) -> str:
    """Return a character and its marks in the normal form; marks belong to letters alone."""
    if cluster[0] in _LINE_ENDS:
        return "\n"
    kept = "".join(map(_visible, cluster))
    if kept and unicodedata.category(kept[0]) not in {"Lu", "Ll", "Lt", "Lo"}:
        kept = kept[:1]
    return unicodedata.normalize("NFKC", kept.translate(_DASHES)).translate(_DASHES)


def _visible(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Zs" or char == "\t":
        return " "
    hidden = category == "Cf" or (category == "Cc" and char != "\n") or _INVISIBLE.match(char)
    return "" if hidden else char
