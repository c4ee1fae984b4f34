"""The demo: a real recording from upload to review page, and with `--approve` to publication."""

import time
from datetime import timedelta
from pathlib import Path

import configs
from configs.clock import monotonic_s
from configs.errors import AppError, NotFoundError
from pipeline import commands
from pipeline.cli.console import TimedOutError, progress, say
from pipeline.cli.opening import acting, copy_in
from pipeline.cli.processes import Service
from pipeline.cli.waiting import wait_for
from storage import reviews, runs, users
from storage.database import reading, transaction
from storage.refs import instance_id
from storage.statuses import Role, RunStatus
from storage.tables import Run

DEMO_USER = "demo"
_LINK_LIFETIME = timedelta(hours=12)
_PATIENCE_S = 30 * 60.0
_POLL_S = 0.3
_DONE = {"succeeded"}
EXPECTED_STEPS = (
    "probe",
    "transcribe",
    "join_transcript",
    "anonymize",
    "bleep",
    "summarize",
    "validate_summary",
    "render",
    "check_quality",
    "request_review",
)


class DemoFailedError(AppError):
    """The demo's recording did not become what it should."""

    code = "demo.failed"


def bundled_recording() -> Path:
    """Return the recording that comes with the application.

    Raises:
        NotFoundError: it is missing from this installation (not retryable).
    """
    path = Path(configs.__file__).parent / "demo" / "interview.opus"
    if not path.is_file():
        raise NotFoundError("The demo's recording is missing; give one with --file.")
    return path


def run(recording: Path, *, approve: bool, host: str | None, port: int | None) -> dict[str, object]:
    """Start the application, process the recording, and stop it at the end.

    Returns:
        What `demo --approve --json` prints: run, publication and where its files are.

    Raises:
        DemoFailedError: the recording did not become a review or publication (not retryable).
    """
    say("Starting web, worker and stores ...")
    with Service(host=host, port=port, any_port=True) as service:
        say(f"Kikigaki runs at {service.url}")
        run_id = _submit(service, recording)
        submitted = _follow(service, run_id)
        if submitted.status is not RunStatus.AWAITING_REVIEW:
            raise DemoFailedError(
                f"The run ended as {submitted.status.value}: {submitted.error_message or ''}",
                {"run": run_id, "code": submitted.error_code},
            )
        if approve:
            return _approve(service, run_id, is_ours=recording == bundled_recording())
        _invite(service, run_id)
        service.wait()
    return {"run": run_id, "status": submitted.status.value}


def _submit(service: Service, recording: Path) -> str:
    app = service.runtime.app
    upload = commands.Upload(path=recording, file_name=recording.name)
    submitted = commands.submit(app, acting(app.database, None), upload)
    say(f"Submitted {recording.name} as {submitted.id}")
    return submitted.id


def _follow(service: Service, run_id: str) -> Run:
    """Show each step as it ends, until the run waits for review or has ended."""
    app, shown = service.runtime.app, set[tuple[str, int]]()
    instance = app.engine.instance(instance_id(run_id, 1))
    until = monotonic_s() + _PATIENCE_S
    with progress("Processing", len(EXPECTED_STEPS)) as bar:
        while True:
            with reading(app.database) as session:
                found = runs.get_run(session, run_id)
            for step in instance.history():
                if step.status in _DONE and (step.name, step.count) not in shown:
                    shown.add((step.name, step.count))
                    bar.advance(step.name in EXPECTED_STEPS and step.count == 1, step.name)
                    say(f"  {step.name}{f' {step.count}' if step.count > 1 else ''}: done")
            if found.status not in {RunStatus.QUEUED, RunStatus.PROCESSING}:
                return found
            if monotonic_s() > until:
                raise TimedOutError(details={"run": run_id, "status": found.status.value})
            service.look_after()
            time.sleep(_POLL_S)


def _approve(service: Service, run_id: str, *, is_ours: bool) -> dict[str, object]:
    app = service.runtime.app
    actor = acting(app.database, None)
    with reading(app.database) as session:
        review = reviews.latest_review(session, run_id)
    if review is None:
        raise DemoFailedError(details={"run": run_id})
    if review.verdict == "block" and not is_ours:
        raise DemoFailedError(
            "The checks block this recording. Look at their findings on the review page: run the "
            "demo without --approve.",
            {"run": run_id},
        )
    override = "demo: the bundled recording" if review.verdict == "block" else None
    commands.decide(app, actor, run_id, "approve", review.sha256, "demo", override_reason=override)
    say(f"Approved {review.sha256}")
    (published,) = wait_for(app.database, [run_id], _PATIENCE_S)
    if published.status is not RunStatus.PUBLISHED:
        raise DemoFailedError(
            f"The run ended as {published.status.value}.", {"code": published.error_code}
        )
    folder = copy_in(service.settings.home, run_id)
    names = _export(service, run_id, folder)
    say(f"Published {len(names)} files: {folder}")
    say(f"Check them: kikigaki verify {folder}")
    return {
        "run": run_id,
        "status": published.status.value,
        "sha256": review.sha256,
        "url": f"{service.url}/p/{run_id}/",
        "folder": str(folder),
        "files": names,
    }


def _export(service: Service, run_id: str, folder: Path) -> list[str]:
    app = service.runtime.app
    return [p.name for p in commands.export(app, acting(app.database, None), run_id, folder)]


def _invite(service: Service, run_id: str) -> None:
    with transaction(service.runtime.database) as session:
        user = users.find_user(session, DEMO_USER)
        if user is None:
            user = users.create_user(session, DEMO_USER, Role.ADMIN)
        secret = users.create_sign_in_link(session, user.id, _LINK_LIFETIME)
    say("")
    say("The recording waits for your review. Sign in once with this link:")
    say(f"  {service.url}/sign-in/link?secret={secret}&next=/runs/{run_id}/review")
    say("Ctrl-C stops everything.")
