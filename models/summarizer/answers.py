"""From a model's answer to a summary: pure, strict, and without a second call."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from configs.errors import ContentFilterError, ModelSchemaError
from models.documents import RedactedTranscript, Summary, SummaryMethod, SummaryTemplate
from models.summarizer.port import ModelAnswer, Part
from models.summarizer.refusals import is_blank, is_refusal
from models.summarizer.schema import AnsweredSummary

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```(?:json)?\s*(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_MAX_PROBLEMS = 12


def parse_summary(
    answer: ModelAnswer, redacted: RedactedTranscript, *, fallback_reason: str | None = None
) -> Summary:
    """Read an answer as a summary.

    Args:
        answer: of a part or a combination.
        redacted: the whole transcript, to check the citations against.
        fallback_reason: an error's code, where this extractive summary stands in for a written one.

    Returns:
        The summary, with the parts of the template that the answer was asked to follow;
        `model_input_ratio` is the share of the transcript that the answer covers.

    Raises:
        ModelSchemaError: it is no such JSON, blank, or cites segments that it was not given;
            `details["problems"]` says what without quoting (not retryable; `repair` once).
        ContentFilterError: the answer is a refusal (not retryable).
    """
    parsed = _validated(answer)
    summary = Summary(
        method=answer.method,
        language=answer.language or redacted.language,
        template=answer.template,
        headline=parsed.headline,
        fallback_reason=fallback_reason,
        model_input_ratio=input_ratio(answer.covers, redacted),
        **_parts(parsed, answer.template),
    )
    _refuse_refusals(summary)
    given = _given_segments(answer.covers, redacted)
    problems = [*_blank_texts(summary), *_citations(summary, given), *_chapters(summary, given)]
    if problems:
        raise _schema_error(problems)
    return summary


def input_ratio(covers: Sequence[Part], redacted: RedactedTranscript) -> float:
    """Return the share (0..1) of a transcript's characters that lie in the parts; 1.0 if empty."""
    total = sum(len(segment.text) for segment in redacted.segments)
    if not total:
        return 1.0
    covered = sum(
        end - start
        for segment in redacted.segments
        for start, end in _merged(_stretches(covers, segment.id, len(segment.text)))
    )
    return round(covered / total, 6)


def find_json(text: str) -> dict[str, object] | None:
    """Return the JSON object in a text: bare, in a code fence, or after other words; else None."""
    bare = _THINKING.sub("", text)
    candidates = [bare.strip(), *(match.group(1).strip() for match in _FENCE.finditer(bare))]
    for candidate in candidates:
        for found in _objects(candidate):
            if "headline" in found or "abstract" in found:
                return found
    return None


def _objects(text: str) -> Iterator[dict[str, object]]:
    decoder = json.JSONDecoder()
    starts = (match.start() for match in re.finditer(r"\{", text))
    for _, start in zip(range(20), starts, strict=False):
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _validated(answer: ModelAnswer) -> AnsweredSummary:
    data = find_json(answer.text)
    if data is None:
        if is_refusal(_THINKING.sub("", answer.text)):
            raise ContentFilterError("The model refused to summarize this text.")
        cut = answer.finish_reason == "length"
        raise _schema_error(["the answer was cut off" if cut else "the answer is no JSON object"])
    try:
        return AnsweredSummary.model_validate(data)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(step) for step in found['loc'])}: {found['msg']}"
            for found in error.errors(include_input=False, include_url=False)
        ]
        raise _schema_error(problems) from None


def _parts(parsed: AnsweredSummary, template: SummaryTemplate | None) -> dict[str, Any]:
    """Return the parts that the template has; what a model adds beyond them is left out."""
    found: dict[str, Any] = {
        "abstract": tuple(item.sentence() for item in parsed.abstract),
        "key_points": tuple(item.sentence() for item in parsed.key_points),
        "decisions": tuple(item.sentence() for item in parsed.decisions),
        "action_items": tuple(item.action() for item in parsed.action_items),
        "chapters": tuple(item.chapter() for item in parsed.chapters),
    }
    return {
        name: part for name, part in found.items() if template is None or name in template.parts
    }


def _schema_error(problems: Sequence[str]) -> ModelSchemaError:
    return ModelSchemaError(details={"problems": list(problems[:_MAX_PROBLEMS])})


def _refuse_refusals(summary: Summary) -> None:
    if summary.method is SummaryMethod.EXTRACTIVE:
        return  # a person in the source may be sorry that they cannot come
    if is_refusal(summary.headline) or all(is_refusal(s.text) for s in summary.abstract):
        raise ContentFilterError("The model refused to summarize this text.")


def _blank_texts(summary: Summary) -> Iterator[str]:
    if is_blank(summary.headline):
        yield "headline: says nothing"
    for place, sentence in summary.sentences():
        if is_blank(sentence.text):
            yield f"{place}.text: says nothing"


def _citations(summary: Summary, given: frozenset[int]) -> Iterator[str]:
    for place, sentence in summary.sentences():
        unknown = [str(segment) for segment in sentence.citations if segment not in given]
        if unknown:
            yield f"{place}.citations: no segment {', '.join(unknown[:5])} was given"


def _chapters(summary: Summary, given: frozenset[int]) -> Iterator[str]:
    before = 0
    for index, chapter in enumerate(summary.chapters):
        known = {chapter.first_segment, chapter.last_segment} <= given
        if not known or not before < chapter.first_segment <= chapter.last_segment:
            yield f"chapters[{index}]: must name given segments, in order and without overlap"
        before = chapter.last_segment


def _given_segments(covers: Sequence[Part], redacted: RedactedTranscript) -> frozenset[int]:
    return frozenset(
        segment.id
        for segment in redacted.segments
        if any(part.first_segment <= segment.id <= part.last_segment for part in covers)
    )


def _stretches(covers: Sequence[Part], segment_id: int, length: int) -> list[tuple[int, int]]:
    found = []
    for part in covers:
        if part.first_segment <= segment_id <= part.last_segment:
            start = part.first_offset if segment_id == part.first_segment else 0
            at_end = segment_id == part.last_segment and part.last_offset is not None
            found.append((start, min(part.last_offset or 0, length) if at_end else length))
    return found


def _merged(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
