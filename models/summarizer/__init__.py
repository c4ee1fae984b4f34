"""Summaries of redacted text by three engines behind one port. Importing it loads no model."""

from models.summarizer.answers import parse_summary
from models.summarizer.driver import problems_of, summarize
from models.summarizer.port import ModelAnswer, Part, Price, Summarizer, with_fallback

__all__ = [
    "ModelAnswer",
    "Part",
    "Price",
    "Summarizer",
    "parse_summary",
    "problems_of",
    "summarize",
    "with_fallback",
]
