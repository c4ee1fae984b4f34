"""Time of recognition, and of the whole pipeline, over faster-whisper by itself."""

import time
from collections.abc import Callable
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
from storage.tables import RunStatus
from tests.application import running
from tests.bench.report import Row, Section
from tests.bench.speech import LANGUAGE, write_speech
from tests.deployment import Deployment, wait_until

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

_THREADS = 2
_BEAM_SIZE = 5
_RUNS = 2
_WARM_UP_S = 20.0
_LONGEST_S = 3600.0
_GOAL = 1.1


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
        bare, ours = _contestants(folder, source, warm_up)
        whole_s, steps = _whole_pipeline(folder / "home", source, warm_up)
    return Section(
        f"Recognition of {speech_s:.0f} s of speech",
        [
            _row("recognition part, by the clock", ours.wall_s, bare.wall_s, _GOAL),
            _row("recognition part, processor time", ours.processor_s, bare.processor_s),
            _row("whole pipeline, upload to review, by the clock", whole_s, bare.wall_s, _GOAL),
        ],
        [
            (
                "theirs: `WhisperModel.transcribe(path, language, beam_size=5, vad_filter=True, "
                "word_timestamps=True)`; both: base weights, int8, 2 threads, models loaded before."
            ),
            "recognition part: normalize, find_speech, transcribe each window, join.",
            (
                "whole pipeline: the application with its store and child processes, SQLite; it "
                "also removes personal data, bleeps, summarizes, renders and checks."
            ),
            f"words found: ours {ours.words}, theirs {bare.words}; best of {_RUNS} runs each.",
            f"seconds of the whole pipeline's steps: {steps}.",
        ],
    )


def _row(what: str, ours_s: float, theirs_s: float, goal: float | None = None) -> Row:
    ratio = ours_s / theirs_s
    wanted = "" if goal is None else f"at most {goal}"
    met = None if goal is None else ratio <= goal
    return Row(what, f"{ours_s:.1f} s", f"{theirs_s:.1f} s", ratio, wanted, met)


def _contestants(folder: Path, source: Path, warm_up: Path) -> tuple[Taken, Taken]:
    from faster_whisper import WhisperModel

    weights = whisper_path("base", folder)
    theirs = WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=_THREADS)
    ours = Transcriber(weights, threads=_THREADS, beam_size=_BEAM_SIZE)
    contestants = (partial(_bare, theirs), partial(_recognize, ours))
    for contestant in contestants:
        contestant(warm_up)
    taken = [[_timed(partial(one, source)) for one in contestants] for _ in range(_RUNS)]
    return _better([pair[0] for pair in taken]), _better([pair[1] for pair in taken])


def _timed(work: Callable[[], int]) -> Taken:
    wall_s, processor_s = monotonic_s(), time.process_time()
    words = work()
    return Taken(monotonic_s() - wall_s, time.process_time() - processor_s, words)


def _better(runs: list[Taken]) -> Taken:
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


def _whole_pipeline(home: Path, source: Path, warm_up: Path) -> tuple[float, str]:
    """Return the seconds from the upload to the open review, and those of each step."""
    with EmbeddedS3(home) as server:
        store = replace(server.config, bucket_prefix=new_id("bench").replace("_", "-"))
        with running(
            home,
            f"sqlite:///{home / 'kikigaki.sqlite'}",
            store,
            child_setup=CHILD_SETUP,
            engine_settings=EngineSettings(),
        ) as deployment:
            _await_review(deployment, warm_up)
            began_s = monotonic_s()
            run_id = _await_review(deployment, source)
            return monotonic_s() - began_s, _steps(deployment, run_id)


def _await_review(deployment: Deployment, source: Path) -> str:
    run_id = deployment.submit(source, LANGUAGE)
    final = {RunStatus.FAILED, RunStatus.NO_SPEECH}

    def arrived() -> bool:
        run = deployment.run(run_id)
        assert run.status not in final, run.error_message
        return run.status is RunStatus.AWAITING_REVIEW

    wait_until(arrived, "the review", _LONGEST_S)
    return run_id


def _steps(deployment: Deployment, run_id: str) -> str:
    return ", ".join(
        f"{step.name} {(step.ended_at - step.started_at).total_seconds():.1f}"
        for step in deployment.instance(run_id).history()
        if step.started_at and step.ended_at
    )
