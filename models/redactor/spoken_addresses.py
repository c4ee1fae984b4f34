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

_JA_TLD = (
    "(?:コム|ネット|オーアールジー|オルグ|ジェーピー|ジェイピー|シーオー|エーシー|エヌイー|インフォ|"
    "アイオー|com|net|org|jp|co|ac|ne|io)"
)
_JA_WORD = "[ァ-ヺーA-Za-z0-9._-]+"
_JAPANESE_EMAIL = re.compile(
    rf"(?<![ァ-ヺA-Za-z0-9._])(?=[ァ-ヺA-Za-z0-9]){_JA_WORD}?"
    rf"(?:アットマーク|アット|あっとまーく|@){_JA_WORD}?(?:(?:ドット|どっと|\.){_JA_TLD})+",
    re.IGNORECASE,
)

_ZH_DIGIT = "零〇一二三四五六七八九幺"
_ZH_WORD = rf"[A-Za-z0-9{_ZH_DIGIT}][A-Za-z0-9{_ZH_DIGIT}._-]*"
_ZH_SIGN = r"\s*(?:点|點|下划线|下劃線|杠|横杠|underscore|dot)\s*"
_MANDARIN_EMAIL = re.compile(
    rf"(?<![A-Za-z0-9._-]){_ZH_WORD}(?:{_ZH_SIGN}{_ZH_WORD})*\s*(?:艾特|圈[aA]|小老鼠|at|@)\s*"
    rf"{_ZH_WORD}(?:(?:{_ZH_SIGN}|\.)(?:com|cn|net|org|edu|gov|tw|hk|[A-Za-z]{{2,6}}))+",
    re.IGNORECASE,
)


def spoken_addresses(text: str, language: str) -> Iterator[Found]:
    """Yield spoken e-mail addresses and user names of a normalized text."""
    if language == "ja":
        yield from _found(_JAPANESE_EMAIL, text, "EMAIL_ADDRESS", 0.9)
    if language == "zh":
        yield from _found(_MANDARIN_EMAIL, text, "EMAIL_ADDRESS", 0.9)
    yield from _found(_ENGLISH_EMAIL, text, "EMAIL_ADDRESS", 0.92)
    yield from _found(_NAMED_HANDLE, text, "USERNAME", 0.85)
    yield from _found(_HANDLE, text, "USERNAME", 0.7)


def _found(
    expression: re.Pattern[str], text: str, entity_type: str, score: float
) -> Iterator[Found]:
    for match in expression.finditer(text):
        start, end = match.span("value" if "value" in expression.groupindex else 0)
        yield Found(start, end, entity_type, score, "spoken_address")
