"""Text of unknown encoding: tell the encoding, clean the characters."""

import codecs
import re
import unicodedata
from collections.abc import Iterator

EAST_ASIAN = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"
"""A Chinese or Japanese character, in a pattern."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\u00ad]")
_WINDOWS = {  # where a file or font says ISO 8859-1 and means Windows' quotes and dashes
    code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0) if code != 0x85
}
_COMPATIBLE = re.compile(
    "["
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width digits and letters
    "\uff20\uff0e\uff0d\uff3f\uff0f\uff0b"  # the signs of addresses and numbers
    "\uff66-\uff9f"  # half-width katakana
    "\ufb00-\ufb4f"  # ligatures
    "\uf900-\ufaff\u2e80-\u2fdf"  # compatibility ideographs and radicals
    "]+"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_EAST_ASIAN = (("cp932", "ja"), ("euc_jp", "ja"), ("gb18030", "zh"), ("big5hkscs", "zh"))
_HINT_BONUS = 0.3
_LEAST_EAST_ASIAN_SCORE = 0.3
_COMMON_HAN = frozenset(
    "的一是不了在人有我他这这個们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年"
    "過後說時對會們來為這個國學發經還無與書進從見長東車門間問開關實現電話號萬買賣請謝"
    "日本月火水木金土会議社員部長様先生前後今何行見言気分事者方新高山田手間者業務発表"
)
_PUNCTUATION = frozenset("、。「」・，：；（）！？《》“”")
_MAX_CONTROL_RATIO = 0.002
_LEAST_WHOLE = 50
"""Whole characters beyond ASCII for each broken one."""
_JUDGED_CHARS = 200_000
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@", b"\x1b(I", b"\x1b$(D")
_DECLARED = {
    "ascii": "cp1252",  # as browsers read it; UTF-8 is tried first
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "iso2022_jp": "iso2022_jp_ext",
    "euc_kr": "cp949",
}
_SAME = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp932", "shift_jisx0213"}
    | {"euc_jp", "euc_jis_2004", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_ext"}
    | {"gb18030", "big5hkscs", "cp949", "koi8-r", "koi8-u"}
)
_WESTERN = re.compile(r"cp125\d|iso8859-\d+")


def decode_text(data: bytes, language: str | None = None) -> str:
    """Decode text: BOM, UTF-8, UTF-16 by its zeros, then East Asian encodings by plausibility.

    Args:
        data: the whole file.
        language: `ja` or `zh` if known; the encodings of both read each other's bytes.

    Raises:
        UnicodeDecodeError: no encoding fits.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding)
    if any(escape in data for escape in _ISO_2022_JP) and data.isascii():
        return data.decode("iso2022_jp_ext")
    try:
        if b"\0" not in data:
            return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if (wide := _utf16(data)) is not None:
        return wide
    if (nearly := _nearly_utf8(data)) is not None:
        return nearly
    best = max(_plausible(data, language), default=(0.0, ""))
    return best[1] if best[0] >= _LEAST_EAST_ASIAN_SCORE else data.decode("cp1252")


def decode_as(data: bytes, declared: str | None, language: str | None = None) -> str:
    """Decode by the declared encoding where it is a known one and fits, else as `decode_text`.

    Raises:
        UnicodeDecodeError: no encoding fits.
    """
    encoding = _encoding(declared or "")
    if encoding == "cp1252" or encoding is None:  # declared by habit, whatever the text is
        return decode_text(data, language)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return decode_text(data, language)


def looks_like_text(sample: bytes) -> bool:
    """True where the beginning of a file reads as text in some encoding."""
    # A sample may end inside a character.
    for drop in range(4):
        try:
            text = decode_text(sample[: len(sample) - drop])
        except UnicodeDecodeError:
            continue
        controls = len(_CONTROL.findall(text.removeprefix("\ufeff")))
        return bool(text.strip()) and controls <= _MAX_CONTROL_RATIO * len(text)
    return False


def clean(text: str) -> str:
    """Take out control characters; make ligatures and full-width letters and digits plain."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_WINDOWS)
    text = _CONTROL.sub("", text)
    plain = _COMPATIBLE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return unicodedata.normalize("NFC", plain)


def _encoding(label: str) -> str | None:
    """Return the codec that browsers use for a label; codecs that are no text have none."""
    try:
        name = codecs.lookup(label.strip().strip("'\"").lower().removeprefix("x-")).name
    except (LookupError, ValueError):
        return None
    name = _DECLARED.get(name, name)
    return name if name in _SAME or _WESTERN.fullmatch(name) else None


def _utf16(data: bytes) -> str | None:
    """Without a BOM: every other byte of Latin text is zero, or line ends show the order."""
    sample = data[:4096]
    if len(data) % 2 or b"\0" not in sample:
        return None
    little, big = sample[1::2].count(0), sample[0::2].count(0)
    try:
        return data.decode("utf-16-le" if little >= big else "utf-16-be")
    except UnicodeDecodeError:
        return None


def _nearly_utf8(data: bytes) -> str | None:
    """Return UTF-8 text in which a byte here and there is broken; no other encoding looks so."""
    text = data.decode("utf-8", "replace")
    foreign = sum(char > "\x7f" for char in text[:_JUDGED_CHARS])
    return text if text[:_JUDGED_CHARS].count("\ufffd") * _LEAST_WHOLE < foreign else None


def _plausible(data: bytes, language: str | None) -> Iterator[tuple[float, str]]:
    for encoding, home in _EAST_ASIAN:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        yield _plausibility(text) + (_HINT_BONUS if home == language else 0.0), text


def _plausibility(text: str) -> float:
    """Return the mean likelihood, up to 1, that the characters beyond ASCII are meant."""
    foreign = [char for char in text[:_JUDGED_CHARS] if char > "\x7f"]
    return sum(map(_weight, foreign)) / len(foreign) if foreign else 0.0


def _weight(char: str) -> float:
    if "\u3041" <= char <= "\u30fe" or char in _PUNCTUATION or "\uff10" <= char <= "\uff5a":
        return 1.0
    if char in _COMMON_HAN:
        return 1.0
    if "\u4e00" <= char <= "\u9fff":
        return 0.35
    return -1.0
