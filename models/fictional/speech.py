"""How numbers, letters and signs are said, as a recognizer that writes words has them."""

from random import Random

_ENGLISH = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_ENGLISH += " fifteen sixteen seventeen eighteen nineteen"
_SMALL = _ENGLISH.split()
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_HAN = "零一二三四五六七八九"
_KANA = ["ゼロ", "イチ", "ニー", "サン", "ヨン", "ゴー", "ロク", "ナナ", "ハチ", "キュウ"]
_SIGNS = {".": "dot", "_": "underscore", "-": "dash", "@": "at", ":": "colon", "/": "slash"}
_ORDINALS = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth"}
_ORDINALS |= {12: "twelfth", 20: "twentieth"}


def english(text: str, rng: Random) -> str:
    """Return a number or name of letters and digits, one by one; hyphens between are silent."""
    zero = rng.choice(("zero", "oh"))
    doubling = rng.random() < 0.3
    words: list[str] = []
    place = 0
    while place < len(text):
        char = text[place]
        word = zero if char == "0" else _SMALL[int(char)] if char.isdigit() else char.lower()
        if doubling and char.isdigit() and text[place : place + 2] == char * 2:
            words += ["double", word]
            place += 1
        elif char.isalnum():
            words.append(word)
        place += 1
    return " ".join(words)


def english_number(value: int) -> str:
    """Return a number below ten thousand as people say years and house numbers: in pairs."""
    if value < 20:
        return _SMALL[value]
    if value < 100:
        return " ".join(part for part in (_TENS[value // 10], _SMALL[value % 10]) if part != "zero")
    if value < 1000:
        rest = value % 100
        last = f"oh {_SMALL[rest]}" if rest < 10 else english_number(rest)
        return f"{_SMALL[value // 100]} {last if rest else 'hundred'}"
    first, rest = divmod(value, 100)
    if first == 20 and rest < 10:
        return " ".join(part for part in ("two thousand", _SMALL[rest]) if part != "zero")
    last = f"oh {_SMALL[rest]}" if rest < 10 else english_number(rest)
    return f"{english_number(first)} {last if rest else 'hundred'}"


def english_ordinal(value: int) -> str:
    """Return the ordinal of a day of the month."""
    if value in _ORDINALS:
        return _ORDINALS[value]
    if value < 20:
        return _SMALL[value] + "th"
    if value % 10 == 0:
        return _TENS[value // 10][:-1] + "ieth"
    return f"{_TENS[value // 10]} {english_ordinal(value % 10)}"


def english_address(address: str) -> str:
    """Return an e-mail address or a user name with its signs said."""
    said = "".join(f" {_SIGNS[char]} " if char in _SIGNS else char for char in address)
    return " ".join("".join(f" {c} " if c.isdigit() else c for c in said).split())


def han(text: str, *, one: str = "一", zero: str = "零") -> str:
    """Return the digits of a text in Chinese characters, the rest as it is."""
    said = text.translate({ord(str(n)): char for n, char in enumerate(_HAN)})
    return said.replace("一", one).replace("零", zero)


def han_number(value: int) -> str:
    """Return a number below ten thousand in Chinese characters, as 四百二十七."""
    out = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        count = value // unit % 10
        if count:
            out += ("" if count == 1 and unit in {10, 100, 1000} else _HAN[count]) + name
    return out or "零"


def kana(text: str) -> str:
    """Return the digits of a text in katakana, the rest as it is."""
    return text.translate({ord(str(n)): word for n, word in enumerate(_KANA)})


def japanese(text: str, rng: Random) -> str:
    """Return digits in kanji, in katakana or as they are; a hyphen between them is の."""
    style = rng.random()
    if style < 0.4:
        return han(text, zero="〇").replace("-", "の")
    if style < 0.6:
        return kana(text).replace("-", rng.choice(("の", "、")))
    return text


def mandarin(text: str, rng: Random) -> str:
    """Return digits in Chinese characters, with 幺 for one by some, or as they are."""
    style = rng.random()
    if style < 0.6:
        return han(text.replace("-", ""), one="幺" if style < 0.2 else "一")
    return text.replace("-", "")
