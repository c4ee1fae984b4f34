"""Time of recognition, and of the whole pipeline, over faster-whisper by itself."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from configs.clock import monotonic_s, new_id
from models.audio import normalize
from models.transcriber import Transcriber, find_speech, join_transcripts, plan_windows
from models.weights import whisper_path
from pipeline.engine import EngineSettings
from pipeline.runtime import CHILD_SETUP
from storage.embedded_s3 import EmbeddedS3
from storage.statuses import RunStatus
from tests.application import running
from tests.bench.report import Row, Section
from tests.bench.speech import LANGUAGE, write_speech
from tests.deployment import Deployment
from tests.waiting import wait_until

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

_THREADS = 2
_BEAM_SIZE = 5
_RUNS = 2
_WARM_UP_S = 20.0
_LONGEST_S = 3600.0
_GOAL = 1.1

Contestant = Callable[[Path], int]


@dataclass(frozen=True)
class Taken:
    """Time of one run by the clock and of the processor, and how many words it found."""

    wall_s: float
    processor_s: float
    words: int


def measure(speech_s: float) -> Section:
    """Take turns with faster-whisper on one recording; the better run of each counts."""
    with TemporaryDirectory(prefix="kikigaki-bench-") as name:
        folder = Path(name)
        source = write_speech(folder / "speech.wav", speech_s)
        warm_up = write_speech(folder / "warm-up.wav", _WARM_UP_S)
        with _application(folder / "home") as deployment:
            contestants = (*_models(folder), partial(_whole_pipeline, deployment))
            for contestant in contestants:
                contestant(warm_up)
            rounds = [[_timed(partial(one, source)) for one in contestants] for _ in range(_RUNS)]
            steps = _steps(deployment)
    bare, part, whole = (_better(runs) for runs in zip(*rounds, strict=True))
    return Section(
        f"Recognition of {speech_s:.0f} s of speech",
        [
            _row("recognition part, by the clock", part.wall_s, bare.wall_s, _GOAL),
            _row("recognition part, processor time", part.processor_s, bare.processor_s),
            _row(
                "whole pipeline, upload to review, by the clock", whole.wall_s, bare.wall_s, _GOAL
            ),
        ],
        _notes(bare, part, steps),
    )


def _notes(bare: Taken, part: Taken, steps: str) -> list[str]:
    return [
        (
            "theirs: `WhisperModel.transcribe(path, language, beam_size=5, vad_filter=True, "
            "word_timestamps=True)`; both: base weights, int8, 2 threads, models loaded before."
        ),
        "recognition part: normalize, find_speech, transcribe each window, join.",
        (
            "whole pipeline: the application with its store and child processes, SQLite; it "
            "also removes personal data, bleeps, summarizes, renders and checks."
        ),
        (
            f"the three take turns, {_RUNS} rounds, the best of each counts; words found: ours "
            f"{part.words}, theirs {bare.words}."
        ),
        f"seconds of the whole pipeline's steps in the last round: {steps}.",
    ]


def _row(what: str, ours_s: float, theirs_s: float, goal: float | None = None) -> Row:
    ratio = ours_s / theirs_s
    wanted = "" if goal is None else f"at most {goal}"
    met = None if goal is None else ratio <= goal
    return Row(what, f"{ours_s:.1f} s", f"{theirs_s:.1f} s", ratio, wanted, met)


def _models(folder: Path) -> tuple[Contestant, Contestant]:
    """Load the same weights twice, as users of either do."""
    from faster_whisper import WhisperModel

    weights = whisper_path("base", folder)
    theirs = WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=_THREADS)
    ours = Transcriber(weights, threads=_THREADS, beam_size=_BEAM_SIZE)
    return partial(_bare, theirs), partial(_recognize, ours)


def _timed(work: Callable[[], int]) -> Taken:
    wall_s, processor_s = monotonic_s(), time.process_time()
    words = work()
    return Taken(monotonic_s() - wall_s, time.process_time() - processor_s, words)


def _better(runs: Sequence[Taken]) -> Taken:
    least_s = min(run.processor_s for run in runs)
    return replace(min(runs, key=lambda run: run.wall_s), processor_s=least_s)


def _bare(model: "WhisperModel", source: Path) -> int:
    found, _ = model.transcribe(
        str(source),
        language=LANGUAGE,
        beam_size=_BEAM_SIZE,
        vad_filter=True,
        word_timestamps=True,
    )
    return sum(len(segment.words or ()) for segment in found)


def _recognize(model: Transcriber, source: Path) -> int:
    normalized = source.with_suffix(".flac")
    report = normalize(source, normalized)
    speech = find_speech(normalized)
    windows = plan_windows(report.duration_s, speech)
    parts = [model.transcribe(normalized, window, speech, LANGUAGE) for window in windows]
    transcript = join_transcripts(parts, report, speech)
    return sum(len(segment.words) for segment in transcript.segments)


@contextmanager
def _application(home: Path) -> Iterator[Deployment]:
    """Run the application with the real models and the times that it has by default."""
    with EmbeddedS3(home) as server:
        store = replace(server.config, bucket_prefix=new_id("bench").replace("_", "-"))
        url = f"sqlite:///{home / 'kikigaki.sqlite'}"
        times = EngineSettings()
        with running(
            home, url, store, child_setup=CHILD_SETUP, engine_settings=times
        ) as deployment:
            yield deployment


def _whole_pipeline(deployment: Deployment, source: Path) -> int:
    """Submit a recording and wait until an editor is asked; its words are not counted."""
    run_id = deployment.submit(source, LANGUAGE)
    final = {RunStatus.FAILED, RunStatus.NO_SPEECH}

    def arrived() -> bool:
        run = deployment.run(run_id)
        assert run.status not in final, run.error_message
        return run.status is RunStatus.AWAITING_REVIEW

    wait_until(arrived, "the review", _LONGEST_S)
    return 0


def _steps(deployment: Deployment) -> str:
    """Return how long each step of the newest instance took."""
    newest = deployment.runtime.engine.instances(limit=1)[0]
    return ", ".join(
        f"{step.name} {(step.ended_at - step.started_at).total_seconds():.1f}"
        for step in deployment.runtime.engine.workflows.find(newest.id).history()
        if step.started_at and step.ended_at
    )
