"""What the patterns find in a text, over all views of it and without the models for names."""

from models.redactor.detection import identifiers
from models.redactor.resolve import resolve
from models.redactor.views import normalized


def identified(text: str, language: str) -> set[tuple[str, str]]:
    """Return class and surface of each identifier."""
    base = normalized(text)
    chosen = resolve(base.text, identifiers(base, language))
    places = ((f.entity_type, base.base_span(f.start, f.end)) for f in chosen)
    return {(kind, text[start:end]) for kind, (start, end) in places}
