"""Texts made comparable to what was said: numbers as digits, names by their sound.

For measuring only: it shares no table with the redaction that it measures.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from sudachipy import Dictionary, Tokenizer

from models.pinyin import syllables

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_ONES += " fifteen sixteen seventeen eighteen nineteen"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh"
_ORDINALS += " twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: n for words in (_ONES, _ORDINALS) for n, word in enumerate(words.split())}
_VALUES |= {word: 10 * n for n, word in enumerate(_TENS.split(), 2)}
_VALUES |= {f"{word[:-1]}ieth": 10 * n for n, word in enumerate(_TENS.split(), 2)} | {"oh": 0}
_UNITS = {"hundred": 2, "thousand": 3}
_TIMES = {"double": 2, "triple": 3}
_UNSAID = frozenset({"dash", "hyphen", "dot", "point", "underscore", "and", "at"})
_SIGNS = re.compile(
    "アットマーク|アット|艾特|ドット|点|點|アンダーバー|アンダースコア|下划线|下劃線|ハイフン|杠"
)
_HAN = {char: n for n, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "幺": 1}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_COUNTED = re.compile(f"[{''.join(_HAN)}{''.join(_HAN_UNITS)}]+")
_KANA = ("ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュウ")
_KANA_RUN = re.compile(f"(?:(?:{'|'.join(_KANA)})[のノ、・ドット]*){{3,}}")
_JOINT = re.compile(r"(?<=\d)[のノ](?=\d)")


def plain(text: str, language: str) -> str:
    """Return letters and digits alone, in lower case, numbers that are said as digits."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("'", "")
    if language == "en":
        text = "".join(_english(re.findall(r"[^\W\d_]+|\d+", text)))
    else:
        text = _KANA_RUN.sub(lambda run: _digits_of_kana(run[0]), text)
        text = _COUNTED.sub(lambda run: _digits_of_han(run[0]), text)
        text = _JOINT.sub("", re.sub(r"[\s\-_]+", "", _SIGNS.sub("", text)))
    return "".join(char for char in text if char.isalnum())


def words(text: str) -> list[str]:
    """Return a text's words in lower case."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.findall(r"[^\W\d_]+", text.replace("'s", "").replace("'", ""))


def sound(text: str, language: str) -> Sequence[str]:
    """Return how Japanese or Chinese text sounds: kana, or syllables without tones."""
    if language == "ja":
        spoken = (word.reading_form() for word in _tokenizer().tokenize(text))
        return "".join(c for word in spoken for c in word if "ァ" <= c <= "ヺ" or c == "ー")
    runs = re.findall("[一-龥]+", text)
    return [syllable for run in runs for syllable in next(syllables(run), ())]


def sounds_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether a sound is heard in another."""
    size = len(part)
    return any(whole[i : i + size] == part for i in range(len(whole) - size + 1))


def _english(tokens: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        value = _VALUES.get(token)
        if token in _TIMES and following in _VALUES:
            yield str(_VALUES[following]) * (_TIMES[token] - 1)
        elif token in _UNITS:
            if following == "and":
                place += 1
                following = tokens[place + 1] if place + 1 < len(tokens) else ""
            yield "0" * (_UNITS[token] - len(_number(tokens[place + 1 :])))
        elif value is not None:
            number = _number(tokens[place:])
            place += int(len(number) == 2 and value >= 20 and number[1] != "0")
            yield number
        elif token not in _UNSAID:
            yield token
        place += 1


def _number(tokens: Sequence[str]) -> str:
    """Return the number below a hundred that tokens begin with, empty if they do not."""
    first = _VALUES.get(tokens[0]) if tokens else None
    if first is None:
        return ""
    second = _VALUES.get(tokens[1], 0) if len(tokens) > 1 and tokens[1] != "oh" else 0
    return str(first + second if first >= 20 and second < 10 else first)


def _digits_of_kana(run: str) -> str:
    for digit, word in enumerate(_KANA):
        run = run.replace(word, str(digit))
    return "".join(filter(str.isdigit, run))


def _digits_of_han(run: str) -> str:
    if not set(run) & set(_HAN_UNITS):
        return "".join(str(_HAN[char]) for char in run)
    total, count = 0, 0
    for char in run:
        if char in _HAN_UNITS:
            total, count = total + (count or 1) * _HAN_UNITS[char], 0
        else:
            count = _HAN[char]
    return str(total + count)


@cache
def _tokenizer() -> Tokenizer:
    return Dictionary().create()
