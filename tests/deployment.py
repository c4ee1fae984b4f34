"""One deployment for crash tests: this process submits and decides, workers are killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from configs.settings import load_settings
from pipeline import commands
from pipeline.commands import Actor, Upload
from pipeline.engine import FINAL, AttemptHistory, Instance
from pipeline.runtime import Runtime, open_runtime
from pipeline.workflow import ProcessSource
from storage import publications, reviews, runs
from storage.database import reading
from storage.refs import ArtifactRef, publication_prefix
from storage.s3 import StoreConfig
from storage.statuses import Role, RunStatus
from storage.tables import Decision, Review, Run
from tests.receivers import Receiver
from tests.waiting import wait_until

RECORDING = Path(__file__).parent / "data/audio/en_librivox_austen_0870.wav"
OPERATOR = Actor("operator", "operator", Role.ADMIN, None, "cli")
SCRIPTED_WORKER = "tests.crash.worker"


@dataclass
class Deployment:
    """A home folder, a database and buckets; `environ` is what its processes are told."""

    environ: dict[str, str]
    receiver: Receiver
    runtime: Runtime
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start_worker(
        self, module: str = SCRIPTED_WORKER, **extra: str
    ) -> "subprocess.Popen[bytes]":
        """Start a worker process; `extra` variables tell it where to crash."""
        log = Path(self.environ["KIKIGAKI_HOME"]) / "worker.log"
        with log.open("ab") as output:
            worker = subprocess.Popen(
                [sys.executable, "-m", module],
                env={**os.environ, **self.environ, **extra},
                stdout=output,
                stderr=output,
            )
        self.workers.append(worker)
        return worker

    def stop_workers(self) -> None:
        """Kill what still runs, by id."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()

    def submit(self, path: Path = RECORDING, language: str = "en") -> str:
        """Submit a recording and return the run's id."""
        upload = Upload(path=path, file_name=path.name, title="Library meeting", language=language)
        return commands.submit(self.runtime.app, OPERATOR, upload).id

    def run(self, run_id: str) -> Run:
        """Read a run."""
        with reading(self.runtime.database) as session:
            return runs.get_run(session, run_id)

    def instance(self, run_id: str, revision: int = 1) -> Instance:
        """Return the engine instance of a revision."""
        return self.runtime.engine.workflows.get(ProcessSource.name).get(f"{run_id}-r{revision}")

    def review(self, run_id: str) -> Review:
        """Return the review of the newest revision that has one."""
        with reading(self.runtime.database) as session:
            review = reviews.latest_review(session, run_id)
        assert review is not None
        return review

    def submit_for_review(self, path: Path = RECORDING, language: str = "en") -> str:
        """Submit a recording and wait until an editor is asked."""
        run_id = self.submit(path, language)
        self.wait_for_run(run_id, RunStatus.AWAITING_REVIEW)
        return run_id

    def wait_for_run(self, run_id: str, *wanted: RunStatus, timeout_s: float = 120.0) -> Run:
        """Wait until the run has one of these statuses; one that it ends with instead fails."""
        final = {RunStatus.FAILED, RunStatus.NO_SPEECH, RunStatus.PUBLISHED, RunStatus.EXPIRED}

        def arrived() -> bool:
            status = self.run(run_id).status
            assert status in wanted or status not in final, (status, self.run(run_id).error_message)
            return status in wanted

        wait_until(arrived, f"{run_id} to be {wanted}", timeout_s)
        return self.run(run_id)

    def decide(self, run_id: str, decision: str, sha256: str | None = None) -> Decision:
        """Decide about the shown hash, or about another one."""
        return commands.decide(
            self.runtime.app, OPERATOR, run_id, decision, sha256 or self.review(run_id).sha256
        )

    def artifacts(self, run_id: str, revision: int = 1) -> dict[str, ArtifactRef]:
        """Return the artifacts of a revision by role."""
        with reading(self.runtime.database) as session:
            return runs.artifacts_of(session, run_id, revision)

    def document(self, run_id: str, role: str, revision: int = 1) -> dict[str, object]:
        """Read a JSON artifact."""
        data = self.runtime.store.read_bytes(self.artifacts(run_id, revision)[role])
        document: dict[str, object] = json.loads(data)
        return document

    def published_names(self, run_id: str) -> list[str]:
        """Return the names of all published files of the run, as `r1/index.html`."""
        store = self.runtime.store
        revisions = range(1, self.run(run_id).revision + 1)
        folders = {f"r{n}": publication_prefix("default", run_id, n) for n in revisions}
        return [f"{r}/{f.name}" for r, p in folders.items() for f in store.list_published(p)]

    def approve_waiting(self, run_id: str | None = None) -> None:
        """Approve open reviews, all or one run's, as an editor would who sits there."""
        with reading(self.runtime.database) as session:
            waiting = [(r.run_id, r.sha256) for r, _ in reviews.waiting_reviews(session)]
        for waiting_id, sha256 in waiting:
            if run_id in (None, waiting_id):
                commands.decide(self.runtime.app, OPERATOR, waiting_id, "approve", sha256)

    def has_ended(self, run_id: str) -> bool:
        """Tell whether the run's instance is final; approve it where it waits."""
        self.approve_waiting(run_id)
        return self.instance(run_id).status().status in FINAL

    def story(self, run_id: str) -> "Story":
        """Return everything of a run that two equal runs have in common."""
        instance = self.instance(run_id)
        with reading(self.runtime.database) as session:
            artifacts = runs.artifacts_of(session, run_id, 1)
            published = publications.publications_of(session, run_id)
            notified = publications.notifications_of(session, run_id)
        return Story(
            status=self.run(run_id).status,
            steps=sorted((s.name, s.count, s.status.value) for s in instance.history()),
            artifacts={role: ref.sha256 for role, ref in artifacts.items()},
            published=[
                {n: f for n, f in p.files.items() if n not in ("manifest.json", "statement.json")}
                for p in published
            ],
            notifications=len(notified),
        )

    def attempts(self, run_id: str) -> dict[tuple[str, int], list[AttemptHistory]]:
        """Return the attempts of each step."""
        found: dict[tuple[str, int], list[AttemptHistory]] = {}
        for attempt in self.instance(run_id).attempts():
            found.setdefault((attempt.name, attempt.count), []).append(attempt)
        return found

    def calls(self, name: str) -> int:
        """Count the calls of a scripted model."""
        path = Path(self.environ["SCRIPTED_CALLS"])
        lines = path.read_text().splitlines() if path.exists() else []
        return sum(line.split()[0] == name for line in lines)


@dataclass(frozen=True)
class Story:
    """What a run came to. Steps by name, for parallel ones begin in any order; hashes by role."""

    status: RunStatus
    steps: list[tuple[str, int, str]]
    artifacts: dict[str, str]
    published: list[dict[str, object]]
    notifications: int


def environment(
    home: Path, database_url: str, store: StoreConfig, receiver: Receiver, **more: str
) -> dict[str, str]:
    """Return what the processes of one deployment are told."""
    return {
        "KIKIGAKI_HOME": str(home),
        "KIKIGAKI_DATABASE__URL": database_url,
        "KIKIGAKI_S3__ENDPOINT_URL": store.endpoint_url,
        "KIKIGAKI_S3__ACCESS_KEY": store.access_key,
        "KIKIGAKI_S3__SECRET_KEY": store.secret_key,
        "KIKIGAKI_S3__BUCKET_PREFIX": store.bucket_prefix,
        "KIKIGAKI_WEBHOOK__URL": receiver.url,
        "KIKIGAKI_WEBHOOK__SECRET": "whsec_c2VjcmV0IGZvciB0ZXN0cyBvbmx5",
        "KIKIGAKI_WEBHOOK__ALLOW_PRIVATE": "true",
        "SCRIPTED_CALLS": str(home / "calls"),
        **more,
    }


@contextmanager
def deployed(environ: dict[str, str], receiver: Receiver) -> Iterator[Deployment]:
    """Make a deployment whose work is done by processes; end every one that it started."""
    settings = load_settings({k: v for k, v in environ.items() if k.startswith("KIKIGAKI_")})
    with open_runtime(settings) as runtime:
        deployment = Deployment(environ, receiver, runtime)
        try:
            yield deployment
        finally:
            deployment.stop_workers()


def was_killed(worker: "subprocess.Popen[bytes]") -> bool:
    """Tell whether a process ended by SIGKILL."""
    return worker.returncode == -signal.SIGKILL
