"""Numbers as they are said in Japanese and Chinese: ゼロキュウゼロ, 〇九〇の一二三四, 幺三六."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from models.redactor.views import Edit, View

_KANJI = {c: str(i) for i, c in enumerate("〇一二三四五六七八九")} | {"零": "0"}
_CAPITALS = dict(zip("壹壱贰貳弐叁參参肆伍陆陸柒捌玖", "112223334566789", strict=True))
_CHINESE = _KANJI | _CAPITALS | {"幺": "1", "洞": "0", "两": "2", "兩": "2", "〇": "0"}
_KATAKANA = {
    "ゼロ": "0", "レイ": "0", "マル": "0", "イチ": "1", "イッ": "1", "ニー": "2", "ニイ": "2",
    "ニ": "2", "サン": "3", "ヨン": "4", "ヨー": "4", "シー": "4", "ゴー": "5", "ゴ": "5",
    "ロク": "6", "ナナ": "7", "シチ": "7", "ハチ": "8", "キュウ": "9", "キュー": "9", "ク": "9",
}  # fmt: skip
_HIRAGANA = {
    "ぜろ": "0", "れい": "0", "まる": "0", "いち": "1", "にー": "2", "にい": "2", "に": "2",
    "さん": "3", "よん": "4", "よー": "4", "ごー": "5", "ご": "5", "ろく": "6", "なな": "7",
    "しち": "7", "はち": "8", "きゅう": "9", "きゅー": "9",
}  # fmt: skip
DIGIT_WORDS = tuple(dict.fromkeys([*_CHINESE, *_KATAKANA, *_HIRAGANA]))
"""Every way of saying one digit that is known here."""

_UNITS = "十百千拾佰仟万萬億亿兆割点點"
_POINT = r"(?:ドット|点|點|テン|\.)"
_WRITTEN_LEAST = 7
_GAP = r"[\s、,，・]{0,2}"


@dataclass(frozen=True)
class _Speech:
    """How a language says numbers, and how many digits make a run (digits in kana: of kana)."""

    digits: dict[str, str]
    separators: str
    least: int

    @cached_property
    def runs(self) -> re.Pattern[str]:
        word = "|".join(sorted(map(re.escape, self.digits), key=len, reverse=True))
        part = f"(?:{word}|[0-9])"
        return re.compile(f"{part}(?:{_GAP}(?:{self.separators})?{_GAP}{part})+")

    @cached_property
    def quads(self) -> re.Pattern[str]:
        """What four numbers with a said point between look like: an IP address."""
        word = "|".join(sorted(map(re.escape, self.digits), key=len, reverse=True))
        number = f"(?:{word}|[0-9]){{1,3}}"
        return re.compile(rf"{number}(?:\s?{_POINT}\s?{number}){{3}}")

    @cached_property
    def parts(self) -> re.Pattern[str]:
        word = "|".join(sorted(map(re.escape, self.digits), key=len, reverse=True))
        return re.compile(f"({word}|[0-9])|({self.separators})")


_JAPANESE = _Speech(_KANJI | _CAPITALS | _KATAKANA, r"の|ノ|-|ハイフン|ダッシュ|マイナス", least=2)
_HIRAGANA_ONLY = _Speech(_HIRAGANA, r"の|-|はいふん|だっしゅ", least=6)
_MANDARIN = _Speech(_CHINESE, r"-|杠|横杠|短横线|减号|槓", least=3)


def spoken_ja(view: View) -> View:
    """Return the view with Japanese digits as ASCII digits and の between them as `-`."""
    return _rewrite(_rewrite(_quads(view, _JAPANESE), _HIRAGANA_ONLY), _JAPANESE)


def spoken_zh(view: View) -> View:
    """Return the view with Chinese digits (幺 and 洞 too) as ASCII digits."""
    return _rewrite(_quads(view, _MANDARIN), _MANDARIN)


def _quads(view: View, speech: _Speech) -> View:
    """Return the view with said IP addresses in digits and points."""
    part = re.compile(f"{speech.parts.pattern}|(?P<point>{_POINT})")
    edits: list[Edit] = []
    for quad in speech.quads.finditer(view.text):
        for match in part.finditer(view.text, quad.start(), quad.end()):
            written = "." if match["point"] else speech.digits.get(match[0], match[0])
            edits.append(Edit(*match.span(), written))
    return view.rewrite(edits)


def _rewrite(view: View, speech: _Speech) -> View:
    parts = speech.parts
    edits: list[Edit] = []
    for run in speech.runs.finditer(view.text):
        if _is_number(view.text, run, parts, speech):
            edits.extend(_edits(view.text, run, parts, speech))
    return view.rewrite(edits)


def _is_number(text: str, run: re.Match[str], parts: re.Pattern[str], speech: _Speech) -> bool:
    words = [m[1] for m in parts.finditer(run[0]) if m[1]]
    spoken = [w for w in words if not w.isascii()]
    around = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
    counted = spoken if speech is _HIRAGANA_ONLY else words  # に before digits is a particle
    if len(counted) < speech.least or any(c in _UNITS for c in around):
        return False
    if not spoken:  # 090の1234の5678, as recognizers write it
        return len(words) >= _WRITTEN_LEAST and "の" in run[0]
    has_katakana = any(w in _KATAKANA for w in spoken)
    return not has_katakana or (len(words) >= 3 and not _goes_on(text, run))


def _goes_on(text: str, run: re.Match[str]) -> bool:
    """Tell whether a katakana run is only part of a longer katakana word."""
    before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
    first, last = run[0][0], run[0][-1]
    return (_katakana(before) and _katakana(first)) or (_katakana(after) and _katakana(last))


def _katakana(char: str) -> bool:
    return bool(char) and ("ァ" <= char <= "ヺ" or char == "ー")


def _edits(
    text: str, run: re.Match[str], parts: re.Pattern[str], speech: _Speech
) -> Iterator[Edit]:
    position = run.start()
    for match in parts.finditer(text, run.start(), run.end()):
        if position < match.start():
            yield Edit(position, match.start(), "")
        digit = speech.digits.get(match[1], match[1]) if match[1] else "-"
        yield Edit(match.start(), match.end(), digit)
        position = match.end()
