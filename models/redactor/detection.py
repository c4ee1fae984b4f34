"""Finding personal data in a text: models, patterns and rules over all views of it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from configs.errors import RedactionError
from models.documents import LANGUAGES
from models.redactor import addresses_en, names_en, names_zh
from models.redactor.borders import torn_names
from models.redactor.checksums import digits_of, phone
from models.redactor.columns import column_names, with_heads
from models.redactor.dictated import dictated
from models.redactor.patterns import THRESHOLD, find_patterns
from models.redactor.persons import outvoted, plausible, repeated
from models.redactor.prefixes import labelled_names, without_prefixes
from models.redactor.resolve import resolve
from models.redactor.spoken import spoken
from models.redactor.spoken_addresses import spoken_addresses
from models.redactor.types import Found, NameModel
from models.redactor.views import View, glued, normalized

if TYPE_CHECKING:
    from models.redactor.presidio import Analysis

_NOT_PERSONS = frozenset({"LOCATION", "ORGANIZATION", "NRP"})
_WORDED = frozenset({"EMAIL_ADDRESS", "URL", "USERNAME"})
_GLUED_THRESHOLD = 0.7
"""Numbers drawn together over a line's end must look like an identifier by themselves."""


def detect(text: str, language: str, names: NameModel | None = None) -> list[Found]:
    """Find personal data of every class.

    Args:
        text: the original text, segments joined by line ends.
        language: its language; outside `en`, `ja`, `zh` only patterns are used.
        names: a further model for names, whose findings join those of the packaged ones.

    Returns:
        Findings by position, not overlapping, in code points of `text`.

    Raises:
        ModelError: a model failed (not retryable).
    """
    base = normalized(text)
    return resolve(text, [_to_base(base, found) for found in _candidates(base, language, names)])


def identifiers(base: View, language: str) -> Iterator[Found]:
    """Yield what patterns find in the written view and all that stack on it, in `base.text`.

    Args:
        base: the normalized view of a text.
        language: whose spoken numbers are read; English ones are in every language.
    """
    own = View.of(base.text)
    written = list(_matches(own, "written"))
    yield from written
    said = spoken(own, language)
    heard = list(_matches(said, "spoken")) if said.text != own.text else []
    yield from heard
    yield from dictated(own, said, language, [*written, *heard])
    joined = glued(own)
    for found in _matches(joined, "written") if joined.text != own.text else ():
        whole = any(f.overlaps(found) and f.entity_type == found.entity_type for f in written)
        worded = found.entity_type in _WORDED and whole
        if found.score >= _GLUED_THRESHOLD and not worded:
            yield found
    if columns := with_heads(base.text):
        yield from _matches(columns, "written")
    yield from spoken_addresses(base.text)


def _candidates(base: View, language: str, names: NameModel | None) -> Iterator[Found]:
    numbers = list(identifiers(base, language))
    yield from numbers
    if language not in LANGUAGES:
        return
    body = without_prefixes(base.text)
    cased = names_en.restore_capitals(body) if language == "en" else body
    analysis = _models(cased, language)
    told = list(names_en.replaced(cased, analysis.found) if language == "en" else analysis.found)
    models = [f for f in outvoted(cased, told) if _keep(cased, f)]
    if language == "en":
        models = list(names_en.relabelled(cased, models))
    if names is not None:
        models.extend(names.find(cased))
    rules = [f for f in _rules(base.text, cased, language) if not _is_word(cased, f, analysis)]
    rules.extend([*labelled_names(base.text), *column_names(base.text)])
    whole = _with_labels(base.text, cased)
    found = list(plausible(whole, [*models, *rules]))
    persons = [f for f in found if f.entity_type == "PERSON"]
    found.extend(torn_names(whole, persons, language, lambda t: _persons(t, language, names)))
    yield from found
    chosen = resolve(base.text, [*numbers, *found])
    parts: dict[str, list[str]] = defaultdict(list)
    for surface, part in analysis.name_parts:
        parts[surface].append(part)
    places = {cased[f.start : f.end] for f in told if f.entity_type in _NOT_PERSONS}
    yield from repeated(whole, chosen, language, parts, analysis.everyday | places)


def _matches(view: View, kind: str) -> Iterator[Found]:
    return (_to_base(view, found) for found in find_patterns(view.text, kind))


def _rules(text: str, cased: str, language: str) -> Iterator[Found]:
    if language == "en":
        yield from names_en.find_names(text, cased)
        yield from addresses_en.find_addresses(text)
    else:
        yield from names_en.known_names(text)
    if language == "zh":
        yield from names_zh.find_names(text)


def _persons(text: str, language: str, names: NameModel | None) -> Iterator[Found]:
    """Yield the persons of a text with capitals."""
    models = [f for f in _models(text, language).found if _keep(text, f)]
    further = () if names is None else names.find(text)
    found = plausible(text, [*models, *further, *_rules(text, text, language)])
    return (f for f in found if f.entity_type == "PERSON")


def _is_word(text: str, found: Found, analysis: "Analysis") -> bool:
    """Tell whether a rule took a verb before a title for a name, as in 安装师傅."""
    titled = found.recognizer == "name_title" and found.end - found.start > 1
    return titled and text[found.start : found.end] in analysis.everyday


def _models(text: str, language: str) -> "Analysis":
    try:
        from models.redactor.presidio import analyze  # noqa: PLC0415 - loads spaCy

        return analyze(text, language)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise RedactionError(
            f"The models that find names in {language!r} are missing or failed.",
            {"language": language, "error": type(error).__name__},
        ) from None


def _keep(text: str, found: Found) -> bool:
    """Tell whether a model's finding stands; a phone number needs a format or a context word."""
    if found.entity_type == "PHONE_NUMBER":
        surface = text[found.start : found.end]
        formatted = any(c in surface for c in "-() +.") and len(digits_of(surface)) >= 9
        return phone(surface) and (found.score >= THRESHOLD or formatted)
    return found.score >= THRESHOLD


def _with_labels(text: str, cased: str) -> str:
    """Return the cased text with the blanked line beginnings put back."""
    return "".join(c if c.strip() else t for t, c in zip(text, cased, strict=True))


def _to_base(view: View, found: Found) -> Found:
    start, end = view.base_span(found.start, found.end)
    return Found(start, end, found.entity_type, found.score, found.recognizer)
