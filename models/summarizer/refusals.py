"""Answers that refuse. Anchored: a word such as "cannot" inside a summary is no refusal."""

import re

_UNABLE = r"(?:can(?:no|['’])t|am\s+(?:unable|not\s+able)|['’]m\s+(?:unable|not\s+able)|won['’]t)"
_SORRY_JA = r"(?:大変)?(?:申し訳(?:ありません|ございません|ない)|すみません|恐れ入ります)"
_PATTERNS = (
    r"(?:i\s*['’]?\s*a?m\s+(?:really\s+|very\s+|so\s+)?)?sorry[,.]?\s*(?:but\s+)?i\s*" + _UNABLE,
    r"(?:unfortunately|i\s+apologi[sz]e)[,.]?\s*(?:but\s+)?i\s*" + _UNABLE,
    r"i\s*" + _UNABLE + r"\s+(?:to\s+)?(?:help|assist|comply|provide|summari[sz]e|process|fulfil)",
    r"as\s+an?\s+(?:ai|artificial\s+intelligence|language\s+model)\b",
    _SORRY_JA + r"[がけ、。,\s][^。]{0,60}(?:できません|できかねます|お手伝い|お答え)",
    r"(?:非常|很)?(?:抱歉|对不起|對不起)[，,。\s][^。]{0,40}(?:无法|無法|不能|没办法)",
    r"我?(?:无法|無法|不能)(?:提供|协助|協助|满足|完成|处理|處理|总结|總結|回答)[这這该該您你]",
)
_REFUSAL = re.compile(r"\W*(?:" + "|".join(_PATTERNS) + ")", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Tell whether a text opens by refusing to do what was asked, in en, ja or zh."""
    return _REFUSAL.match(text) is not None


def is_blank(text: str) -> bool:
    """Tell whether a text says nothing: no letter or digit, or only a placeholder."""
    bare = re.sub(r"[\W_]+", "", text)
    return not bare or bare.lower() in {"string", "na", "none", "null", "todo", "tbd", "text"}
