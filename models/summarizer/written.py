"""The summary that a language model writes: part by part, combined, with evidence throughout."""

import hashlib
import json
from collections.abc import Sequence

from configs.errors import ContextTooLongError
from models.documents import RedactedTranscript, SummaryMethod
from models.summarizer.answers import find_json
from models.summarizer.chat import ChatModel, Completion, Message
from models.summarizer.parts import halve, part_lines, plan_parts
from models.summarizer.port import ModelAnswer, Part
from models.summarizer.prompts import Prompt, load_prompt
from models.summarizer.schema import answer_example, answer_schema

_LANGUAGES = {"en": "English", "ja": "Japanese (日本語)", "zh": "Chinese (中文)"}
_LONGEST = "; ".join(_LANGUAGES.values())
_SAFETY_TOKENS = 64
_MIN_BUDGET = 128


class WrittenSummarizer:
    """A `Summarizer` on a `ChatModel`, whichever library runs it.

    The model sees redacted text only, marked as data, and is given no tools.

    Args:
        model: answers conversations.
        method: `LLM` or `LOCAL_LLM`.
        prompt: with template and language; default: the packaged one, `standard`, the source's.
    """

    def __init__(
        self, model: ChatModel, method: SummaryMethod, prompt: Prompt | None = None
    ) -> None:
        """Keep model and prompt; nothing is sent."""
        self._model = model
        self._method = method
        self._prompt = prompt or load_prompt()

    @property
    def method(self) -> SummaryMethod:
        """How the summaries come to be."""
        return self._method

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def parts(self, redacted: RedactedTranscript) -> tuple[Part, ...]:
        """Cut a transcript by the model's context; see `Summarizer.parts`.

        Raises:
            ContextTooLongError: the prompt alone fills the context (not retryable).
        """
        return plan_parts(redacted, self._budget(redacted), self._model.count_tokens)

    def split(self, redacted: RedactedTranscript, part: Part) -> tuple[Part, ...]:
        """Halve a part; see `Summarizer.split`."""
        return halve(redacted, part)

    def answer(self, redacted: RedactedTranscript, part: Part) -> ModelAnswer:
        """Ask for the summary of a part; see `Summarizer.answer`."""
        return self._ask(redacted, self._part_messages(redacted, part), (part,))

    def groups(self, answers: Sequence[ModelAnswer]) -> tuple[tuple[int, ...], ...]:
        """Group answers by the model's context, two at least so that the number shrinks."""
        room = self._room(self._messages("combine", _LONGEST, transcript="", kind=""))
        groups: list[list[int]] = []
        size = 0
        for index, answer in enumerate(answers):
            tokens = self._model.count_tokens(_compact(answer.text))
            if not groups or (size + tokens > room and len(groups[-1]) > 1):
                groups.append([])
                size = 0
            groups[-1].append(index)
            size += tokens
        return tuple(tuple(group) for group in groups)

    def combine(self, redacted: RedactedTranscript, answers: Sequence[ModelAnswer]) -> ModelAnswer:
        """Ask for one summary of several; see `Summarizer.combine`."""
        covers = tuple(part for answer in answers for part in answer.covers)
        return self._ask(redacted, self._combine_messages(redacted, answers), covers)

    def repair(
        self,
        redacted: RedactedTranscript,
        answer: ModelAnswer,
        problems: Sequence[str],
        sources: Sequence[ModelAnswer] = (),
    ) -> ModelAnswer:
        """Ask again, saying what was wrong; see `Summarizer.repair`.

        An answer that was cut off gets twice the room where the context has it.
        """
        if sources:
            messages = self._combine_messages(redacted, sources)
        else:
            messages = self._part_messages(redacted, answer.covers[0])
        listed = "\n".join(f"- {problem}" for problem in problems) or "- it is no JSON object"
        more = [Message("user", self._prompt.fill("repair", problems=listed))]
        if answer.text.strip() and answer.finish_reason != "length":
            more.insert(0, Message("assistant", answer.text))
        limit = self._model.max_output_tokens
        if answer.finish_reason == "length":
            limit = min(2 * limit, max(limit, self._left([*messages, *more])))
        return self._ask(redacted, [*messages, *more], answer.covers, limit)

    def _ask(
        self,
        redacted: RedactedTranscript,
        messages: Sequence[Message],
        covers: tuple[Part, ...],
        limit: int | None = None,
    ) -> ModelAnswer:
        language = self._language(redacted)
        key = _request_key(self.name, self._prompt.digest, language, messages, limit)
        schema = answer_schema(self._prompt.template.parts)
        completion = self._model.complete(
            messages, schema, max_output_tokens=limit, idempotency_key=key
        )
        return self._model_answer(completion, covers, language)

    def _language(self, redacted: RedactedTranscript) -> str:
        """Return the language of the summary."""
        return self._prompt.language or redacted.language

    def _model_answer(
        self, completion: Completion, covers: tuple[Part, ...], language: str
    ) -> ModelAnswer:
        return ModelAnswer(
            text=completion.text,
            method=self._method,
            model=completion.model,
            covers=covers,
            finish_reason=completion.finish_reason,
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
            prompt_digest=self._prompt.digest,
            language=language,
            template=self._prompt.template.use(language),
            endpoint=completion.endpoint,
        )

    def _part_messages(self, redacted: RedactedTranscript, part: Part) -> list[Message]:
        lines = part_lines(redacted, part)
        text = "\n".join(
            f"[{number}] {speaker}: {words}" if speaker else f"[{number}] {words}"
            for number, words, speaker in lines
        )
        return self._messages(
            "part",
            self._asked_language(redacted),
            transcript=text,
            kind=_kind(redacted),
            part=_which(redacted, part),
        )

    def _combine_messages(
        self, redacted: RedactedTranscript, answers: Sequence[ModelAnswer]
    ) -> list[Message]:
        return self._messages(
            "combine",
            self._asked_language(redacted),
            transcript="\n".join(_compact(answer.text) for answer in answers),
            kind=_kind(redacted),
        )

    def _messages(
        self, section: str, language: str, *, transcript: str, **values: str
    ) -> list[Message]:
        marker = _marker(transcript)
        system = self._prompt.fill(
            "system",
            marker=marker,
            language=language,
            form=json.dumps(answer_example(self._prompt.template.parts), ensure_ascii=False),
            guidance=self._prompt.template.guidance,
        )
        user = self._prompt.fill(section, marker=marker, transcript=transcript, **values)
        return [Message("system", system), Message("user", user)]

    def _asked_language(self, redacted: RedactedTranscript) -> str:
        """Return how the prompt names the language of the summary."""
        wanted, source = self._language(redacted), redacted.language
        if wanted == source:
            return _named(source)
        return f"{_named(wanted)}; what is in {_named(source)} has to be translated"

    def _budget(self, redacted: RedactedTranscript) -> int:
        language = self._asked_language(redacted)
        budget = self._room(self._messages("part", language, transcript="", kind=""))
        if budget < _MIN_BUDGET:
            raise ContextTooLongError("The prompt leaves no room for text in the model's context.")
        return budget

    def _room(self, messages: Sequence[Message]) -> int:
        return self._left(messages) - self._model.max_output_tokens

    def _left(self, messages: Sequence[Message]) -> int:
        used = sum(self._model.count_tokens(message.content) for message in messages)
        return self._model.context_tokens - used - _SAFETY_TOKENS


def _named(language: str) -> str:
    return _LANGUAGES.get(language, f"the language “{language}”")


def _kind(redacted: RedactedTranscript) -> str:
    return "recording" if redacted.kind == "speech" else "document"


def _which(redacted: RedactedTranscript, part: Part) -> str:
    spoken = [segment.id for segment in redacted.segments if segment.text.strip()]
    first = part.first_segment <= spoken[0] and not part.first_offset
    last = part.last_segment >= spoken[-1] and part.last_offset is None
    if first:
        return "the whole" if last else "the first part"
    return "the last part" if last else "a middle part"


def _marker(text: str) -> str:
    """Return a line that the text cannot hold, since it is made of the text's hash."""
    return f"=== {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _compact(text: str) -> str:
    found = find_json(text)
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")) if found else text


def _request_key(*parts: object) -> str:
    """Return a key that is the same for the same request, so that a repeat is recognized."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()
