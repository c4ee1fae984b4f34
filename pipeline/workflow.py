"""The way of one revision, from an uploaded file to a publication that a person has approved.

Start reading here. Each `step.do` is durable: once it has succeeded its result is in the journal
and it never runs again, whatever process dies. What an earlier revision made and this one takes
over is in `event.payload.made`, so that an edit or a reprocess begins at the first step that must
run again.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from sqlmodel import Session

from configs.errors import AppError
from pipeline.engine import (
    EventTimeoutError,
    Outcome,
    Retries,
    Status,
    Step,
    Workflow,
    WorkflowEvent,
)
from pipeline.steps.anonymize import anonymize, bleep
from pipeline.steps.carry_summary import EDITED, carry_summary
from pipeline.steps.check_quality import check_quality
from pipeline.steps.extract import extract
from pipeline.steps.job import Job
from pipeline.steps.keep import keep, keep_checked, keep_transcript
from pipeline.steps.notify import notify, record_notice
from pipeline.steps.probe import READING, probe
from pipeline.steps.publish import publish, record_publication
from pipeline.steps.render import render
from pipeline.steps.review import (
    ReviewState,
    close_review,
    end_without_speech,
    nothing,
    record_end,
    record_move,
    request_review,
    review_terms,
)
from pipeline.steps.transcribe import join_transcript, transcribe
from pipeline.summary_writer import SummaryWriter
from storage.refs import ArtifactRef
from storage.statuses import ReviewStatus, RunStatus

REVIEW_DECISION = "review-decision"
NOTICE = Retries(limit=8, delay="30 seconds", backoff="exponential")

Artifacts = dict[str, ArtifactRef]


@dataclass(frozen=True)
class SourceParams:
    """What an instance works on: a job, and the artifacts (by role) that it need not make."""

    job: Job
    made: Artifacts = field(default_factory=dict)


class ProcessSource(Workflow[SourceParams]):
    """Version 1 of the workflow that every upload, edit and reprocess goes through."""

    name = "process-source"

    async def run(self, event: WorkflowEvent[SourceParams], step: Step) -> str:
        """Take the source to its end and return the run's final status."""
        job, made = event.payload.job, dict(event.payload.made)
        if "transcript" not in made and not await read_source(step, job, made):
            return await step.do(
                "end_without_speech", nothing, commit=partial(end_without_speech, job)
            )
        if "redacted_transcript" not in made:
            await remove_personal_data(step, job, made)
        await asyncio.gather(cover_sound(step, job, made), write_summary(step, job, made))
        await render_and_check(step, job, made)
        status = await ask_editors(step, job, made)
        if status is not ReviewStatus.APPROVED:
            return status.value
        await publish_and_tell(step, job)
        return RunStatus.PUBLISHED.value

    def finished(
        self, session: Session, event: WorkflowEvent[SourceParams], outcome: Outcome
    ) -> None:
        """Note an error or a termination on the run, in the transaction that ends the instance."""
        record_end(session, event.payload.job, outcome)

    def moved(self, session: Session, event: WorkflowEvent[SourceParams], status: Status) -> None:
        """Show on the run that an operator paused, resumed or restarted it."""
        record_move(session, event.payload.job, status)


async def read_source(step: Step, job: Job, made: Artifacts) -> bool:
    """Turn the source into a transcript; return False where nothing is said in it."""
    probed = await step.do(
        "probe",
        partial(probe, job, made["source"]),
        resource="asr",
        timeout="60 minutes",
        retries=READING,
        commit=partial(keep, job, "probe", 1),
    )
    made |= probed.artifacts
    if probed.report is None:
        text = await step.do(
            "extract",
            partial(extract, job, made["source"]),
            resource="redact",
            timeout="20 minutes",
            retries=READING,
            commit=partial(keep_transcript, job, "extract"),
        )
    else:
        parts, speech = [], made["normalized_audio/speech"]
        for count, window in enumerate(probed.windows, start=1):
            part = await step.do(
                "transcribe",
                partial(
                    transcribe,
                    job,
                    made["normalized_audio"],
                    speech,
                    window,
                    count == len(probed.windows),
                    made.get("vocabulary"),
                ),
                resource="asr",
                timeout="60 minutes",
                commit=partial(keep, job, "transcribe", count),
            )
            parts += part.artifacts.values()
        text = await step.do(
            "join_transcript",
            partial(join_transcript, job, parts, probed.report, speech, made["normalized_audio"]),
            resource="asr",
            timeout="60 minutes",
            commit=partial(keep_transcript, job, "join_transcript"),
        )
    made |= text.artifacts
    return text.has_text


async def remove_personal_data(step: Step, job: Job, made: Artifacts) -> None:
    """Replace personal data in the text."""
    redacted = await step.do(
        "anonymize",
        partial(anonymize, job, made["transcript"], made.get("redactions/edits")),
        resource="redact",
        timeout="30 minutes",
        commit=partial(keep, job, "anonymize", 1),
    )
    made |= redacted.artifacts


async def cover_sound(step: Step, job: Job, made: Artifacts) -> None:
    """Put a tone over what was replaced in the text."""
    if "normalized_audio" in made and "redacted_audio" not in made:
        bleeped = await step.do(
            "bleep",
            partial(bleep, job, made["normalized_audio"], made["redactions"]),
            resource="asr",
            timeout="30 minutes",
            commit=partial(keep, job, "bleep", 1),
        )
        made |= bleeped.artifacts


async def write_summary(step: Step, job: Job, made: Artifacts) -> None:
    """Summarize the redacted transcript; a written summary that fails gives way to quotation.

    What a person wrote before the redactions changed is kept, and follows them.
    """
    if "summary" in made:
        return
    if f"summary/{EDITED}" in made:
        await keep_edited_summary(step, job, made)
        return
    writer = SummaryWriter(step, job, made["redacted_transcript"])
    try:
        made["summary"] = await writer.write()
    except AppError as error:
        made["summary"] = await writer.quote(instead_of=error)


async def keep_edited_summary(step: Step, job: Job, made: Artifacts) -> None:
    """Bring a person's summary into line with the new redactions."""
    carried = await step.do(
        "carry_summary",
        partial(
            carry_summary,
            job,
            made[f"summary/{EDITED}"],
            made[f"pseudonym_map/{EDITED}"],
            made["redacted_transcript"],
            made["pseudonym_map"],
        ),
        resource="redact",
        commit=partial(keep, job, "carry_summary", 1),
    )
    made |= carried.artifacts


async def render_and_check(step: Step, job: Job, made: Artifacts) -> None:
    """Write the files of the publication, and check exactly those bytes."""
    rendered = await step.do(
        "render",
        partial(
            render, job, made["summary"], made["redacted_transcript"], made.get("redacted_audio")
        ),
        commit=partial(keep, job, "render", 1),
    )
    made |= rendered.artifacts
    checked = await step.do(
        "check_quality",
        partial(
            check_quality,
            job,
            made["summary"],
            made["redacted_transcript"],
            made["pseudonym_map"],
            rendered.artifacts,
            made.get("redactions"),
        ),
        resource="redact",
        commit=partial(keep_checked, job),
    )
    made |= checked.artifacts


async def ask_editors(step: Step, job: Job, made: Artifacts) -> ReviewStatus:
    """Open the review and wait, for weeks if need be; the decision's row is the authority.

    The event only wakes the workflow: `close_review` reads what was decided, whatever woke it.
    """
    terms = await step.do("review_terms", partial(review_terms, job, made["quality_report"]))
    review = await step.do("request_review", nothing, commit=partial(request_review, job, terms))
    state = ReviewState(ReviewStatus.OPEN, review.timeout_s)
    while state.status is ReviewStatus.OPEN:
        with suppress(EventTimeoutError):  # then `close_review` finds it past its deadline
            await step.wait_for_event(
                "await_decision", type=REVIEW_DECISION, timeout=state.remaining_s
            )
        state = await step.do(
            "close_review", nothing, commit=partial(close_review, review.review_id)
        )
    return state.status


async def publish_and_tell(step: Step, job: Job) -> None:
    """Copy the approved bytes to the publication; then tell whom the settings name."""
    await step.do("publish", partial(publish, job), commit=partial(record_publication, job))
    with suppress(AppError):  # shown with the step; what is published stays published
        await step.do(
            "notify", partial(notify, job), retries=NOTICE, commit=partial(record_notice, job)
        )
