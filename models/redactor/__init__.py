"""Redaction of personal data in English, Japanese and Chinese. Importing it loads no model."""

from models.redactor.leaks import Leak, find_leaks
from models.redactor.redactor import Redactor
from models.redactor.types import (
    ALL_CLASSES,
    DEFAULT_CLASSES,
    RedactionPolicy,
    RedactionResult,
)

__all__ = [
    "ALL_CLASSES",
    "DEFAULT_CLASSES",
    "Leak",
    "RedactionPolicy",
    "RedactionResult",
    "Redactor",
    "find_leaks",
]
