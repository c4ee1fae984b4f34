"""Check digits of identifiers. Each function takes the text as matched, separators included."""

import ipaddress
import re
from collections.abc import Callable

_CN_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_MY_NUMBER_WEIGHTS = (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
_TW_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
_CARD_PREFIX = re.compile(
    r"4|5[0-9]|2[2-7]|2131|1800|3[0456789]|6[0-9]"  # Visa, Mastercard, JCB, Amex, UnionPay, ...
)
_YEAR_FIRST = re.compile(
    r"(?:19|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?!\d)"
)
_YEAR_LAST = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|[12]\d)[-./ ](?:19|20)\d\d(?!\d)"
)


def digits_of(text: str) -> str:
    """Return the ASCII digits of a text."""
    return re.sub(r"[^0-9]", "", text)


def luhn(text: str) -> bool:
    """Check the Luhn digit of a card number."""
    digits = [int(c) for c in digits_of(text)][::-1]
    doubled = (d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(digits))
    return len(digits) > 1 and sum(doubled) % 10 == 0 and len(set(digits)) > 1


def card(text: str) -> bool:
    """Check a payment card: length, the issuer's first digits and Luhn."""
    digits = digits_of(text)
    return 12 <= len(digits) <= 19 and bool(_CARD_PREFIX.match(digits)) and luhn(digits)


def my_number(text: str) -> bool:
    """Check the last digit of a Japanese individual number (12 digits).

    Source: Ordinance of the Ministry of Internal Affairs and Communications 85 of 2014, article 5.
    """
    digits = [int(c) for c in digits_of(text)]
    if len(digits) != 12 or len(set(digits)) == 1:
        return False
    remainder = sum(w * d for w, d in zip(_MY_NUMBER_WEIGHTS, digits, strict=False)) % 11
    return digits[11] == (0 if remainder <= 1 else 11 - remainder)


def cn_id_card(text: str) -> bool:
    """Check the last character of a Chinese resident identity number (GB 11643, 18 characters)."""
    value = re.sub(r"[^0-9Xx]", "", text).upper()
    if not re.fullmatch(r"\d{17}[\dX]", value):
        return False
    total = sum(w * int(d) for w, d in zip(_CN_WEIGHTS, value, strict=False))
    return "10X98765432"[total % 11] == value[17]


def tw_id(text: str) -> bool:
    """Check the last digit of a Taiwanese identity number (letter and nine digits)."""
    value = text.strip().upper()
    if not re.fullmatch(r"[A-Z][1289]\d{8}", value):
        return False
    first = _TW_LETTERS.index(value[0]) + 10
    total = first // 10 + first % 10 * 9
    total += sum(int(d) * w for d, w in zip(value[1:9], range(8, 0, -1), strict=True))
    return (total + int(value[9])) % 10 == 0


def iban(text: str) -> bool:
    """Check an international bank account number (ISO 13616, modulo 97)."""
    value = re.sub(r"[^0-9A-Za-z]", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[0-9A-Z]{10,30}", value):
        return False
    return int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1


def ssn(text: str) -> bool:
    """Check that a US social security number has an area, a group and a serial that exist."""
    digits = digits_of(text)
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    in_use = area not in {"000", "666"} and area < "900"
    return len(digits) == 9 and in_use and group != "00" and serial != "0000"


def ip_address(text: str) -> bool:
    """Check an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def phone(text: str) -> bool:
    """Check that a number is no date, no single repeated digit, and has 6 to 15 digits."""
    digits = digits_of(text)
    if not 6 <= len(digits) <= 15 or len(set(digits)) == 1:
        return False
    return not (_YEAR_FIRST.search(text) or _YEAR_LAST.search(text))


def long_phone(text: str) -> bool:
    """Check a number that only its context makes a phone number: 7 digits or more."""
    return len(digits_of(text)) >= 7 and phone(text)


def jp_phone(text: str) -> bool:
    """Check the length of a Japanese number: a zero and nine digits, or ten."""
    digits = digits_of(text)
    return len(digits) in {10, 11} and digits[0] == "0" and digits[1] != "0" and phone(text)


def plate_digits(text: str) -> bool:
    """Check that a Japanese licence plate has two or three digits, a kana and up to four digits."""
    return bool(re.search(r"\d{2,3}\s?[ぁ-ん]\D{0,4}\d{2}-?\d{2}$", text))


def ipv6(text: str) -> bool:
    """Check an IPv6 address that cannot be a clock time."""
    return ip_address(text) and (text.count(":") > 3 or "::" in text) and text != "::"


def has_digit(text: str) -> bool:
    """Check that there is a digit at all."""
    return any("0" <= c <= "9" for c in text)


CHECKS: dict[str, Callable[[str], bool]] = {
    "card": card,
    "cn_id_card": cn_id_card,
    "has_digit": has_digit,
    "iban": iban,
    "ip_address": ip_address,
    "ipv6": ipv6,
    "jp_phone": jp_phone,
    "long_phone": long_phone,
    "luhn": luhn,
    "my_number": my_number,
    "phone": phone,
    "plate_digits": plate_digits,
    "ssn": ssn,
    "tw_id": tw_id,
}
"""The checks that a pattern file can name."""
