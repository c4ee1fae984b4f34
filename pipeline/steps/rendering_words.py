"""The words of a publication around what was said, in the language of its summary."""

from models.documents import RedactedSegment, RedactedTranscript, place_parts

LABELS = {
    "en": {
        "abstract": "Summary", "key_points": "Key points", "decisions": "Decisions",
        "action_items": "Action items", "chapters": "Chapters", "transcript": "Transcript",
        "text": "Text", "owner": "Owner", "due": "Due", "listen": "Listen",
        "extractive": "Sentences quoted word for word from the source; no model wrote any.",
        "llm": "Written by a language model from the redacted text, and checked.",
        "edited": "Edited by a person.",
        "redacted": "Personal data was replaced by pseudonyms such as [PERSON_1].",
    },
    "ja": {
        "abstract": "要約", "key_points": "要点", "decisions": "決定事項",
        "action_items": "対応事項", "chapters": "章", "transcript": "文字起こし", "text": "本文",
        "owner": "担当", "due": "期限", "listen": "再生",
        "extractive": "原文からそのまま引用した文です。言語モデルが書いた文はありません。",
        "llm": "匿名化したテキストから言語モデルが作成し、検査した要約です。",
        "edited": "人が編集した要約です。",
        "redacted": "個人情報は [PERSON_1] などの仮名に置き換えています。",
    },
    "zh": {
        "abstract": "摘要", "key_points": "要点", "decisions": "决定",
        "action_items": "行动项", "chapters": "章节", "transcript": "文字记录", "text": "正文",
        "owner": "负责人", "due": "期限", "listen": "播放",
        "extractive": "以下句子逐字引自原文，没有任何句子由语言模型撰写。",
        "llm": "由语言模型根据匿名化的文字撰写，并经过检查。",
        "edited": "由人编辑。",
        "redacted": "个人信息已替换为 [PERSON_1] 之类的代称。",
    },
}  # fmt: skip

PLACES = {
    "en": {
        "paragraph": "par. {n}", "heading": "heading {n}", "page": "page {n}",
        "slide": "slide {n}", "header": "header", "footer": "footer", "footnote": "footnote {n}",
        "endnote": "endnote {n}", "row": "row {n}", "quote": "quote {n}", "signature": "signature",
        "envelope": "header", "between": ", ",
    },
    "ja": {
        "paragraph": "段落 {n}", "heading": "見出し {n}", "page": "{n} ページ",
        "slide": "スライド {n}", "header": "ヘッダー", "footer": "フッター", "footnote": "脚注 {n}",
        "endnote": "文末脚注 {n}",
        "row": "表の行 {n}", "quote": "引用 {n}", "signature": "署名", "envelope": "ヘッダー",
        "between": " ",
    },
    "zh": {
        "paragraph": "段落 {n}", "heading": "标题 {n}", "page": "第 {n} 页", "slide": "幻灯片 {n}",
        "header": "页眉", "footer": "页脚", "footnote": "脚注 {n}", "endnote": "尾注 {n}",
        "row": "表格行 {n}", "quote": "引文 {n}", "signature": "签名", "envelope": "邮件头",
        "between": " ",
    },
}  # fmt: skip
"""Places in a document, whose own names are English, and what stands between page and paragraph."""


def labels(language: str) -> dict[str, str]:
    """Return the headings in this language, English where there are none."""
    return LABELS.get(language, LABELS["en"])


def transcript_label(language: str, transcript: RedactedTranscript) -> str:
    """Return the heading above what was said, or above what was written."""
    return labels(language)["text" if transcript.kind == "document" else "transcript"]


def clock(seconds: float) -> str:
    """Return `h:mm:ss`, or `m:ss` under an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def place(segment: RedactedSegment, language: str) -> str:
    """Return where a segment stands: its time, or its place in a document."""
    if segment.location is None:
        return clock(segment.start)
    words = PLACES.get(language, PLACES["en"])
    parts = place_parts(segment.location)
    return words["between"].join(words.get(kind, f"{kind} {n}").format(n=n) for kind, n in parts)
