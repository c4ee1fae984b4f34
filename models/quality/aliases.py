"""Other ways to write a name: in kana, in Latin letters, in traditional characters, spelled."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from models import kana, pinyin
from models.documents import PseudonymMap
from models.redactor.leaks import Leak, find_leaks
from models.redactor.lexicon import words
from models.redactor.names_zh import split_name
from models.summarizer.variants import fold

_LEAST_LATIN_PART = 4
_LEAST_LATIN = 5
_LEAST_KANA = 4
_LONGEST_CHINESE = 4
_HAN = re.compile(r"[\u3400-\u9fff々]{2,6}")
_JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff々\s・]{2,20}")
_POLITE = ("さん", "さま", "様", "氏", "くん", "君", "ちゃん", "先生")
_EVERYDAY_SURNAMES = frozenset("高方金白黄马时周于和温江段易成项连常安平万")
_PLAIN_TITLES = frozenset({"先生", "女士", "小姐"})
_BEFORE_A_NAME = frozenset("据據由和与與跟请請让讓问問给給被是说說找")
_ONE_HAN = re.compile(r"[\u3400-\u9fff]")
_SAME_SOUND = str.maketrans("づぢヅヂ", "ずじズジ")
_EXPLAINED = re.compile(r"\b([A-Za-z])[,.]?(\s+(?:as in|for|like)\s+[A-Za-z]+)\b")
_CODE_WORDS = (
    "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike "
    "november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
)
_CODE = "|".join(_CODE_WORDS.split())
_CODED = re.compile(rf"\b(?:{_CODE})(?:[\s,.-]+(?:{_CODE})){{2,}}\b", re.IGNORECASE)


def find_aliases(text: str, aliases: PseudonymMap, language: str) -> Sequence[Leak]:
    """Find the names of `other_writings` in a text, spelled letter by letter too.

    Args:
        text: what is about to be published.
        aliases: of `other_writings`.
        language: of the source, as given there.

    Returns:
        As `find_leaks`, places in code points of the text.
    """
    if not aliases.entries:
        return ()
    leaks = find_leaks(_plain(unspelled(text), language), aliases)
    if language == "ja":
        return [leak for leak in leaks if not _within_word(text, leak.start)]
    return [leak for leak in leaks if not _within_chinese(text, leak)]


def other_writings(pseudonyms: PseudonymMap, language: str) -> PseudonymMap:
    """Return the map of persons with the ways in which their names may also be written.

    Japanese names are read by Sudachi's dictionary, Chinese ones by pypinyin's; a name has every
    reading that they know. Latin names are looked for spelled. Names of two characters whose
    pinyin is shorter than five letters (`Li Na`) raise too many false alarms and are left out.

    Args:
        pseudonyms: the raw map.
        language: of the source.

    Returns:
        Persons only; folded so that `find_aliases` finds them.
    """
    entries = []
    for entry in pseudonyms.entries:
        if entry.entity_type == "PERSON":
            forms = {form for surface in entry.surfaces for form in _forms(surface, language)}
            surfaces = tuple(sorted(_plain(form, language) for form in forms))
            entries.append(entry.model_copy(update={"surfaces": surfaces}))
    return PseudonymMap(entries=tuple(entries))


def _forms(surface: str, language: str) -> Iterator[str]:
    name = unicodedata.normalize("NFKC", surface).strip()
    if language == "ja" and _JAPANESE.fullmatch(name):
        yield from _japanese(name)
    elif _HAN.fullmatch(bare := re.sub(r"\s+", "", name)):
        yield bare
        yield from _chinese(fold(bare))
    else:
        yield name


def _japanese(name: str) -> Iterator[str]:
    if family := kana.family_name(name):
        yield from (family + title for title in words("ja_honorifics"))
    for reading in kana.joined(kana.name_readings(name)):
        first = {reading[0], *(kana.switched(reading[0]) if len(reading) > 1 else ())}
        for whole in (family + "".join(reading[1:]) for family in first):
            if len(whole) >= _LEAST_KANA:
                yield from (whole, kana.hiragana(whole))
        if len(reading[0]) > 1:
            yield from (kana.hiragana(reading[0]) + title for title in _POLITE)
            yield from (family for family in first if len(family) >= _LEAST_KANA)
            yield from (kana.hiragana(family) for family in first if len(family) >= _LEAST_KANA)
            yield reading[0]
        yield from _in_latin(reading)


def _in_latin(reading: Sequence[str]) -> Iterator[str]:
    written = [kana.latin(part) for part in reading]
    if len(reading) > 1:
        written[0] |= {form for part in kana.switched(reading[0]) for form in kana.latin(part)}
    for forms in written:
        yield from (form for form in forms if len(form) >= _LEAST_LATIN_PART)
    if len(written) > 1:
        for given in written[-1]:
            for family in written[0]:
                yield from (family + given, given + family)


def _chinese(name: str) -> Iterator[str]:
    split = split_name(name)
    family, given = split or (name[:1], name[1:])
    if len(name) <= _LONGEST_CHINESE:
        everyday = _is_everyday(family)
        titles = (t for t in words("zh_titles") if len(t) > 1 or not everyday)
        yield from (family + title for title in titles)
    for syllables in pinyin.syllables(name):
        first = "".join(syllables[: len(family)])
        rest = "".join(syllables[len(family) :])
        wholes = {first + rest, rest + first} | ({rest} if len(given) > 1 else set())
        for whole in wholes:
            yield from (form for form in pinyin.spellings(whole) if len(form) >= _LEAST_LATIN)


def _within_word(text: str, start: int) -> bool:
    """Tell whether a place lies inside Chinese characters, as 林 in 小林さん."""
    return _HAN.fullmatch(text[max(0, start - 1) : start + 1]) is not None


def _within_chinese(text: str, leak: Leak) -> bool:
    """Tell whether an everyday word with a title continues another, as 高法官 in 最高法官."""
    surface, before = fold(text[leak.start : leak.end]), text[leak.start - 1 : leak.start]
    titled = _is_everyday(surface[:1]) and surface[1:] in words("zh_titles") - _PLAIN_TITLES
    return titled and bool(_ONE_HAN.fullmatch(before)) and before not in _BEFORE_A_NAME


def _is_everyday(family: str) -> bool:
    """Tell whether a family name of one character is a word too, or in no list."""
    known = words("zh_surnames") | words("zh_compound_surnames")
    return family in _EVERYDAY_SURNAMES or family not in known


def _plain(text: str, language: str) -> str:
    """Return a text of the same length without marks on Latin letters, and simplified.

    Of kana that sound the same one stays: みづき is みずき.
    """
    bare = "".join(map(_bare, text))
    return bare.translate(_SAME_SOUND) if language == "ja" else fold(bare)


def _bare(char: str) -> str:
    if char.isascii():
        return char
    if unicodedata.combining(char) and char < "\u0370":
        return "\u200b"  # is not looked at
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() and base.isalpha() else char


def unspelled(text: str) -> str:
    """Return a text of the same length in which only the letters are left of spelled names."""
    text = _EXPLAINED.sub(lambda m: m[1] + " " * (len(m[0]) - 1), text)
    return _CODED.sub(
        lambda m: re.sub(r"[A-Za-z]+", lambda word: word[0][0].ljust(len(word[0])), m[0]), text
    )
