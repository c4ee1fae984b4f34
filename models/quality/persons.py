"""Whole names of persons in a summary, by the dictionary of Japanese and the tagger of Chinese."""

from collections.abc import Iterator

from models import kana


def person_names(text: str, language: str) -> Iterator[str]:
    """Yield names without title or honorific; English ones are found by their capitals.

    Args:
        text: one sentence.
        language: `ja`: a family name and a given name side by side; `zh`: what LAC takes for a
            person, of two characters and more; any other: nothing.
    """
    if language == "ja":
        yield from kana.whole_names(text)
    elif language == "zh":
        from models.redactor import lac  # noqa: PLC0415 - loads its model; for Chinese only

        tagged = (text[word.start : word.end] for word in lac.tag(text) if word.tag == "PER")
        yield from (name for name in tagged if len(name) > 1)
