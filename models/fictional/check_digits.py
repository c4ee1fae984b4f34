"""Numbers with right check digits that belong to nobody.

Where a range is set aside for fiction or documentation (555-01xx, 07700 900xxx, example.com,
192.0.2.0/24, 2001:db8::/32), the values come from it; the other numbers are random.
"""

from random import Random


def digits(rng: Random, count: int, first: str = "") -> str:
    """Return `count` random digits that begin with `first`."""
    return first + "".join(str(rng.randrange(10)) for _ in range(count - len(first)))


def card(rng: Random) -> str:
    """Return the digits of a payment card (15 or 16) that end in their Luhn digit."""
    first = rng.choice(("4", "51", "53", "55", "34", "37", "6011", "3528"))
    body = digits(rng, 14 if first in {"34", "37"} else 15, first)
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value // 10 + value % 10
    return body + str(-total % 10)


def iban(rng: Random) -> str:
    """Return an international bank account number with its two check digits (ISO 13616)."""
    country, letters, count = rng.choice((("GB", "NWBK", 14), ("DE", "", 18), ("NL", "ABNA", 10)))
    body = letters + digits(rng, count)
    as_number = "".join(str(int(char, 36)) for char in body + country + "00")
    return f"{country}{98 - int(as_number) % 97:02d}{body}"


def routing(rng: Random) -> str:
    """Return a routing number of a US bank: nine digits whose weighted sum is a multiple of ten."""
    body = [int(char) for char in digits(rng, 8, "0")]
    total = sum(
        weight * digit for weight, digit in zip((3, 7, 1, 3, 7, 1, 3, 7), body, strict=True)
    )
    return "".join(map(str, body)) + str(-total % 10)


def my_number(rng: Random) -> str:
    """Return the twelve digits of a Japanese individual number with their check digit."""
    body = digits(rng, 11)
    total = 0
    for place, digit in enumerate(reversed(body), start=1):
        total += int(digit) * (place + 1 if place <= 6 else place - 5)
    rest = total % 11
    return body + str(0 if rest < 2 else 11 - rest)


def resident_id(rng: Random, born: tuple[int, int, int]) -> str:
    """Return a Chinese resident identity number (GB 11643) of a county that does not exist."""
    county = f"{rng.choice(('11', '32', '44', '51'))}{rng.randrange(1, 20):02d}9{rng.randrange(10)}"
    body = county + "{:04d}{:02d}{:02d}".format(*born) + digits(rng, 3)
    total = sum(pow(2, 17 - place, 11) * int(digit) for place, digit in enumerate(body))
    rest = (12 - total % 11) % 11
    return body + ("X" if rest == 10 else str(rest))


def social_security(rng: Random) -> str:
    """Return nine digits in the form of a US social security number, no part of it all zeros."""
    area = rng.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03d}{rng.randrange(1, 100):02d}{rng.randrange(1, 10000):04d}"


def address_of_a_machine(rng: Random, *, six: bool) -> str:
    """Return an IP address of the documentation ranges."""
    if six:
        return f"2001:db8:{rng.randrange(65536):x}:{rng.randrange(65536):x}::{rng.randrange(256):x}"
    net = rng.choice(("192.0.2", "198.51.100", "203.0.113"))
    return f"{net}.{rng.randrange(1, 255)}"


def birth(rng: Random) -> tuple[int, int, int]:
    """Return year, month and day of a birth."""
    return rng.randrange(1938, 2012), rng.randrange(1, 13), rng.randrange(1, 29)


def grouped(number: str, sizes: tuple[int, ...], mark: str) -> str:
    """Return the digits in groups of these sizes with a mark between them."""
    parts, start = [], 0
    for size in sizes:
        parts.append(number[start : start + size])
        start += size
    return mark.join(part for part in [*parts, number[start:]] if part)


def wide(text: str) -> str:
    """Return the text with full-width digits."""
    return text.translate({ord(str(n)): chr(0xFF10 + n) for n in range(10)})
