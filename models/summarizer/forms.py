"""What a sentence is in its document: prose, or something that stands around it.

Readers of documents mark headings, rows, quoted mails and signatures where the format shows them;
plain text and scans have lines, which show by their shape what they are.
"""

import re

from models.summarizer.cues import (
    due_in,
    is_action,
    is_decision,
    is_fragment,
    is_row,
    owners_in,
    promises,
)
from models.summarizer.titles import title_width

QUOTED = "quote"
ASIDE = frozenset(
    {"heading", "row", "envelope", "signature", "header", "footer", "label", "contact"}
)
"""Forms of what is no prose of a document."""

_END = re.compile(r"[.!?。！？…．][\"'”’」』)）\]】]*\s*\Z")
_CONTACT = re.compile(r"\[(?:EMAIL_ADDRESS|PHONE_NUMBER)_\d+\]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NOUN_END = re.compile(r"[^\u3041-\u3096]\Z|[のとやをはがへ]\Z")
_SPACED = re.compile(r"[\u3400-\u9fff）]\s+[^\s，]|\d\s+[\u3400-\u9fff]")
_LISTED = re.compile(r"\W*[^\s\[，。、,.：:]{1,16}[:：]\s?\[PERSON_")
_LABEL_COLUMNS = 24


def form_of(form: str, text: str) -> str:
    """Return what one sentence of a document is.

    Args:
        form: of its segment.
        text: the sentence.

    Returns:
        The segment's form, or `row`, `contact` (how to reach somebody) or `label` (a line without a
        predicate, such as a title, a date or a list of people) where the sentence shows it.
    """
    if form in ASIDE or form == QUOTED:
        return form
    if is_row(text):
        return "row"
    if _is_contact(text):
        return "contact"
    return "label" if _is_label(text) else form


def _is_contact(text: str) -> bool:
    """Tell whether a sentence says how to reach somebody, and not what somebody will do."""
    return bool(_CONTACT.search(text)) and not (due_in(text) or owners_in(text) or promises(text))


def _is_label(text: str) -> bool:
    if is_decision(text) or is_action(text):
        return False
    if _LISTED.match(text):
        return True
    if _END.search(text):
        return not _HAN.search(text) and text.count(",") > 1 and is_fragment(text)
    if _KANA.search(text):
        return _NOUN_END.search(text) is not None
    if _HAN.search(text):
        return title_width(text) <= _LABEL_COLUMNS or _SPACED.search(text) is not None
    return is_fragment(text)
