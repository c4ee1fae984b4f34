"""Line beginnings such as `[00:00:04] Tom Becker:` that mislead the models for names."""

import re
from collections.abc import Iterator

from models.redactor.lexicon import english_words, words
from models.redactor.types import Found

_TIME = r"[\[(<]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])>]?(?:\s*-->?\s*[\d:.,]+)?"
_PREFIX = re.compile(
    rf"(?m)^[ \t>*-]*(?:(?P<time>{_TIME})[ \t]*[-:|]?[ \t]*)?"
    r"(?:(?P<label>[^\s:\[\]()\d,.、。?!][^:\n\[\]()。、?!]{0,29}?)[ \t]*:(?=[\s\w\"'“]|$))?"
)
_GENERIC = re.compile(
    r"(?:speaker|spk|agent|customer|caller|client|operator|interviewer|interviewee|moderator|host|"
    r"guest|user|bot|assistant|doctor|patient|nurse|teacher|student|unknown|narrator|audience|all|"
    r"q|a|channel|left|right|note|notes|todo|action|name|phone|tel|email|e-mail|address|website|"
    r"date|subject|to|from|cc|re|title|time|place|summary|agenda|personal info|https?|"
    r"話者|発言者|司会|司会者|議長|事務局|質問者|回答者|お客様|担当者|オペレーター|質問|回答|備考|日時|場所|"
    r"出席者|議題|件名|电话|地址|邮箱|姓名|客户|客服|主持人|记者|说话人|發言人|发言人|问|答|時間|时间|地点|议题)"
    r"[ _#-]?[\dA-Za-z]{0,2}",
    re.IGNORECASE,
)
_CJK_NAME = re.compile(r"[一-龥々ァ-ヺーぁ-ん]{2,8}(?:[ ・][一-龥々ァ-ヺー]{1,8})?")
_HONORIFIC_END = re.compile(r"(?:さん|様|氏|先生|部長|課長|社長|先生|女士|小姐|经理|主任|总)$")


def without_prefixes(text: str) -> str:
    """Return the text, equally long, with times and speaker labels at line starts blanked."""
    chars = list(text)
    for match in _PREFIX.finditer(text):
        if match["time"] or (match["label"] and _is_label(match["label"])):
            chars[match.start() : match.end()] = " " * (match.end() - match.start())
    return "".join(chars)


def labelled_names(text: str) -> Iterator[Found]:
    """Yield the names among the speaker labels."""
    for match in _PREFIX.finditer(text):
        label = match["label"]
        if label and not _GENERIC.fullmatch(label) and _is_name(label, bool(match["time"])):
            end = match.end("label")
            if honorific := _HONORIFIC_END.search(label):
                end -= len(honorific[0])
            yield Found(match.start("label"), end, "PERSON", 0.8, "speaker_label")


def is_generic_speaker(label: str) -> bool:
    """Tell whether a speaker's label is a role or a number and no name."""
    return not label.strip() or bool(_GENERIC.fullmatch(label.strip())) or label.isdigit()


def _is_label(label: str) -> bool:
    return bool(_GENERIC.fullmatch(label)) or _is_name(label, after_time=False)


def _is_name(label: str, after_time: bool) -> bool:
    parts = label.split()
    if _CJK_NAME.fullmatch(label):
        return after_time and label not in words("ja_not_names")
    if not 1 <= len(parts) <= 4 or not all(p[0].isalpha() for p in parts):
        return False
    lists = english_words()
    stems = [p.lower().strip(".,'") for p in parts]
    has_name = any(lists.is_name(s) or s in lists.ambiguous for s in stems)
    if len(parts) == 1 and lists.is_name(stems[0]):
        return True
    return all(p[0].isupper() for p in parts) and (
        has_name or (after_time and any(lists.is_unknown(s) or s in lists.surnames for s in stems))
    )
