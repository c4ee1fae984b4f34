"""Fictional sentences with personal data in them, to measure redaction with.

Nothing here is shared with what is measured: check digits, lists, ways of speaking and sentences
are written apart from `models.redactor`, `models.quality` and `configs/pii`, and import none of
them.
"""

from models.fictional.sentences import Manner, Sentence, generate

__all__ = ["Manner", "Sentence", "generate"]
