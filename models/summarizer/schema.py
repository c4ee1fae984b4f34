"""The JSON form in which every engine answers."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from models.documents import ActionItem, Chapter, Sentence

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Cited = Annotated[tuple[int, ...], Field(min_length=1, max_length=200)]


class _Answered(BaseModel):
    """Base of an answer's parts; what a model adds beyond the schema is dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class AnsweredSentence(_Answered):
    """A sentence with the segments that are its evidence."""

    text: Text
    citations: Cited

    def sentence(self) -> Sentence:
        """Return it as a document, the citations in order and each once."""
        return Sentence(text=self.text, citations=tuple(sorted(set(self.citations))))


class AnsweredAction(AnsweredSentence):
    """Something to do."""

    owner: str | None = None
    due: str | None = None

    def action(self) -> ActionItem:
        """Return it as a document; blank owner and date become None."""
        sentence = self.sentence()
        return ActionItem(
            text=sentence.text,
            citations=sentence.citations,
            owner=(self.owner or "").strip() or None,
            due=(self.due or "").strip() or None,
        )


class AnsweredChapter(_Answered):
    """A stretch of the source under a title."""

    title: Text
    first_segment: int
    last_segment: int

    def chapter(self) -> Chapter:
        """Return it as a document."""
        return Chapter(
            title=self.title, first_segment=self.first_segment, last_segment=self.last_segment
        )


class AnsweredSummary(_Answered):
    """The whole answer."""

    headline: Text
    abstract: Annotated[tuple[AnsweredSentence, ...], Field(min_length=1, max_length=12)]
    key_points: Annotated[tuple[AnsweredSentence, ...], Field(max_length=40)] = ()
    decisions: Annotated[tuple[AnsweredSentence, ...], Field(max_length=40)] = ()
    action_items: Annotated[tuple[AnsweredAction, ...], Field(max_length=40)] = ()
    chapters: Annotated[tuple[AnsweredChapter, ...], Field(max_length=40)] = ()


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_ID = {"type": "integer"}
_CITED = {"text": _TEXT, "citations": {"type": "array", "items": _ID}}
_SENTENCES = {"type": "array", "items": _object(**_CITED)}

_PARTS: dict[str, object] = {
    "abstract": _SENTENCES,
    "key_points": _SENTENCES,
    "decisions": _SENTENCES,
    "action_items": {"type": "array", "items": _object(**_CITED, owner=_MAYBE, due=_MAYBE)},
    "chapters": {
        "type": "array",
        "items": _object(title=_TEXT, first_segment=_ID, last_segment=_ID),
    },
}
_EXAMPLES: dict[str, object] = {
    "abstract": [{"text": "text", "citations": [1, 2]}],
    "key_points": [{"text": "text", "citations": [3]}],
    "decisions": [{"text": "text", "citations": [4]}],
    "action_items": [{"text": "text", "citations": [5], "owner": None, "due": None}],
    "chapters": [{"title": "text", "first_segment": 1, "last_segment": 5}],
}


def answer_schema(parts: Iterable[str]) -> dict[str, object]:
    """Return the schema that endpoints are given, with these parts of a summary.

    It has only what the strict modes of endpoints share: every property required, none added, no
    lengths. Lengths and references are checked by `parse_summary`.
    """
    return _object(headline=_TEXT, **{part: _PARTS[part] for part in parts})


def answer_example(parts: Iterable[str]) -> dict[str, object]:
    """Return what an answer with these parts looks like, for the prompt."""
    return {"headline": "text", **{part: _EXAMPLES[part] for part in parts}}
