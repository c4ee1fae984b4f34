"""decide: what an editor says of a review, and the wake-up of the workflow, at once."""

from sqlmodel import Session

from configs.errors import InputError
from pipeline.commands.context import Actor, App, in_transaction, require_whole_hash, visible_run
from pipeline.commands.revising import wake
from storage import decisions, revisions
from storage.decisions import Choice, DecisionOutcome
from storage.tables import Decision


def decide(
    app: App,
    actor: Actor,
    run_id: str,
    decision: str,
    sha256: str,
    comment: str = "",
    override_reason: str | None = None,
) -> Decision:
    """Record a decision about exactly what `sha256` names, and wake the waiting workflow.

    Raises:
        ConflictError: stale, decided, expired or blocked; nothing changed (not retryable).
        PolicyError: not allowed to (not retryable).
        NotFoundError: no such run, or it has no review yet (not retryable).
        InputError: no such decision, or not a whole hash (not retryable).
    """
    require_whole_hash(sha256)
    try:
        choice = Choice(decision)
    except ValueError:
        raise InputError("Decide approve, reject or request_changes.") from None

    def record(session: Session) -> DecisionOutcome:
        run = visible_run(session, actor, run_id)
        outcome = decisions.decide(
            session,
            run_id=run_id,
            sha256=sha256,
            choice=choice,
            actor=actor.in_policy,
            policy=app.review_policy(run.tenant),
            channel=actor.channel,
            comment=comment,
            override_reason=override_reason,
        )
        if outcome.is_final:
            revision = revisions.get_revision(session, run_id, outcome.review.revision)
            wake(app, session, revision, outcome.decision.id)
        return outcome

    return in_transaction(app, record).decision
