"""Fictional values in Japanese."""

from random import Random

from models.fictional import check_digits as numbers
from models.fictional import speech
from models.fictional.words import PLAIN, Maker, pick

_KANA_OF = {
    "com": "コム",
    "jp": "ジェーピー",
    "co": "シーオー",
    "ne": "エヌイー",
    "example": "エグザンプル",
    "mail": "メール",
}


def _pick(name: str, rng: Random) -> str:
    return pick("ja", name, rng)


def _person(rng: Random, spoken: bool) -> str:
    style = rng.random()
    if style < 0.1:
        return _pick("foreign", rng)
    if style < 0.2:
        gap = rng.choice(("", " ")) if spoken else " "
        return f"{_pick('kana_surname', rng)}{gap}{_pick('kana_given', rng)}"
    given = _pick("given" if style < 0.7 else "given_mixed" if style < 0.85 else "given_kana", rng)
    gap = rng.choice(("", "", "", " ", "\u3000")) if not spoken else ""
    return f"{_pick('surname', rng)}{gap}{given}"


def _surname(rng: Random, spoken: bool) -> str:
    return _pick("kana_surname" if spoken and rng.random() < 0.15 else "surname", rng)


def _block(rng: Random, *, spoken: bool) -> str:
    a, b, c = rng.randrange(1, 9), rng.randrange(1, 40), rng.randrange(1, 30)
    if spoken and rng.random() < 0.6:
        first, second, third = map(speech.han_number, (a, b, c))
        return rng.choice(
            (
                f"{first}丁目{second}番{third}号",
                f"{first}丁目{second}の{third}",
                f"{first}の{second}の{third}",
            )
        )
    written = rng.choice(
        (f"{a}-{b}-{c}", f"{a}丁目{b}番{c}号", f"{a}丁目{b}-{c}", f"{b}番地{c}", f"{b * 20}番地")
    )
    return numbers.wide(written) if not spoken and rng.random() < 0.3 else written


def _address(rng: Random, spoken: bool) -> str:
    whole = f"{_pick('prefecture', rng)}{_pick('city', rng)}{_pick('town', rng)}"
    town = whole.partition("県")[2]
    place = rng.choice((whole, whole, town or whole))
    house = ""
    if rng.random() < 0.4:
        room = rng.randrange(101, 909)
        number = speech.han(str(room), zero="〇") if spoken else str(room)
        house = f"{_pick('building', rng)}{number}{rng.choice(('号室', '号', '号室'))}"
        house = house if spoken else f"{rng.choice((' ', ''))}{house}"
    return f"{place}{_block(rng, spoken=spoken)}{house}"


def _phone(rng: Random, spoken: bool) -> str:
    if rng.random() < 0.6:
        number = f"0{rng.choice('789')}0-0{numbers.digits(rng, 3)}-{numbers.digits(rng, 4)}"
    else:
        number = rng.choice(
            (
                f"03-0{numbers.digits(rng, 3)}-{numbers.digits(rng, 4)}",
                f"0{rng.choice('459')}2-0{numbers.digits(rng, 2)}-{numbers.digits(rng, 4)}",
                f"0120-0{numbers.digits(rng, 2)}-{numbers.digits(rng, 3)}",
            )
        )
    if spoken:
        return speech.japanese(number, rng)
    style = rng.random()
    if style < 0.2:
        return number.replace("-", "")
    return numbers.wide(number) if style < 0.4 else number


def _email(rng: Random, spoken: bool) -> str:
    first, last = _pick("romaji_given", rng), _pick("romaji", rng)
    local = rng.choice(
        (f"{last}.{first}", f"{first}_{last}", f"{last}{rng.randrange(10, 99)}", last)
    )
    domain = _pick("domain", rng)
    style = rng.random()
    if spoken and style < 0.25:
        name = (
            f"{_pick('kana_surname', rng)}{rng.choice(('', 'ドット' + _pick('kana_given', rng)))}"
        )
        said = "ドット".join(_KANA_OF[part] for part in domain.split("."))
        return f"{name}アットマーク{said}"
    if spoken and style < 0.5:
        return f"{local}アットマーク{domain}"
    if spoken and style < 0.7:
        said = f"{local} アットマーク {domain}".replace("_", " アンダーバー ")
        return said.replace(".", " ドット ")
    if style < 0.1:
        return f"{local}(at){domain}"
    return f"{local}＠{domain}" if style < 0.2 else f"{local}@{domain}"


def _my_number(rng: Random, spoken: bool) -> str:
    number = numbers.my_number(rng)
    if spoken:
        return speech.japanese(number, rng)
    written = numbers.grouped(number, (4, 4), rng.choice(("", " ", "-")))
    return numbers.wide(written) if rng.random() < 0.25 else written


def _passport(rng: Random, spoken: bool) -> str:
    number = f"{rng.choice('MTN')}{rng.choice('ABKRSZ')}"
    return (
        speech.japanese(number + numbers.digits(rng, 7), rng)
        if spoken
        else number + numbers.digits(rng, 7)
    )


def _licence(rng: Random, spoken: bool) -> str:
    number = numbers.digits(rng, 12, rng.choice(("30", "44", "62")))
    return speech.japanese(number, rng) if spoken else number


def _account(rng: Random, spoken: bool) -> str:
    number = numbers.digits(rng, 7)
    said = speech.japanese(number, rng) if spoken else number
    kind = rng.choice(("普通", "普通口座", "普通預金", "当座"))
    mark = rng.choice(("", "の") if spoken else ("", " ", "（口座番号）"))
    return f"{_pick('bank', rng)}{_pick('branch', rng)}{kind}{mark}{said}"


def _card(rng: Random, spoken: bool) -> str:
    number = numbers.grouped(numbers.card(rng), (4, 4, 4), rng.choice((" ", "-", "")))
    if spoken:
        return speech.japanese(number.replace(" ", ""), rng)
    return numbers.wide(number) if rng.random() < 0.35 else number


def _born(rng: Random, spoken: bool) -> str:
    year, month, day = numbers.birth(rng)
    era, letter, first = ("昭和", "S", 1925) if year < 1989 else ("平成", "H", 1988)
    count = year - first
    by_era = rng.random() < 0.5
    if spoken and rng.random() < 0.6:
        last = f"{speech.han_number(month)}月{speech.han_number(day)}日"
        said = "元" if count == 1 else speech.han_number(count)
        return f"{era}{said}年{last}" if by_era else f"{speech.han(str(year), zero='〇')}年{last}"
    style = rng.random()
    if not spoken and style < 0.2:
        return f"{year}/{month}/{day}"
    if not spoken and style < 0.3:
        return f"{letter}{count}.{month}.{day}"
    written = f"{f'{era}{count}' if by_era else year}年{month}月{day}日"
    return numbers.wide(written) if not spoken and style < 0.4 else written


def _plate(rng: Random, spoken: bool) -> str:
    area, kana = _pick("plate", rng), _pick("plate_kana", rng)
    number = f"{rng.randrange(10, 99)}-{rng.randrange(10, 99)}"
    gap = rng.choice((" ", "", "")) if not spoken else ""
    kind = rng.choice((f"{rng.randrange(300, 599)}", f"{rng.randrange(50, 59)}"))
    if spoken and rng.random() < 0.4:
        said = speech.han(f"{kind}{kana}-{number}", zero="〇").replace("-", "の")
        return f"{area}{said}"
    return f"{area}{gap}{kind}{gap}{kana}{gap}{number}"


def _user(rng: Random, spoken: bool) -> str:
    name = _pick("handle", rng)
    return name.replace("_", "アンダーバー") if spoken and rng.random() < 0.3 else name


def _machine(rng: Random, spoken: bool) -> str:
    address = numbers.address_of_a_machine(rng, six=not spoken and rng.random() < 0.15)
    if spoken and rng.random() < 0.4:
        return "ドット".join(speech.kana(part) for part in address.split("."))
    return address


def _id(rng: Random, spoken: bool) -> str:
    number = rng.choice(
        (
            numbers.digits(rng, 6),
            numbers.digits(rng, 8),
            f"{_pick('letters', rng)}{numbers.digits(rng, 5)}",
            numbers.grouped(numbers.digits(rng, 8), (4,), "-"),
        )
    )
    if spoken:
        return speech.japanese(number, rng)
    return numbers.wide(number) if rng.random() < 0.2 else number


def _zip(rng: Random, spoken: bool) -> str:
    code = numbers.grouped(numbers.digits(rng, 7), (3,), "-")
    if spoken:
        return speech.japanese(code, rng)
    return numbers.wide(code) if rng.random() < 0.25 else code


def _age(rng: Random, spoken: bool) -> str:
    age = rng.randrange(18, 96)
    if spoken and rng.random() < 0.5:
        return speech.han_number(age)
    return numbers.wide(str(age)) if not spoken and rng.random() < 0.2 else str(age)


MAKERS: dict[str, Maker] = {
    **PLAIN,
    "PERSON": _person,
    "SURNAME": _surname,
    "ADDRESS": _address,
    "PHONE_NUMBER": _phone,
    "EMAIL_ADDRESS": _email,
    "JP_MY_NUMBER": _my_number,
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
    "TIME": lambda rng, _: f"{rng.randrange(7, 20)}時{rng.randrange(0, 60, 5)}分",
    "DATE": lambda rng, _: f"{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
    "MONEY": lambda rng, _: f"{rng.randrange(2, 900)}万{rng.randrange(1, 9)}千円",
    "PERCENT": lambda rng, _: f"{rng.randrange(1, 60)}.{rng.randrange(1, 9)}",
}
"""How a value of each slot is made, from a generator and whether it is spoken."""
