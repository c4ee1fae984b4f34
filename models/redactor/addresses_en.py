"""Addresses in Latin script that no single pattern describes.

Streets are told by words of many countries (`Via`, `Rue`, `-strasse`, `-vej`, `Road`) beside a
number, or by a flat or box number; what belongs to the address around them is found word by word.
"""

import re
from collections.abc import Iterator

from models.redactor.types import Found

_CAPITAL = "A-ZÀ-ÖØ-ÞĀ-ȳΑ-ΩА-Я"
_LETTER = r"[^\W\d_]"
_NUMBER = r"\d{1,6}[A-Za-z]?(?:[-/]\d{1,4})?"
_UNIT = (
    r"\b(?:apt|apartment|suite|ste|unit|flat|p\.?\s?o\.?\s?box|postbox|postboks|box|psc)\b"
    r"\.?\s*#?\s*(?:[A-Z]?\d{1,6}[A-Z]?|[A-Z]\b)"
)
_BEFORE = (
    "via|viale|piazza|piazzetta|corso|largo|rue|avenue|boulevard|place|quai|chemin|calle|avenida|"
    r"plaza|paseo|carrer|c/|rua|travessa|praça|ul\.|ulica|aleja|al\.|trg|ulitsa|nám\.|náměstí|"
    "rua|str\\.|strada|calea|bulevar|avda|alameda|ronda|via"
)
_ENDINGS = (
    "strasse|straße|str|gasse|weg|platz|allee|ring|ufer|damm|vej|vejen|gade|gaden|vei|veien|gata|"
    "gate|gatan|vägen|väg|backe|torg|torget|katu|tie|kuja|polku|straat|laan|plein|dijk|kade|steeg|"
    "utca|körút|ulica|ova|ska|stræde|allé|allén|stien|stigen|bakken|haugen"
)
_WORDS = (
    "street|road|avenue|drive|lane|boulevard|court|place|way|terrace|square|highway|parkway|circle|"
    r"crescent|close|grove|turnpike|bridge|trail|mews|gardens|quay|st|rd|ave|dr|ln|blvd|ct|u|út|tér|"
    "gate|vei|vej|väg|gata"
)
_NAME = rf"[{_CAPITAL}]{_LETTER}*(?:['’.-]{_LETTER}+)*"
_STREET = re.compile(
    rf"\b(?:(?i:{_BEFORE})\s+(?:{_LETTER}+['’.]?\s*){{1,5}}?{_NUMBER}"
    rf"|{_LETTER}{{2,}}(?:{_ENDINGS})\s+{_NUMBER}"
    rf"|{_NUMBER}\s+(?:{_NAME}\s+){{1,4}}(?i:{_WORDS})\b\.?(?:\s+\d{{1,4}}\b\.?)?"
    rf"|(?:{_NAME}\s+){{1,3}}(?i:{_WORDS})\b\.?\s+{_NUMBER}"
    rf"|{_NUMBER}\s+(?i:{_BEFORE})\s+(?:{_LETTER}+['’.]?\s*){{1,4}}"
    rf"|(?i:the corner of)\s+[^?!\n]{{3,60}}?\band\s+{_NAME}(?:\s+{_NAME})*"
    rf"|(?i:{_UNIT}))"
)
_SMALL = "de|del|della|dell|di|da|do|dos|das|la|le|les|of|the|van|der|den|am|im|an|na|pod|nad|y|e|u"
_NEXT = re.compile(
    rf"(?P<gap>[ \t,>]*\n?[ \t,>]*|\s*\n\s*(?={_NAME} \d{{4,6}}\b))"
    rf"(?P<word>(?i:{_UNIT})\.?|[{_CAPITAL}]{_LETTER}*(?:['’.-]{_LETTER}+)*|(?:{_SMALL})\b"
    rf"|d['’]{_LETTER}+|\d{{2,6}}(?:[ -]\d{{2,4}})?(?![\d:/@]|\s?\d)|\((?:{_LETTER}|\s)+\))"
)
_LEFT = re.compile(rf"(?:{_NUMBER}|{_NAME})$")
_LABEL = re.compile(rf"{_LETTER}[\w -]{{0,20}}:")
_MAX_EXTENT = 90


def find_addresses(text: str) -> Iterator[Found]:
    """Yield addresses of a normalized text."""
    for match in _STREET.finditer(text):
        start = _extend_left(text, match.start())
        end = _extend_right(text, match.end())
        if any(c.isdigit() for c in text[start:end]) or "corner" in match[0].lower():
            yield Found(start, end, "ADDRESS", 0.75, "address_words")


def _extend_right(text: str, end: int) -> int:
    """Follow house, flat, town, country and postal code as long as such words come."""
    limit = end + _MAX_EXTENT
    while end < limit and (match := _NEXT.match(text, end)):
        if "\n" in match["gap"] and _LABEL.match(text, match.start("word")):
            break
        end = match.end()
        if re.fullmatch(r"\d{4,6}", match["word"]):
            break
    return end


def _extend_left(text: str, start: int) -> int:
    """Take in a number, with the names after it, that stands directly before."""
    best = position = start
    for _ in range(6):
        head = text[:position].rstrip(" \t,>")
        if head.endswith("\n") and not head.endswith("\n\n"):
            head = head.rstrip(" \t,>\n")
        match = _LEFT.search(head, max(0, len(head) - 40))
        if not match or (match.start() and (head[match.start() - 1].isalnum())):
            break
        position = match.start()
        if match[0][0].isdigit() and len(match[0]) <= 6:
            best = position
    return best
