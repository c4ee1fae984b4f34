"""One more thread of the web process: it uploads sources and decides about their reviews.

It also tries what is not allowed: to decide as an uploader, about another hash, and with an event
of its own making.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from configs.errors import (
    AlreadyDecidedError,
    PolicyError,
    StaleReviewError,
)
from pipeline import commands
from pipeline.commands import Actor, App, Upload
from pipeline.engine import FINAL, Engine, InstanceEndedError, InstanceStateError
from pipeline.workflow import REVIEW_DECISION, ProcessSource
from storage import reviews
from storage.database import reading
from storage.statuses import Role
from storage.tables import Review, Run
from tests.chaos.chance import drawn
from tests.chaos.diary import Diary
from tests.chaos.patience import patiently
from tests.chaos.processes import Orders

EDITOR = Actor("usr_editor", "editor", Role.EDITOR, "default", "web")
UPLOADER = Actor("usr_uploader", "uploader", Role.UPLOADER, "default", "web")
_PAUSE_S = 0.2
_SPREAD_RATIO = 0.7  # of the time in which instances are created: uploads take longer to end


@dataclass(frozen=True)
class Source:
    """One upload: a file beside the ledger, its language, and what is to be decided about it."""

    number: int
    file: str
    language: str
    decision: str
    is_reference: bool = False


def sources(seed: int, count: int) -> list[Source]:
    """Return the uploads of a run, and one more of each file: for the time when nothing is wrong.

    Those are approved; what they come to is compared with.
    """
    found = [_source(seed, number) for number in range(count)]
    files = sorted({(source.file, source.language) for source in found})
    return found + [
        Source(count + number, file, language, "approve", is_reference=True)
        for number, (file, language) in enumerate(files)
    ]


def _source(seed: int, number: int) -> Source:
    chance = drawn(seed, "source", number)
    language = "en" if number % 4 == 0 else chance.choice(("en", "ja", "zh"))
    file = "recording.wav" if number % 4 == 0 else f"{language}.txt"
    decision = chance.choices(("approve", "reject", "request_changes"), (8, 1, 1))[0]
    return Source(number, file, language, decision)


class Editor:
    """Uploads, and what is decided about them."""

    def __init__(
        self, app: App, engine: Engine, orders: Orders, diary: Diary, stop: threading.Event
    ) -> None:
        self._app, self._orders, self._diary, self._stop = app, orders, diary, stop
        self._sources = sources(orders.seed, orders.runs)
        self._instances = engine.workflows.get(ProcessSource.name)
        done = [e for e in diary.read() if e.what == "submit"]
        self._runs = {e.number: e.subject for e in done}
        self._began = min([time.time(), *(e.at for e in done)])
        self._decided = {e.subject for e in diary.read() if e.what == "decide"}
        self._paused = {e.subject for e in diary.read() if e.what == "pause-run"}
        self._resumed = {e.subject for e in diary.read() if e.what == "resume-run"}

    def run(self) -> None:
        """Work until every run has come to its end or the process is to stop."""
        while not self._stop.is_set() and not self._is_over():
            if self._next_is_due():
                self._submit(self._sources[len(self._runs)])
            self._hold_up()
            for review, run in patiently(self._stop, self._waiting) or ():
                number = {id_: n for n, id_ in self._runs.items()}.get(run.id)
                if number is not None and run.id not in self._decided:
                    self._consider(review, run, self._sources[number])
            self._stop.wait(_PAUSE_S)

    def _is_over(self) -> bool:
        if len(self._runs) < len(self._sources):
            return False
        return bool(patiently(self._stop, self._all_ended))

    def _all_ended(self) -> bool:
        instances = [self._instances.get(f"{run}-r1") for run in self._runs.values()]
        return all(instance.status().status in FINAL for instance in instances)

    def _next_is_due(self) -> bool:
        number = len(self._runs)
        if number >= len(self._sources):
            return False
        spread_s = (self._orders.until - self._began) * _SPREAD_RATIO
        at = self._began + spread_s * number / self._orders.runs
        return time.time() >= (self._orders.until if self._sources[number].is_reference else at)

    def _submit(self, source: Source) -> None:
        path = Path(self._orders.folder).parent / source.file
        upload = Upload(
            path=path, file_name=path.name, title="Town library", language=source.language
        )
        key = f"source-{source.number}"
        run = patiently(self._stop, lambda: commands.submit(self._app, UPLOADER, upload, key))
        if run is not None:
            self._runs[source.number] = run.id
            self._diary.note("submit", run.id, source.number)

    def _hold_up(self) -> None:
        """Pause every third upload in the middle of its work, and let it go on at the next look."""
        for number, run in list(self._runs.items())[1::3]:
            instance = self._instances.get(f"{run}-r1")
            if run in self._paused:
                if run not in self._resumed and self._answered(instance.resume, "resume", number):
                    self._resumed.add(run)
            elif self._answered(instance.pause, "pause", number):
                self._paused.add(run)

    def _answered(self, ask: Callable[[], bool], what: str, number: int) -> bool:
        """Ask for an operation; an answer is kept, so that the next process knows it."""

        def operate() -> str:
            try:
                return "ok" if ask() else "known"
            except InstanceStateError:
                return "illegal"

        answer = patiently(self._stop, operate)
        if answer is not None:
            self._diary.note(f"{what}-run", self._runs[number], number, answer)
        return answer is not None

    def _waiting(self) -> list[tuple[Review, Run]]:
        with reading(self._app.database) as session:
            return reviews.waiting_reviews(session)

    def _consider(self, review: Review, run: Run, source: Source) -> None:
        for attempt in (self._as_uploader, self._by_event, self._about_another):
            answer = patiently(self._stop, lambda attempt=attempt: attempt(review, run))  # type: ignore[misc]
            self._diary.note("try", run.id, source.number, str(answer))
        answer = patiently(
            self._stop, lambda: self._decide(EDITOR, run.id, source.decision, review.sha256)
        )
        if answer is not None:
            self._decided.add(run.id)
            self._diary.note("decide", run.id, source.number, answer)

    def _as_uploader(self, review: Review, run: Run) -> str:
        return self._decide(UPLOADER, run.id, "approve", review.sha256)

    def _about_another(self, review: Review, run: Run) -> str:
        return self._decide(EDITOR, run.id, "approve", review.sha256[::-1])

    def _by_event(self, review: Review, run: Run) -> str:
        instance = self._instances.get(f"{run.id}-r{review.revision}")
        try:
            instance.send_event(REVIEW_DECISION, {"decision_id": "dec_forged"})
        except InstanceEndedError:
            return "ended"
        return "sent"

    def _decide(self, actor: Actor, run_id: str, choice: str, sha256: str) -> str:
        try:
            commands.decide(self._app, actor, run_id, choice, sha256)
        except PolicyError:
            return "denied"
        except StaleReviewError:
            return "stale"
        except AlreadyDecidedError:
            return "known"
        return choice
