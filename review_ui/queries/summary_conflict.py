"""Two people edit one summary: what the other one saved, beside what was typed."""

from collections.abc import Sequence
from dataclasses import replace

from models.documents import Summary
from review_ui.locale import Locale
from review_ui.queries.access import load_document
from review_ui.queries.edit_pages import (
    EditedRevision,
    form_of,
    refused_summary_page,
)
from review_ui.queries.review_pages import line_difference, review_by_hash
from review_ui.review_contexts import SentenceForm, SummaryBase, SummaryEditPage, SummaryForm
from review_ui.web import Web
from storage import runs
from storage.database import reading


def conflict_page(
    web: Web, edited: EditedRevision, form: SummaryForm, base: SummaryBase, locale: Locale
) -> SummaryEditPage:
    """Return the form after somebody else has begun another revision.

    What was left as it had been follows the other version; what was typed stays. The form names
    the revision that it shows now, so that saving again is a choice made after seeing it.

    Args:
        web: the application.
        edited: the newest revision that has a review.
        form: what was typed.
        base: what it was typed over.
        locale: the language of the page.
    """
    head, is_open = edited.seen.head, edited.seen.is_current
    found = _summary_of(web, head.id, head.revision)
    theirs = form_of(head.title, found) if found else replace(form, title=head.title)
    merged = _merged(_shown(web, edited, base), form, theirs)
    text = "edit.conflict" if is_open else "edit.conflict_pending"
    seen = SummaryBase(
        edited.seen.review.sha256 if is_open else base.sha256,
        head.title,
        head.revision if found else 0,
    )
    page = refused_summary_page(edited, merged, [locale(text, n=head.revision)], seen)
    lines = line_difference(_texts(merged), _texts(theirs))
    return replace(page, theirs=lines, theirs_revision=head.revision)


def _summary_of(web: Web, run_id: str, revision: int) -> Summary | None:
    with reading(web.app.database) as session:
        ref = runs.artifacts_of(session, run_id, revision).get("summary")
    return load_document(web.app, ref, Summary) if ref else None


def _shown(web: Web, edited: EditedRevision, base: SummaryBase) -> SummaryForm | None:
    """Return what the form held before anything was typed; None where that is not known."""
    run_id = edited.seen.head.id
    review = review_by_hash(web, run_id, edited.seen.review.revision, base.sha256)
    found = _summary_of(web, run_id, base.seen or (review.revision if review else 0))
    return form_of(base.title, found) if found else None


def _merged(shown: SummaryForm | None, mine: SummaryForm, theirs: SummaryForm) -> SummaryForm:
    if shown is None:
        return mine
    sections = {
        name: theirs.sections[name] if _filled(rows) == _filled(shown.sections[name]) else rows
        for name, rows in mine.sections.items()
    }
    return SummaryForm(
        theirs.title if mine.title == shown.title else mine.title,
        theirs.headline if mine.headline == shown.headline else mine.headline,
        sections,
    )


def _filled(rows: Sequence[SentenceForm]) -> list[SentenceForm]:
    return [row for row in rows if row.text]


def _texts(form: SummaryForm) -> list[str]:
    """Return the lines of a form, the owner and the date of a task with its text."""
    rows = (row for rows in form.sections.values() for row in rows if row.text)
    lines = (" · ".join(filter(None, (row.text, row.owner, row.due))) for row in rows)
    return [form.title, form.headline, *lines]
