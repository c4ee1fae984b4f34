"""What would lead a reader or a model astray: links, markup, and words that give orders."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from models.documents import Finding, Severity, Summary
from models.quality.places import placed_texts
from models.quality.source import Source
from models.quality.unseen import seen

_END = r"[^\s)>\"'、。，」』）]"
_HOST = r"(?<![a-z0-9@._-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*"
_IP = r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}"
_LINK = re.compile(
    rf"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{{1,14}}:[/\\]{{2}}|www\.){_END}+|(?<![:\w])//{_HOST}\.[a-z]{{2,}}"
    rf"|(?:{_HOST}\.[a-z]{{2,24}}|{_IP})(?::\d+)?/{_END}*"
    r"|(?<![a-z0-9])(?:(?:javascript|vbscript|mailto|file):\S+|tel:\+?\d+)"
    r"|(?<![a-z0-9])data:(?:[a-z]+/[a-z0-9.+-]+)?[;,]\S+"
    r"|!\[[^\]]*\]\s?\(|\]\s?\((?=[^\s)]*[/:.])[^\s)]+\)"
    r"|</?(?:script|style|iframe|object|embed|img|svg|audio|video|link|meta|base|form|input|button"
    r"|a|html|body|div|span|p|br|b|i)\b[^<]*"
)
_NAMED = re.compile(
    rf"{_HOST}\.(?:com|net|org|info|biz|io|ai|dev|app|xyz|top|site|shop|online|example"
    r"|(?:co|com|ne|or|ac|org|net|gov|edu)\.[a-z]{2})(?![a-z0-9-])"
)
"""A host alone, which may be the name of a product."""

_MASKED = re.compile(r"\[[a-z][a-z_]*_\d+\]")
_DOT = re.compile(r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?|\s+dot\s+(?=[a-z]{2,3}\b)")

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}"
    r"\b(?:previous|above|earlier|prior|all|your)\b"
    r"[^.]{0,20}\b(?:instructions?|prompts?|rules|context)\b"
    r"|\byou are now\b[^.]{0,30}\b(?:assistant|ai|model)\b"
    r"|\bfrom (?:now|here) on\b[^.]{0,30}\b(?:follow|obey|answer|respond|reply|act|only)\b"
    r"|(?:^|[.!?\]>]\s*)(?:assistant|system|user)\s*:|\bsystem prompt\b|\bnew instructions?:"
    r"|</?(?:system|assistant|user)>|<\|im_(?:start|end)\|>|\[/?inst\]"
    r"|(?:以前|上記|これまで|前)の(?:指示|命令|プロンプト)[^。]{0,10}(?:無視|忘れ)"
    r"|(?:今後|これから|以後)[^。]{0,30}(?:に従う|に従って|に従え|として(?:振る舞|答え|行動))"
    r"|システムプロンプト|从现在(?:起|开始)[^。]{0,12}(?:你是|你只|只能|遵守|扮演)"
    r"|(?:忽略|无视|忘记)[^。]{0,10}(?:指令|指示|提示|要求|规则)|系统提示词"
    r"|(?:note|message|attention)(?: to)?[:\s]\s*(?:the )?(?:ai|model|llm|assistant)\b"
    r"|新しい指示\s*:|新的?指[令示]\s*:|(?:ai|モデル)(?:への|に対する)(?:注意|指示)"
    r"|(?:注意|提醒)\s*(?:ai|大?模型)",
    re.MULTILINE,
)
"""What is said to a model."""

_APPEAL = re.compile(
    r"\b(?:click|press|hit|tap|choose|select)\b[^.]{0,20}"
    r"\b(?:approve|publish|accept|confirm|override|release)\b"
    r"|\bapprove (?:(?:this|it) )?(?:now|immediately|at once)\b"
    r"|\b(?:override|bypass|skip|disable|switch off|turn off)\b[^.]{0,20}"
    r"\b(?:checks?|checking|review|reviewer|approval|redaction|guardrails?|filters?)\b"
    r"|\b(?:reviewer|approver|editor)s?\b[^.]{0,40}\b(?:approve|publish|release)\b"
    r"|この(?:文書|要約|改訂)を[^。]{0,4}(?:承認|公開)し(?:なさい|て|ろ)"
    r"|(?:承認|公開|許可)[^。]{0,8}(?:押し|クリック|タップ|選択し)|(?:今すぐ|直ちに)[^。]{0,4}(?:承認|公開)"
    r"|(?:チェック|検査|審査|レビュー|確認)を?[^。]{0,6}(?:無視|無効に|回避|飛ばし|スキップ)"
    r"|(?:点击|按下?|选择)[^。]{0,6}(?:批准|同意|通过|发布|确认)|(?:立即|马上|直接)(?:批准|发布|通过)"
    r"|(?:跳过|绕过|忽略|关闭|取消)[^。]{0,4}(?:检查|审核|审查|复核|脱敏)"
)
"""What is said to who approves."""

_WORD = re.compile(r"[a-z0-9]+")
_COPIED_WORDS = 8
_QUOTED = re.compile(r"\$\w+")


@dataclass(frozen=True)
class _Said:
    """A text as a reader sees it, in lower case."""

    text: str

    @cached_property
    def links(self) -> frozenset[str]:
        """Links and markup."""
        return _found(_LINK, _unmasked(self.text))

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Names of hosts."""
        return _found(_NAMED, _unmasked(self.text))

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """Stretches of so many words that they do not stand in two texts by chance."""
        return _runs(self.text)


def check_steering(summary: Summary, source: Source) -> Iterator[Finding]:
    """Yield links, markup and orders that the source does not have, as a reader would see them."""
    said = [(segment.id, seen(segment.text.lower())) for segment in source.redacted.segments]
    ordered = tuple(i for i, text in said if _ORDER.search(text))
    whole = _Said(" ".join(text for _, text in said))
    if ordered:
        yield Finding(
            check="injection.source",
            severity=Severity.WARN,
            place="transcript",
            reason="Something in the source reads like an instruction to a model.",
            segments=ordered[:20],
        )
    for place, written in placed_texts(summary):
        told = _Said(seen(written.lower()))
        if severity := _link_severity(told, whole):
            reason = "It holds a link or markup that is not in the source."
            yield _finding("injection.link", severity, place, reason)
        if _is_order(told, whole):
            severity = Severity.WARN if ordered else Severity.BLOCK
            reason = "It reads like an instruction to a model."
            yield _finding("injection.summary", severity, place, reason)
        elif _APPEAL.search(told.text) and not _APPEAL.search(whole.text):
            reason = "It reads like an instruction to whoever approves it."
            yield _finding("injection.summary", Severity.WARN, place, reason)


def _link_severity(told: _Said, source: _Said) -> Severity | None:
    if told.links and not told.links <= source.links:
        return Severity.BLOCK
    return Severity.WARN if told.hosts and not told.hosts <= source.hosts else None


def _is_order(told: _Said, source: _Said) -> bool:
    """Tell whether a text speaks to a model, or has words of the prompt."""
    copied = told.runs & _prompt_runs()
    return _ORDER.search(told.text) is not None or bool(copied and copied - source.runs)


def _unmasked(text: str) -> str:
    """Return a text without what only hides that something is a link."""
    return _DOT.sub(".", _MASKED.sub("_", text)).replace("hxxp", "http")


def _found(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.rstrip(".,;:!?)]") for found in pattern.findall(text))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text)
    return frozenset(
        tuple(words[i : i + _COPIED_WORDS]) for i in range(len(words) - _COPIED_WORDS + 1)
    )


@cache
def _prompt_runs() -> frozenset[tuple[str, ...]]:
    """Return those of the packaged prompts."""
    prompts = (p for p in files("configs").joinpath("prompts").iterdir() if p.name.endswith(".md"))
    texts = (unicodedata.normalize("NFKC", p.read_text(encoding="utf-8")).lower() for p in prompts)
    return frozenset(run for text in texts for run in _runs(_QUOTED.sub(" ", text)))


def _finding(check: str, severity: Severity, place: str, reason: str) -> Finding:
    return Finding(check=check, severity=severity, place=place, reason=reason)
