"""What the API's handlers need beyond the commands."""

from pathlib import PurePosixPath

from fastapi import Request
from fastapi.responses import Response

from configs.errors import AppError, InputError, NotFoundError, PolicyError
from models.documents import SENTENCE_PARTS, RedactionEdit, Summary
from pipeline.run_report import run_document, run_line
from review_ui.api_models import RedactionsIn, RunList, SummaryIn
from review_ui.files import stored_file
from review_ui.queries.access import visible_run
from review_ui.queries.edit_pages import edited_revision, stored_redactions
from review_ui.queries.steps import history_of
from review_ui.redaction_offsets import ShownEdit, original_edits
from review_ui.visitors import Visitor
from review_ui.web import Web
from storage import audit, run_list, runs
from storage.database import reading, transaction
from storage.refs import RAW_KINDS, ArtifactRef
from storage.tables import Run

_SANDBOX = "default-src 'none'; sandbox"


class PreconditionRequiredError(AppError):
    """Send the review hash that the change is based on as `If-Match: "sha256"`."""

    code = "request.if_match_required"
    http_status = 428


def run_lines(web: Web, filters: run_list.RunFilter, limit: int, after: str | None) -> RunList:
    """Return a page of runs, newest first."""
    with reading(web.app.database) as session:
        found = run_list.list_runs(session, filters, limit=limit + 1, after=after)
    page = found[:limit]
    return RunList(
        runs=[run_line(run) for run in page],
        next=page[-1].id if len(found) > limit else None,
    )


def run_details(web: Web, visitor: Visitor, run_id: str, base_url: str) -> dict[str, object]:
    """Return everything that may be said of a run; no text of the recording.

    Raises:
        NotFoundError: there is none for this visitor (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        return run_document(session, run, history_of(web.app, run), base_url)


def artifact_response(
    request: Request, web: Web, visitor: Visitor, run_id: str, role: str, revision: int | None
) -> Response:
    """Answer with an artifact of the newest or a given revision.

    Personal data: raw kinds are for admins only, and each reading is in the audit log.

    Raises:
        NotFoundError: no such run or artifact, or it has been erased (not retryable).
        PolicyError: a raw kind, and not an admin (not retryable).
    """
    with reading(web.app.database) as session:
        run = visible_run(session, visitor, run_id)
        runs.require_there(run)
        refs = runs.artifacts_of(session, run_id, revision or run.revision)
    ref = refs.get(role)
    is_raw = role.partition("/")[0] in RAW_KINDS
    if is_raw and not visitor.can_administer:
        raise PolicyError("Raw artifacts are for admins only.", {"reason": "role"})
    if ref is None:
        details: dict[str, object] = {"artifacts": sorted(refs)}
        raise NotFoundError("This revision has no such artifact.", details)
    if is_raw:
        _record_reading(web, visitor, run, role, ref)
    return stored_file(
        request,
        web.app.store,
        ref,
        media_type=ref.media_type,
        download_name=_download_name(run, role, ref),
        headers={"Content-Security-Policy": _SANDBOX},
    )


def shown_hash(if_match: str | None) -> str:
    """Return the review hash in an `If-Match` header.

    Raises:
        PreconditionRequiredError: there is none (not retryable).
    """
    if not if_match:
        raise PreconditionRequiredError
    return if_match.strip().removeprefix("W/").strip('"')


def summary_to_save(web: Web, visitor: Visitor, run_id: str, body: SummaryIn) -> Summary:
    """Return the stored summary with the editor's words, once their citations are looked up.

    Raises:
        InputError: a sentence cites nothing or a segment that does not exist (not retryable).
        NotFoundError: no such run, or it has no review yet (not retryable).
    """
    edited = edited_revision(web, visitor, run_id)
    known = {segment.id for segment in edited.transcript.segments}
    words = {name: getattr(body, name) for name in ("headline", *SENTENCE_PARTS, "chapters")}
    summary = edited.summary.model_copy(update=words)
    places = [
        place
        for place, sentence in summary.sentences()
        if not sentence.citations or not known.issuperset(sentence.citations)
    ]
    places += [
        f"chapters[{i}]"
        for i, chapter in enumerate(summary.chapters)
        if not known.issuperset((chapter.first_segment, chapter.last_segment))
    ]
    if places:
        raise InputError("Each sentence must cite segments that exist.", {"places": places[:50]})
    return summary


def edits_in_force(
    web: Web, visitor: Visitor, run_id: str, body: RedactionsIn
) -> list[RedactionEdit]:
    """Return all corrections that hold after this request, in offsets of the original text.

    Raises:
        InputError: a place does not exist (not retryable).
        NotFoundError: no such run, or it has no review yet (not retryable).
    """
    if body.offsets == "original":
        return body.edits
    edited = edited_revision(web, visitor, run_id)
    shown = [
        ShownEdit(edit.action, edit.segment_id, edit.start, edit.end, edit.entity_type)
        for edit in body.edits
    ]
    return original_edits(shown, stored_redactions(web, edited.seen), edited.transcript)


def _record_reading(web: Web, visitor: Visitor, run: Run, role: str, ref: ArtifactRef) -> None:
    with transaction(web.app.database) as session:
        audit.append(
            session,
            actor_id=visitor.user.id,
            action="artifact.read",
            run_id=run.id,
            details={"role": role, "sha256": ref.sha256, "channel": visitor.actor.channel},
        )


def _download_name(run: Run, role: str, ref: ArtifactRef) -> str:
    if role == "source":
        return run.file_name
    name = PurePosixPath(role).name
    return name if "." in name else f"{name}{PurePosixPath(ref.key).suffix}"
