"""`review`: what an editor sees and decides, from a terminal."""

from typing import Annotated

import typer

from pipeline.cli.console import JsonOption, read_as_usage, show
from pipeline.cli.opening import AsOption, acting, opened, opened_database
from pipeline.cli.runs import RunArgument

HashOption = Annotated[
    str,
    typer.Option("--sha256", metavar="H", help="The review hash that you decide on (review show)."),
]
CommentOption = Annotated[str, typer.Option(help="Your words to the uploader.")]

_BLOCKED = (
    "The checks block this revision. Mend it (`kikigaki review show` says what they found), or let "
    "an admin approve with --override REASON."
)


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="The editor's decision.", no_args_is_help=True)
    group.command("show")(show_review)
    group.command("approve")(approve)
    group.command("reject")(reject)
    group.command("request-changes")(request_changes)
    app.add_typer(group, name="review")


def show_review(run: RunArgument, as_json: JsonOption = False) -> None:
    """Show what waits for a decision: hash, deadline, verdict and the artifacts it names."""
    from configs.errors import NotFoundError
    from pipeline.run_report import review_document
    from storage import reviews, runs
    from storage.database import reading

    with opened_database() as (_, database), reading(database) as session:
        found = runs.get_run(session, run)
        review = reviews.latest_review(session, run)
        if review is None:
            raise NotFoundError(f"This run has no review yet; it is {found.status.value}.")
        document = {"run": run, "review": review_document(session, review)}
    show(document, as_json, lambda: _print(document["review"]))


def approve(
    run: RunArgument,
    sha256: HashOption,
    comment: CommentOption = "",
    override: Annotated[
        str | None,
        typer.Option(metavar="REASON", help="Publish although the checks block; recorded."),
    ] = None,
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve: exactly the named artifacts are published."""
    _decide(run, "approve", sha256, comment, override, as_user, as_json=as_json)


def reject(
    run: RunArgument,
    sha256: HashOption,
    comment: CommentOption = "",
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reject: nothing is published."""
    _decide(run, "reject", sha256, comment, None, as_user, as_json=as_json)


def request_changes(
    run: RunArgument,
    sha256: HashOption,
    comment: CommentOption = "",
    as_user: AsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask for changes: the next edit begins a new revision."""
    _decide(run, "request_changes", sha256, comment, None, as_user, as_json=as_json)


def _decide(
    run: str,
    decision: str,
    sha256: str,
    comment: str,
    override: str | None,
    as_user: str | None,
    *,
    as_json: bool,
) -> None:
    from configs.errors import BlockedError
    from pipeline import commands

    with opened() as installation:
        actor = acting(installation.app.database, as_user)
        try:
            with read_as_usage():
                made = commands.decide(
                    installation.app, actor, run, decision, sha256, comment, override
                )
        except BlockedError as error:
            raise BlockedError(_BLOCKED, error.details) from None
    document: dict[str, object] = {
        "run": run,
        "decision": made.decision,
        "sha256": made.sha256,
        "decided_by": made.approver_id,
        "decided_at": made.decided_at,
    }
    show(document, as_json, lambda: typer.echo(f"{run}: {decision} ({sha256[:16]})"))


def _print(review: object) -> None:
    assert isinstance(review, dict)  # noqa: S101 - as `review_document` makes it
    for name, value in review.items():
        if name not in {"artifacts", "reasons"} and value not in (None, [], ""):
            typer.echo(f"{name:18} {value}")
    for one in review["reasons"]:
        typer.echo(f"{'blocked by':18} {one['check']} at {one['place']}: {one['reason']}")
    for role, ref in sorted(review["artifacts"].items()):
        typer.echo(f"  {role:28} {ref['sha256']}")
