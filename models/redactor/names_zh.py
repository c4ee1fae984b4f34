"""Names in Chinese text that the tagger misses: a surname with a title, introductions."""

import re
from collections.abc import Iterator
from functools import cache

from models.redactor.lexicon import alternatives, words
from models.redactor.types import Found

_INTRODUCTIONS = (
    r"我叫|名叫|叫做|叫|我是|姓名[是为:]?|名字[是叫:]|收件人[是:]?|联系人[是:]?|户名[是:]?|"
    r"患者|客户|备注"
)
_AFTER_NAME = r"(?=$|[，。,.!?！？、\s的在]|是|我|请|電|电|女|男|今|从|来|住|说)"


def find_names(text: str) -> Iterator[Found]:
    """Yield surnames with a title (the title is left out), 小王 and 老张, and introduced names."""
    for match in _titled().finditer(text):
        group = "full" if match["full"] else "surname"
        if not match["full"] and match["surname"] in words("zh_verbs"):
            continue
        if match[0].startswith("谢谢"):
            continue
        if not any(match[0].endswith(w) or match[0].startswith(w) for w in words("zh_not_titled")):
            yield Found(*match.span(group), "PERSON", 0.7, "name_title")
    for match in _nickname().finditer(text):
        if match["value"] not in words("zh_not_nicknames"):
            yield Found(*match.span("value"), "PERSON", 0.6, "name_nickname")
    for match in _introduced().finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.75, "name_phrase")
    for match in _family().finditer(text):
        yield Found(*match.span("value"), "PERSON", 0.75, "name_phrase")


def split_name(name: str) -> tuple[str, str] | None:
    """Split a Chinese name of two to four characters into surname and given name."""
    for compound in words("zh_compound_surnames"):
        if name.startswith(compound) and len(name) > len(compound):
            return compound, name[len(compound) :]
    if 2 <= len(name) <= 3 and name[0] in words("zh_surnames"):
        return name[0], name[1:]
    return None


def _surname() -> str:
    return f"(?:{alternatives('zh_compound_surnames')}|{alternatives('zh_surnames')})"


@cache
def _titled() -> re.Pattern[str]:
    titles = alternatives("zh_titles")
    return re.compile(
        rf"(?<![一-龥])(?P<full>{_surname()}[一-龥]{{0,2}}?)(?:{titles})"
        rf"|(?P<surname>{_surname()})(?:{titles})"
    )


@cache
def _nickname() -> re.Pattern[str]:
    return re.compile(rf"(?P<value>[小老阿](?:{alternatives('zh_surnames')}))(?![子家时說校学实])")


@cache
def _introduced() -> re.Pattern[str]:
    return re.compile(rf"(?:{_INTRODUCTIONS})\s*(?P<value>{_surname()}[一-龥]{{1,2}}){_AFTER_NAME}")


@cache
def _family() -> re.Pattern[str]:
    return re.compile(rf"(?:我姓|免贵姓|姓)(?P<value>{_surname()})(?![氏名])")
