"""The spoken view of a text in any language."""

from models.redactor.spoken_cjk import spoken_ja, spoken_zh
from models.redactor.spoken_en import spoken_en
from models.redactor.views import View


def spoken(view: View, language: str) -> View:
    """Return the view with spoken numbers as digits: English ones always, and the language's own.

    English is read in every language, since speakers of all of them spell in it.
    """
    view = spoken_en(view)
    if language == "ja":
        return spoken_ja(view)
    return spoken_zh(view) if language == "zh" else view
