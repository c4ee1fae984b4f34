"""Pseudonyms that a summary writes otherwise than redaction does, in the writing of redaction."""

import re
import unicodedata

from models.documents import Summary
from models.quality.source import Source
from models.redactor.types import ALL_CLASSES
from models.summarizer.terms import PSEUDONYM

_CLASS = "|".join(kind.replace("_", "[_ ]") for kind in sorted(ALL_CLASSES, key=len, reverse=True))
_VARIANT = re.compile(
    r"(?P<kept>(?-i:\[[A-Z][A-Z_]*_\d+\]))"
    rf"|[\[【〔〈《<({{「『]\s*(?P<framed>{_CLASS})[\s_-]?(?P<first>\d+)\s*[\]】〕〉》>)}}」』]"
    rf"|(?<![A-Za-z_])(?P<joined>{_CLASS})_(?P<second>\d+)"
    r"|(?<![A-Za-z_])(?P<plain>person)[ -]?(?:no\.? ?|#)?(?P<third>\d+)(?!\d*[.,:]\d|[ -]?years?)"
    r"|(?P<han>人物|人员|人員)[\s_]?(?P<fourth>\d+)(?!\d*[\s]?[人名个個位])",
    re.IGNORECASE,
)


def with_pseudonyms(summary: Summary, source: Source) -> Summary:
    """Return a summary with its pseudonyms as redaction writes them, for comparing only.

    `PERSON_9`, `【PERSON_9】`, `Person 9` and 人物9 are `[PERSON_9]`, unless the source itself
    writes them so.
    """
    said = unicodedata.normalize("NFKC", source.lowered)

    def canonical(value: object) -> object:
        if isinstance(value, str):
            return _canonical(value, said)
        if isinstance(value, dict):
            return {key: canonical(item) for key, item in value.items()}
        return [canonical(item) for item in value] if isinstance(value, list) else value

    parts = summary.model_dump(mode="json")
    texts = ("headline", "abstract", "key_points", "decisions", "action_items", "chapters")
    return Summary.model_validate(parts | {name: canonical(parts[name]) for name in texts})


def _canonical(text: str, said: str) -> str:
    folded = unicodedata.normalize("NFKC", text)
    changed = _VARIANT.sub(lambda match: _written(match, said), folded)
    return text if PSEUDONYM.findall(changed) == PSEUDONYM.findall(text) else changed


def _written(match: re.Match[str], said: str) -> str:
    whole = match.group()
    if match["kept"] or whole.lower() in said:
        return whole
    kind = (
        match["framed"] or match["joined"] or ("PERSON" if match["plain"] or match["han"] else "")
    )
    number = match["first"] or match["second"] or match["third"] or match["fourth"]
    written = f"[{kind.upper().replace(' ', '_')}_{int(number)}]"
    return written if PSEUDONYM.fullmatch(written) else whole
