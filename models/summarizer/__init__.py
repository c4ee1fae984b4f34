"""Summaries of redacted text by three engines behind one port. Importing it loads no model."""

from models.summarizer.answers import parse_summary
from models.summarizer.driver import problems_of, summarize
from models.summarizer.order import Asked, last_answer
from models.summarizer.port import ModelAnswer, Part, Summarizer, with_fallback

__all__ = [
    "Asked",
    "ModelAnswer",
    "Part",
    "Summarizer",
    "last_answer",
    "parse_summary",
    "problems_of",
    "summarize",
    "with_fallback",
]
