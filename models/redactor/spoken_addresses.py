"""E-mail addresses and user names as they are said: `john dot smith at example dot com`."""

import re
from collections.abc import Iterator

from models.redactor.types import Found

_NUMBER = (
    "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    "fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|\d+)"
)
_SIGN = "(?:dot|point|underscore|under score|dash|hyphen|minus|period)"
_TLD = (
    "(?:com|net|org|edu|gov|info|biz|io|dev|app|ai|eu|uk|us|ca|au|nz|de|fr|es|it|nl|ch|se|no|jp|cn|"
    "tw|hk|kr|in|co|ac|or|ne|go)"
)
_WORD = "[a-z0-9][a-z0-9._-]*"
_LOCAL = rf"{_WORD}(?:\s+{_SIGN}\s+{_WORD}|\s+{_NUMBER}|(?<=\b[a-z])\s+(?=[a-z]\b)[a-z])*"
_DOMAIN = (
    rf"{_WORD}(?:\s+(?:{_SIGN})\s+{_WORD}|\s+{_NUMBER})*?"
    rf"(?:\s+(?:dot|point)\s+{_TLD}|\.{_TLD})(?:(?:\s+(?:dot|point)\s+|\.){_TLD})*"
)
_NOT_LOCAL = "(?:look|looking|looks|is|are|me|it|us|them|him|her|available|site|website|page|up)"
_ENGLISH_EMAIL = re.compile(
    rf"(?<![a-z0-9'._-])(?!{_NOT_LOCAL}\s+at\b){_LOCAL}\s+(?:at|@)\s+{_DOMAIN}(?![a-z0-9])",
    re.IGNORECASE,
)
_HANDLE = re.compile(
    rf"(?<![a-z0-9'._-])(?:at\s+)?{_WORD}(?:\s+{_NUMBER})*\s+(?:underscore|under score)\s+{_WORD}"
    rf"(?:\s+(?:{_SIGN}\s+)?(?:{_NUMBER})(?![a-z]))*(?![a-z0-9])",
    re.IGNORECASE,
)
_SERVICE = (
    "(?:handle|user ?name|user id|nickname|screen name|slack|github|gitlab|twitter|instagram|"
    "discord|skype|telegram|tiktok|twitch|snapchat|linkedin|wechat)"
)
_NAMED_HANDLE = re.compile(
    rf"\b{_SERVICE}\b(?:\s+(?:is|it's|its|on|as|called|name|handle|user|{_SERVICE}|:))*\s+"
    rf"(?P<value>(?:at\s+)?{_WORD}(?:\s+{_SIGN}\s+{_WORD}|\s+{_NUMBER})+)(?![a-z0-9])",
    re.IGNORECASE,
)

_AT = (
    r"(?:アットマーク|アット|あっとまーく|艾特|圈[aA]|小老鼠|@|[(\[{<]\s*(?:at|@|アット)\s*[)\]}>])"
)
_DOT = (
    r"(?:\.|ドット|どっと|点|點|[(\[{<]\s*(?:dot|\.|ドット)\s*[)\]}>]|(?<=\s)(?:dot|point)(?=\s))"
)
_JOINER = (
    r"(?:アンダーバー|アンダースコア|ハイフン|ダッシュ|下划线|下劃線|底线|横杠|杠|"
    r"(?<=\s)(?:underscore|under score|dash|hyphen)(?=\s))"
)
_PART = rf"(?:(?!{_AT}|{_DOT}|{_JOINER})[ァ-ヺーA-Za-z0-9零〇一二三四五六七八九幺_%+-])+"
_MIXED_TLD = (
    "(?:コム|ネット|オーアールジー|オルグ|ジェーピー|ジェイピー|シーエヌ|インフォ|アイオー|"
    "com|net|org|edu|gov|info|biz|io|dev|app|eu|uk|us|jp|cn|tw|hk|kr|co|ac|or|ne|go)"
)
_MIXED_EMAIL = re.compile(
    rf"(?<![ァ-ヺA-Za-z0-9._%+-])(?=[ァ-ヺA-Za-z0-9]){_PART}"
    rf"(?:\s*(?:{_DOT}|{_JOINER})\s*{_PART}){{0,4}}\s*{_AT}\s*"
    rf"{_PART}(?:\s*(?:{_DOT}|{_JOINER})\s*{_PART}){{0,4}}?\s*{_DOT}\s*{_MIXED_TLD}"
    rf"(?:\s*{_DOT}\s*{_MIXED_TLD})?(?![A-Za-z0-9])",
    re.IGNORECASE,
)
"""An e-mail address of ASCII, kana and Chinese words: at least one sign between them is said.

Which language the sentence is in does not matter: speakers of each mix these.
"""

_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+")
_MIXED_HANDLE = re.compile(
    r"(?<![A-Za-z0-9._-])[A-Za-z][A-Za-z0-9]*(?:\s?(?:アンダーバー|アンダースコア|下划线|下劃線|底线)"
    r"\s?[A-Za-z0-9]+)+(?![A-Za-z0-9])"
)


def spoken_addresses(text: str) -> Iterator[Found]:
    """Yield spoken e-mail addresses and user names of a normalized text."""
    for match in _MIXED_EMAIL.finditer(text):
        if not match[0].isascii() or not _PLAIN_EMAIL.fullmatch(match[0]):
            yield Found(*match.span(), "EMAIL_ADDRESS", 0.9, "spoken_address")
    yield from _found(_ENGLISH_EMAIL, text, "EMAIL_ADDRESS", 0.92)
    yield from _found(_NAMED_HANDLE, text, "USERNAME", 0.85)
    yield from _found(_MIXED_HANDLE, text, "USERNAME", 0.8)
    yield from _found(_HANDLE, text, "USERNAME", 0.7)


def _found(
    expression: re.Pattern[str], text: str, entity_type: str, score: float
) -> Iterator[Found]:
    for match in expression.finditer(text):
        start, end = match.span("value" if "value" in expression.groupindex else 0)
        yield Found(start, end, entity_type, score, "spoken_address")
