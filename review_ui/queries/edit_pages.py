"""The forms that edit a summary or redactions, as they are stored or as they were typed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import FormData

from configs.errors import NotApplicableError, NotFoundError
from models.documents import (
    SENTENCE_PARTS,
    ActionItem,
    RedactedTranscript,
    Redactions,
    Sentence,
    Summary,
    SummaryMethod,
)
from review_ui.api_models import MAX_TITLE
from review_ui.forms import text, whole_number
from review_ui.locale import Locale
from review_ui.queries.access import ENTITY_TYPES, load_document
from review_ui.queries.review_pages import ReviewedRevision, reviewed_revision
from review_ui.queries.transcript import pseudonym_places, segment_view, segment_views
from review_ui.redaction_offsets import ShownEdit, places_of
from review_ui.review_contexts import (
    RedactionEditPage,
    SentenceForm,
    SummaryBase,
    SummaryEditPage,
    SummaryForm,
)
from review_ui.visitors import Visitor
from review_ui.web import Web

_BLANK_ROWS = 2
_BLANK_ADDITIONS = 3
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class EditedRevision:
    """What an edit starts from."""

    seen: ReviewedRevision
    transcript: RedactedTranscript
    summary: Summary


def edited_revision(web: Web, visitor: Visitor, run_id: str) -> EditedRevision:
    """Return the newest reviewed revision with its documents.

    Raises:
        NotFoundError: no such run, or it has no review yet (not retryable).
    """
    seen = reviewed_revision(web, visitor, run_id)
    refs = seen.artifacts
    return EditedRevision(
        seen,
        load_document(web.app, refs.get("redacted_transcript"), RedactedTranscript),
        load_document(web.app, refs.get("summary"), Summary),
    )


def stored_redactions(web: Web, seen: ReviewedRevision) -> Redactions:
    """Return where redactions stand in the original; no text of it.

    Raises:
        NotApplicableError: the retention period of the original has passed (not retryable).
    """
    ref = seen.artifacts.get("redactions")
    if ref is None:
        raise NotApplicableError(
            "The retention period of the original has passed, so its redactions cannot be changed. "
            "Upload the source again.",
            {"reason": "artifact_missing", "missing": ["redactions"]},
        )
    return load_document(web.app, ref, Redactions)


def summary_edit_page(edited: EditedRevision) -> SummaryEditPage:
    """Return the form with the stored summary, and blank rows to add sentences."""
    head = edited.seen.head
    base = SummaryBase(edited.seen.review.sha256, head.title)
    return refused_summary_page(edited, form_of(head.title, edited.summary), (), base)


def form_of(title: str, summary: Summary) -> SummaryForm:
    """Return the form of a stored summary, with blank rows to add sentences."""
    sections = {
        section: [_row(sentence) for sentence in getattr(summary, section)]
        + [SentenceForm("", "")] * _BLANK_ROWS
        for section in SENTENCE_PARTS
    }
    return SummaryForm(title, summary.headline, sections)


def refused_summary_page(
    edited: EditedRevision, form: SummaryForm, errors: Sequence[str], base: SummaryBase
) -> SummaryEditPage:
    """Return the form as it was typed, with what is wrong."""
    return SummaryEditPage(
        run=edited.seen.head,
        base=base,
        form=form,
        segments=segment_views(edited.transcript),
        errors=errors,
    )


def posted_base(data: FormData, edited: EditedRevision) -> SummaryBase:
    """Return what a form was typed over; the review that waits, where its revision was shown."""
    seen, current = whole_number(text(data, "seen")) or 0, edited.seen.review
    has_seen = edited.seen.is_current and seen == current.revision
    sha256 = current.sha256 if has_seen else text(data, "base_sha256")
    return SummaryBase(sha256, text(data, "base_title"), seen)


def summary_form(data: FormData) -> SummaryForm:
    """Return what was typed into the summary form."""
    sections = {}
    for section in SENTENCE_PARTS:
        columns = [_column(data, f"{section}.{name}") for name in ("text", "citations")]
        more = [_column(data, f"{section}.{name}") for name in ("owner", "due")]
        rows = []
        for i, sentence in enumerate(columns[0]):
            rest = [column[i] if i < len(column) else "" for column in (columns[1], *more)]
            rows.append(SentenceForm(sentence.strip(), *(value.strip() for value in rest)))
        sections[section] = rows
    title, headline = (str(data.get(name, "")).strip() for name in ("title", "headline"))
    return SummaryForm(title, headline, sections)


def read_summary(
    form: SummaryForm, edited: EditedRevision, locale: Locale
) -> tuple[Summary, list[str]]:
    """Return the summary that a form means, and what is wrong with it in the editor's words."""
    known = {segment.id for segment in edited.transcript.segments}
    errors = [] if 0 < len(form.title) <= MAX_TITLE else [locale("edit.needs_title", n=MAX_TITLE)]
    for row in (row for rows in form.sections.values() for row in rows if row.text):
        numbers = _numbers(row.citations)
        if not numbers:
            errors.append(locale("edit.needs_citation", text=row.text[:60]))
        errors += [locale("edit.unknown_segment", n=n) for n in numbers if n not in known]
    if not any(row.text for row in form.sections["abstract"]):
        errors.append(locale("edit.needs_abstract"))
    return _summary(form, edited.summary), errors


def redaction_edit_page(
    edited: EditedRevision,
    segment_id: int,
    errors: Sequence[str] = (),
    additions: Sequence[tuple[str, str]] = (),
) -> RedactionEditPage:
    """Return the form for one segment.

    Raises:
        NotFoundError: there is no such segment (not retryable).
    """
    segment = edited.transcript.segment(segment_id)
    if segment is None:
        raise NotFoundError("There is no such segment.")
    blank = [("", ENTITY_TYPES[0])] * max(0, _BLANK_ADDITIONS - len(additions))
    return RedactionEditPage(
        run=edited.seen.head,
        base_sha256=edited.seen.review.sha256,
        segment=segment_view(segment),
        entity_types=ENTITY_TYPES,
        places=pseudonym_places(edited.transcript),
        keeps_summary=edited.summary.method is SummaryMethod.EDITED,
        errors=errors,
        additions=[*additions, *blank],
    )


def typed_additions(data: FormData) -> list[tuple[str, str]]:
    """Return the texts to redact that were typed, with their types."""
    kinds = _column(data, "add_type")
    return [
        (
            typed.strip(),
            kinds[i] if i < len(kinds) and kinds[i] in ENTITY_TYPES else ENTITY_TYPES[0],
        )
        for i, typed in enumerate(_column(data, "add_text"))
        if typed.strip()
    ]


def shown_edits(
    data: FormData, edited: EditedRevision, locale: Locale
) -> tuple[list[ShownEdit], list[str]]:
    """Return the corrections a form asks for, in offsets of the shown text, and what is wrong."""
    edits, errors = [], []
    for value in _column(data, "edit"):
        edit = _parse_edit(value)
        if edit is None:
            errors.append(locale("redact.unreadable"))
        else:
            edits.append(edit)
    number = whole_number(text(data, "segment_id"))
    segment = None if number is None else edited.transcript.segment(number)
    for typed, entity_type in typed_additions(data):
        places = places_of(typed, segment) if segment else []
        if not places or segment is None:
            errors.append(locale("redact.not_found", text=typed[:60]))
        else:
            edits += [ShownEdit("add", segment.id, *place, entity_type) for place in places]
    if not edits and not errors:
        errors.append(locale("redact.nothing"))
    return edits, errors


def _parse_edit(value: str) -> ShownEdit | None:
    parts = value.split(":")
    if len(parts) != 5 or parts[0] not in {"add", "remove"}:
        return None
    segment_id, start, end = (whole_number(part) for part in parts[1:4])
    if segment_id is None or start is None or end is None:
        return None
    return ShownEdit(parts[0], segment_id, start, end, parts[4][:40])


def _row(sentence: Sentence) -> SentenceForm:
    return SentenceForm(
        sentence.text,
        ", ".join(map(str, sentence.citations)),
        getattr(sentence, "owner", None) or "",
        getattr(sentence, "due", None) or "",
    )


def _column(data: FormData, name: str) -> list[str]:
    return [str(value) for value in data.getlist(name)]


def _numbers(value: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(value) if len(number) < 10]


def _summary(form: SummaryForm, before: Summary) -> Summary:
    filled: Mapping[str, list[SentenceForm]] = {
        section: [row for row in rows if row.text] for section, rows in form.sections.items()
    }
    plain = {
        section: tuple(Sentence(text=r.text, citations=tuple(_numbers(r.citations))) for r in rows)
        for section, rows in filled.items()
        if section != "action_items"
    }
    items = tuple(
        ActionItem(
            text=row.text,
            citations=tuple(_numbers(row.citations)),
            owner=row.owner or None,
            due=row.due or None,
        )
        for row in filled["action_items"]
    )
    return before.model_copy(
        update={"headline": form.headline or before.headline, **plain, "action_items": items}
    )
