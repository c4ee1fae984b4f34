"""Fictional values in English."""

from random import Random

from models.fictional import check_digits as numbers
from models.fictional import speech
from models.fictional.words import PLAIN, Maker, pick


def _pick(name: str, rng: Random) -> str:
    return pick("en", name, rng)


def _case(text: str, rng: Random, *, spoken: bool) -> str:
    """Return what is spoken mostly without capitals, as most recognizers without a model do."""
    return text.lower() if spoken and rng.random() < 0.5 else text


def _given(rng: Random, spoken: bool) -> str:
    return _case(_pick("given", rng), rng, spoken=spoken)


def _surname(rng: Random, spoken: bool) -> str:
    return _case(_pick("surname", rng), rng, spoken=spoken)


def _person(rng: Random, spoken: bool) -> str:
    surname = _pick("surname", rng)
    style = rng.random()
    if style < 0.1:
        surname = f"{surname}-{_pick('surname', rng)}"
    elif style < 0.2 and not spoken:
        surname = f"{rng.choice('ABCDEJKLMRST')}. {surname}"
    return _case(f"{_pick('given', rng)} {surname}", rng, spoken=spoken)


def _address(rng: Random, spoken: bool) -> str:
    house = rng.randrange(2, 9800)
    street = f"{_pick('street', rng)} {_pick('kind', rng)}"
    town = _pick("town", rng)
    if spoken:
        unit = rng.choice(("", "", " apartment three b", " unit twelve", " flat two"))
        said = f"{speech.english_number(house)} {street}{unit} {town} {_pick('state_name', rng)}"
        return said.lower()
    style = rng.random()
    unit = rng.choice(
        ("", "", f", Apt {rng.randrange(1, 40)}B", f", Suite {rng.randrange(1, 900)}")
    )
    if style < 0.4:
        return f"{house} {street}{unit}, {town}, {_pick('state', rng)}"
    if style < 0.6:
        return f"{house} {_pick('street', rng)} {_pick('kind_short', rng)}{unit}, {town}"
    if style < 0.8:
        return f"{house % 200 + 1} {street}, {town}"
    return f"Flat {rng.randrange(1, 30)}, {house % 300 + 1} {street}, {town}"


def _phone(rng: Random, spoken: bool) -> str:
    if rng.random() < 0.25:
        number = numbers.digits(rng, 11, "07700900")
        written = rng.choice(
            (numbers.grouped(number, (5, 3), " "), number, f"+44 {number[1:5]} {number[5:]}")
        )
    else:
        number = f"{rng.randrange(201, 989)}55501{rng.randrange(100):02d}"
        area, middle, last = number[:3], number[3:6], number[6:]
        written = rng.choice(
            (
                f"{area}-{middle}-{last}",
                f"({area}) {middle}-{last}",
                f"{area}.{middle}.{last}",
                f"+1 {area} {middle} {last}",
                f"1-{area}-{middle}-{last}",
            )
        )
    return speech.english(number, rng) if spoken and rng.random() < 0.7 else written


def _email(rng: Random, spoken: bool) -> str:
    name, last = _pick("given", rng).lower(), _pick("surname", rng).lower().replace("'", "")
    local = rng.choice(
        (f"{name}.{last}", f"{name[0]}{last}", f"{name}_{last}", f"{last}{rng.randrange(10, 99)}")
    )
    domain = _pick("domain", rng)
    style = rng.random()
    if spoken and style < 0.6:
        return speech.english_address(f"{local}@{domain}")
    if spoken and style < 0.75:
        return f"{local} at {domain}"
    if style < 0.1:
        return f"{local} (at) {domain.replace('.', ' (dot) ')}"
    if style < 0.15:
        return f"{local}[at]{domain.replace('.', '[dot]')}"
    return f"{local}@{domain}"


def _ssn(rng: Random, spoken: bool) -> str:
    number = numbers.social_security(rng)
    if spoken and rng.random() < 0.7:
        return speech.english(number, rng)
    return numbers.grouped(number, (3, 2), rng.choice(("-", "-", " ")))


def _said_or_written(number: str, rng: Random, *, spoken: bool) -> str:
    return speech.english(number, rng) if spoken and rng.random() < 0.6 else number


def _passport(rng: Random, spoken: bool) -> str:
    number = rng.choice((numbers.digits(rng, 9, "5"), rng.choice("ACEX") + numbers.digits(rng, 8)))
    return _said_or_written(number, rng, spoken=spoken)


def _licence(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (
            rng.choice("BDFNY") + numbers.digits(rng, 7),
            numbers.digits(rng, 8, "1"),
            rng.choice("FHMW") + numbers.digits(rng, 12),
            _pick("surname", rng)[:5].upper().replace("'", "9").ljust(5, "9")
            + f"{numbers.digits(rng, 6)}{rng.choice('AJMT')}{rng.choice('9ADE')}"
            + f"{rng.randrange(10)}{rng.choice('ABWXY')}{rng.choice('CKLM')}",
        )
    )
    return _said_or_written(number, rng, spoken=spoken)


def _account(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (
            numbers.digits(rng, 8),
            numbers.digits(rng, 10),
            numbers.digits(rng, 12),
            numbers.routing(rng),
        )
    )
    return _said_or_written(number, rng, spoken=spoken)


def _card(rng: Random, spoken: bool) -> str:
    number = numbers.card(rng)
    sizes = (4, 6) if len(number) == 15 else (4, 4, 4)
    if spoken and rng.random() < 0.5:
        return speech.english(number, rng)
    return numbers.grouped(number, sizes, rng.choice((" ", "-", "")))


def _born(rng: Random, spoken: bool) -> str:
    year, month, day = numbers.birth(rng)
    name = _pick("month", rng)
    if spoken and rng.random() < 0.7:
        said = rng.choice(
            (
                f"{name} {speech.english_ordinal(day)}",
                f"the {speech.english_ordinal(day)} of {name}",
            )
        )
        return f"{said} {speech.english_number(year)}".lower()
    return rng.choice(
        (
            f"{name} {day}, {year}",
            f"{day} {name} {year}",
            f"{month}/{day}/{year}",
            f"{year}-{month:02d}-{day:02d}",
            f"{name[:3]} {day}, {year}",
            f"{day:02d}.{month:02d}.{year}",
        )
    )


def _plate(rng: Random, spoken: bool) -> str:
    def letters(count: int) -> str:
        return "".join(rng.choice("ABCDEFGHJKLMNPRSTVWXYZ") for _ in range(count))

    plate = rng.choice(
        (
            f"{rng.randrange(1, 9)}{letters(3)}{numbers.digits(rng, 3)}",
            f"{letters(3)}-{numbers.digits(rng, 4)}",
            f"{letters(2)}{numbers.digits(rng, 2)} {letters(3)}",
            f"{letters(3)} {numbers.digits(rng, 3)}",
        )
    )
    return _said_or_written(plate, rng, spoken=spoken)


def _user(rng: Random, spoken: bool) -> str:
    word = _pick("handle", rng)
    name = rng.choice(
        (
            f"{word}{rng.randrange(10, 99)}",
            f"{word}_{_pick('handle', rng)}",
            f"{word}.{_pick('handle', rng)}",
            f"{word}-{rng.randrange(100, 999)}",
            f"{_pick('given', rng).lower()}_{word}",
        )
    )
    return speech.english_address(name) if spoken and rng.random() < 0.6 else name


def _iban(rng: Random, spoken: bool) -> str:
    number = numbers.iban(rng)
    if spoken and rng.random() < 0.6:
        return speech.english(number, rng)
    return rng.choice((number, numbers.grouped(number, (4,) * 8, " ")))


def _machine(rng: Random, spoken: bool) -> str:
    address = numbers.address_of_a_machine(rng, six=not spoken and rng.random() < 0.2)
    if spoken and rng.random() < 0.6:
        return " dot ".join(speech.english(part, rng) for part in address.split("."))
    return address


def _id(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (
            numbers.digits(rng, 6),
            f"{_pick('prefix', rng)}{numbers.digits(rng, 6)}",
            f"{_pick('prefix', rng)}-{numbers.digits(rng, 5)}",
            numbers.grouped(numbers.digits(rng, 8), (3,), "-"),
        )
    )
    return _said_or_written(number, rng, spoken=spoken)


def _zip(rng: Random, spoken: bool) -> str:
    code = rng.choice(
        (numbers.digits(rng, 5, "0"), numbers.digits(rng, 5, "7"), "OX4 9ZZ", "QX1 1AA")
    )
    return _said_or_written(code, rng, spoken=spoken)


def _age(rng: Random, spoken: bool) -> str:
    age = rng.randrange(18, 96)
    return speech.english_number(age) if spoken and rng.random() < 0.6 else str(age)


MAKERS: dict[str, Maker] = {
    **PLAIN,
    "PERSON": _person,
    "GIVEN": _given,
    "SURNAME": _surname,
    "ADDRESS": _address,
    "PHONE_NUMBER": _phone,
    "EMAIL_ADDRESS": _email,
    "US_SSN": _ssn,
    "PASSPORT": _passport,
    "DRIVER_LICENSE": _licence,
    "BANK_ACCOUNT": _account,
    "CREDIT_CARD": _card,
    "DATE_OF_BIRTH": _born,
    "LICENSE_PLATE": _plate,
    "USERNAME": _user,
    "IBAN_CODE": _iban,
    "IP_ADDRESS": _machine,
    "ID_NUMBER": _id,
    "ZIP_CODE": _zip,
    "AGE": _age,
    "TIME": lambda rng, _: f"{rng.randrange(7, 20)}:{rng.randrange(0, 60, 5):02d}",
    "DATE": lambda rng, _: f"{_pick('month', rng)} {rng.randrange(1, 29)}",
    "MONEY": lambda rng, _: f"${rng.randrange(2, 990)},{rng.randrange(100, 999)}",
    "PERCENT": lambda rng, _: f"{rng.randrange(1, 60)}.{rng.randrange(1, 9)}",
}
"""How a value of each slot is made, from a generator and whether it is spoken."""
