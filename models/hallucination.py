"""Signs that recognized text was invented. Such text is labelled, never deleted.

Source of the thresholds: openai/whisper `transcribe.py` (no_speech 0.6, logprob -1.0, compression
2.4); of the phrases: reports in the trackers of whisper, whisper.cpp and faster-whisper.
"""

import re
import unicodedata
from collections.abc import Sequence

from models.documents import Segment

_NO_SPEECH = 0.6
_UNSURE_LOGPROB = -0.5
_LOW_LOGPROB = -1.0
_COMPRESSION = 2.4
_WEAK_NO_SPEECH = 0.3
_WEAK_LOGPROB = -0.7
_REPEATS = 3
_MAX_PERIOD = 3
_MIN_LOOP_CHARS = 6
_MAX_LOOP_CHARS = 120
_LOOP_RATIO = 0.85
_MUCH_OF_IT = 0.4
_DIGITS = re.compile(r"\d+")
_NOT_LETTERS = re.compile(r"[\W_]+")

STYLES = {"zh": "以下是普通话的句子，用简体中文书写，并带有标点符号。"}
"""What the recognizer is shown before speech of a language, to write as it does.

It may write that itself where nobody speaks.
"""

# Subtitle credits and sign-offs that nobody says in a meeting.
_STRONG = tuple(
    _NOT_LETTERS.sub("", phrase)
    for phrase in (
        "thanks for watching",
        "thank you for watching",
        "thank you so much for watching",
        "please subscribe",
        "like and subscribe",
        "subscribe to my channel",
        "see you in the next video",
        "ill see you in the next video",
        "subtitles by the amaraorg community",
        "subtitles by",
        "transcription by",
        "transcribed by",
        "captioning by",
        "translated by",
        "ご視聴ありがとうございました",
        "ご視聴ありがとうございます",
        "ご清聴ありがとうございました",
        "最後までご視聴",
        "チャンネル登録",
        "高評価",
        "次の動画でお会いしましょう",
        "字幕視聴ありがとうございました",
        "字幕by",
        "提供は",
        "请不吝点赞",
        "請不吝點贊",
        "谢谢观看",
        "謝謝觀看",
        "感谢观看",
        "感謝觀看",
        "感谢您的观看",
        "字幕由",
        "字幕制作",
        "字幕製作",
        "字幕志愿者",
        "字幕志願者",
        "明镜与点点",
        "明鏡與點點",
        "优优独播剧场",
        "優優獨播劇場",
        "中文字幕",
        "点赞订阅",
        "订阅转发",
        "字幕由amaraorg社区提供",
        "字幕由amaraorg社區提供",
        *(clause for style in STYLES.values() for clause in re.findall(r"\w{6,}", style)),
    )
)
# Courtesies that people do say: a sign only with doubtful scores.
_WEAK = frozenset(
    _NOT_LETTERS.sub("", phrase)
    for phrase in (
        "you",
        "thank you",
        "thank you very much",
        "thanks",
        "bye",
        "bye bye",
        "okay",
        "so",
        "the end",
        "ありがとうございました",
        "ありがとうございます",
        "おやすみなさい",
        "お疲れ様でした",
        "はい",
        "谢谢",
        "謝謝",
        "谢谢大家",
        "謝謝大家",
        "再见",
    )
)


def suspicions(
    text: str, avg_logprob: float, no_speech_prob: float, compression: float
) -> tuple[str, ...]:
    """Return the reasons to doubt one segment, by its text and the recognizer's scores."""
    reasons = []
    if no_speech_prob > _NO_SPEECH and avg_logprob < _UNSURE_LOGPROB:
        reasons.append("no_speech_prob")
    if avg_logprob < _LOW_LOGPROB:
        reasons.append("avg_logprob")
    if compression > _COMPRESSION:
        reasons.append("compression_ratio")
    doubtful = no_speech_prob > _WEAK_NO_SPEECH or avg_logprob < _WEAK_LOGPROB
    if _known_phrase(text, doubtful=doubtful):
        reasons.append("known_phrase")
    if loops(text):
        reasons.append("repetition")
    return tuple(reasons)


def mark_repetitions(segments: Sequence[Segment]) -> list[Segment]:
    """Label runs of segments that say the same three times or more."""
    repeated = repeated_places([segment.text for segment in segments])
    return [
        with_suspicion(segment, "repetition") if i in repeated else segment
        for i, segment in enumerate(segments)
    ]


def repeated_places(texts: Sequence[str]) -> set[int]:
    """Return where one text, or two or three in turn, stand three times or more in a row."""
    keys = [_letters(text) for text in texts]
    found: set[int] = set()
    for period in range(1, _MAX_PERIOD + 1):
        run = 0
        for i in range(period, len(keys)):
            run = run + 1 if keys[i] and keys[i] == keys[i - period] else 0
            if run >= (_REPEATS - 1) * period:
                found.update(range(i - run - period + 1, i + 1))
    return found


def with_suspicion(segment: Segment, reason: str) -> Segment:
    """Return the segment with one more reason to doubt it."""
    if reason in segment.suspect:
        return segment
    return segment.model_copy(update={"suspect": (*segment.suspect, reason)})


def loops(text: str) -> bool:
    """True where a text is mostly one phrase said over and over at least four times."""
    letters = _DIGITS.sub("", _letters(text))
    if len(letters) < _MIN_LOOP_CHARS:
        return False
    for size in range(1, min(len(letters) // 4, _MAX_LOOP_CHARS) + 1):
        same = sum(a == b for a, b in zip(letters[size:], letters, strict=False))
        if same >= _LOOP_RATIO * (len(letters) - size):
            return True
    return False


def _known_phrase(text: str, *, doubtful: bool) -> bool:
    """True where a text is such a phrase, or holds one and has doubtful scores besides."""
    letters = _letters(text)
    strong = sum(len(phrase) for phrase in _STRONG if phrase in letters)
    if strong:
        return doubtful or strong >= _MUCH_OF_IT * len(letters)
    return doubtful and letters in _WEAK


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).lower())
