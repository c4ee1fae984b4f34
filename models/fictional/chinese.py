"""Fictional values in Chinese, mostly of the mainland, some of Taiwan."""

from random import Random

from models.fictional import check_digits as numbers
from models.fictional import speech
from models.fictional.words import PLAIN, Maker, pick


def _pick(name: str, rng: Random) -> str:
    return pick("zh", name, rng)


def _person(rng: Random, spoken: bool) -> str:
    style = rng.random()
    if style < 0.08:
        return _pick("dotted", rng)
    if style < 0.2 and not spoken:
        return f"{_pick('traditional_surname', rng)}{_pick('traditional_given', rng)}"
    surname = _pick("compound" if style < 0.35 else "surname", rng)
    return surname + _pick("given_one" if rng.random() < 0.3 else "given_two", rng)


def _surname(rng: Random, spoken: bool) -> str:
    del spoken
    return _pick("compound" if rng.random() < 0.15 else "surname", rng)


def _said(value: int, *, spoken: bool) -> str:
    return speech.han_number(value) if spoken else str(value)


def _address(rng: Random, spoken: bool) -> str:
    if not spoken and rng.random() < 0.15:
        return _taiwanese(rng)
    as_words = spoken and rng.random() < 0.6
    city = rng.choice(
        (
            _pick("province", rng) + _pick("city", rng),
            _pick("municipality", rng),
            _pick("city", rng),
            "",
        )
    )
    house = f"{_said(rng.randrange(1, 900), spoken=as_words)}号"
    place = f"{city}{_pick('district', rng)}{_pick('road', rng)}{house}"
    if rng.random() < 0.6:
        place += rng.choice(("", _pick("estate", rng)))
        place += f"{_said(rng.randrange(1, 40), spoken=as_words)}{rng.choice(('号楼', '栋', '幢'))}"
        place += rng.choice(("", f"{_said(rng.randrange(1, 6), spoken=as_words)}单元"))
        room = str(rng.randrange(101, 2909))
        place += f"{speech.han(room) if as_words else room}{rng.choice(('室', '', '号'))}"
    return place


def _taiwanese(rng: Random) -> str:
    section = rng.choice(("", f"{rng.choice('一二三四')}段"))
    floor = rng.choice(
        ("", f"{rng.randrange(2, 15)}樓", f"{rng.randrange(2, 15)}樓之{rng.randrange(1, 5)}")
    )
    city = f"{_pick('taiwan_city', rng)}{_pick('taiwan_district', rng)}"
    return f"{city}{_pick('taiwan_road', rng)}{section}{rng.randrange(1, 300)}號{floor}"


def _phone(rng: Random, spoken: bool) -> str:
    style = rng.random()
    if style < 0.7:
        number = f"{rng.choice(('154', '174', '164'))}{numbers.digits(rng, 8)}"
        written = rng.choice(
            (number, numbers.grouped(number, (3, 4), "-"), numbers.grouped(number, (3, 4), " "))
        )
    else:
        number = written = f"0{rng.choice(('10', '21', '571', '755'))}-0{numbers.digits(rng, 7)}"
    if spoken:
        return speech.mandarin(number, rng)
    return numbers.wide(written) if rng.random() < 0.15 else written


def _email(rng: Random, spoken: bool) -> str:
    local = rng.choice(
        (
            _pick("pinyin", rng),
            f"{_pick('pinyin', rng)}{rng.randrange(10, 99)}",
            f"{_pick('pinyin', rng)}.{_pick('pinyin', rng)}",
        )
    )
    domain = _pick("domain", rng)
    style = rng.random()
    if spoken and style < 0.4:
        return f"{local}艾特{domain}".replace(".", "点")
    if spoken and style < 0.55:
        return f"{local} 艾特 {domain}".replace(".", " 点 ")
    if spoken and style < 0.7:
        return f"{local} at {domain}".replace(".", " dot ")
    if style < 0.1:
        return f"{local}(at){domain}"
    return f"{local}＠{domain}" if style < 0.2 else f"{local}@{domain}"


def _resident(rng: Random, spoken: bool) -> str:
    number = numbers.resident_id(rng, numbers.birth(rng))
    if spoken:
        return speech.mandarin(number, rng)
    style = rng.random()
    if style < 0.2:
        return numbers.grouped(number, (6, 8), " ")
    return numbers.wide(number) if style < 0.35 else number


def _passport(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        ("E" + numbers.digits(rng, 8), f"E{rng.choice('ABCDE')}{numbers.digits(rng, 7)}")
    )
    return speech.mandarin(number, rng) if spoken else number


def _licence(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (numbers.digits(rng, 12, "3"), numbers.resident_id(rng, numbers.birth(rng)))
    )
    return speech.mandarin(number, rng) if spoken else number


def _account(rng: Random, spoken: bool) -> str:
    number = numbers.digits(rng, 19, "62")
    if spoken:
        return speech.mandarin(number, rng)
    return numbers.grouped(number, (4, 4, 4, 4), rng.choice(("", "", " ")))


def _card(rng: Random, spoken: bool) -> str:
    number = numbers.card(rng)
    if spoken:
        return speech.mandarin(number, rng)
    written = numbers.grouped(number, (4, 4, 4), rng.choice(("", " ", "-")))
    return numbers.wide(written) if rng.random() < 0.3 else written


def _born(rng: Random, spoken: bool) -> str:
    year, month, day = numbers.birth(rng)
    if spoken and rng.random() < 0.7:
        last = rng.choice("日号")
        return (
            f"{speech.han(str(year))}年{speech.han_number(month)}月{speech.han_number(day)}{last}"
        )
    return rng.choice(
        (
            f"{year}年{month}月{day}日",
            f"{year}-{month:02d}-{day:02d}",
            f"{year}.{month}.{day}",
            f"{year}年{month}月",
        )
    )


def _plate(rng: Random, spoken: bool) -> str:
    city = rng.choice("ABCDE")
    last = rng.choice(
        (
            numbers.digits(rng, 5),
            f"{rng.choice('KLMNP')}{numbers.digits(rng, 4)}",
            f"D{numbers.digits(rng, 5)}",
        )
    )
    mark = rng.choice(("", "·", "")) if not spoken else ""
    return f"{_pick('plate', rng)}{city}{mark}" + (speech.mandarin(last, rng) if spoken else last)


def _user(rng: Random, spoken: bool) -> str:
    name = _pick("handle", rng)
    return name.replace("_", "下划线") if spoken and rng.random() < 0.3 else name


def _machine(rng: Random, spoken: bool) -> str:
    address = numbers.address_of_a_machine(rng, six=not spoken and rng.random() < 0.15)
    return (
        "点".join(speech.han(part) for part in address.split("."))
        if spoken and rng.random() < 0.4
        else address
    )


def _id(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (
            numbers.digits(rng, 6),
            numbers.digits(rng, 10),
            f"{_pick('letters', rng)}{numbers.digits(rng, 6)}",
        )
    )
    return speech.mandarin(number, rng) if spoken else number


def _zip(rng: Random, spoken: bool) -> str:
    code = numbers.digits(rng, 6)
    return speech.mandarin(code, rng) if spoken else code


def _age(rng: Random, spoken: bool) -> str:
    age = rng.randrange(18, 96)
    return speech.han_number(age) if spoken and rng.random() < 0.6 else str(age)


MAKERS: dict[str, Maker] = {
    **PLAIN,
    "PERSON": _person,
    "SURNAME": _surname,
    "ADDRESS": _address,
    "PHONE_NUMBER": _phone,
    "EMAIL_ADDRESS": _email,
    "CN_ID_CARD": _resident,
    "PASSPORT": _passport,
    "DRIVER_LICENSE": _licence,
    "BANK_ACCOUNT": _account,
    "CREDIT_CARD": _card,
    "DATE_OF_BIRTH": _born,
    "LICENSE_PLATE": _plate,
    "USERNAME": _user,
    "IP_ADDRESS": _machine,
    "ID_NUMBER": _id,
    "ZIP_CODE": _zip,
    "AGE": _age,
    "BANK": lambda rng, _: _pick("bank", rng),
    "TIME": lambda rng, _: f"{rng.randrange(7, 20)}点{rng.randrange(5, 60, 5)}分",
    "DATE": lambda rng, _: f"{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
    "MONEY": lambda rng, _: f"{rng.randrange(2, 900)}万{rng.randrange(1, 9)}千元",
    "PERCENT": lambda rng, _: f"{rng.randrange(1, 60)}",
}
"""How a value of each slot is made, from a generator and whether it is spoken."""
