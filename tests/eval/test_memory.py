"""Memory does not grow with the length of a recording."""

import subprocess
import sys

from tests.recordings import DATA

LIMIT_KIB = int(1.5 * 1024 * 1024)
CHILD = """
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from models.audio import normalize
from models.transcriber import Transcriber, find_speech, join_transcripts, plan_windows
from models.weights import whisper_path

with TemporaryDirectory() as folder:
    model = Transcriber(whisper_path("tiny.en", Path(folder)))
    normalized = Path(folder) / "n.flac"
    report = normalize(Path(sys.argv[1]), normalized)
    speech = find_speech(normalized)
    windows = plan_windows(report.duration_s, speech)
    parts = [model.transcribe(normalized, window, speech) for window in windows]
    transcript = join_transcripts(parts, report, speech)
print(round(report.duration_s), len(transcript.segments))
# Not getrusage: its peak is inherited from the process that started this one.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""


def test_one_hour_of_silence_then_empty_within_a_gigabyte_and_a_half() -> None:
    source = DATA / "media_odd" / "silence_1h.opus"
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(source)],
        cwd=DATA.parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    outcome, peak_kib = done.stdout.split("\n")[:2]
    assert outcome == "3600 0"
    assert int(peak_kib) < LIMIT_KIB


TEN_HOURS = """
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from models.audio import Channels, DecodeReport
from models.transcriber import join_transcripts, plan_windows
from tests.hearing import ScriptedRecognizer, phrase, spoken, transcriber, write_normalized

HOURS_S = 36_000.0
SENTENCE = " and then we came to the next point of the agenda"


def script(call):
    starts = range(0, int(call.seconds), 10)
    ends = [*starts[1:], call.seconds]
    return [phrase(f"{SENTENCE} {s}.", s, e) for s, e in zip(starts, ends, strict=True)]


with TemporaryDirectory() as folder:
    recognizer = ScriptedRecognizer(script)
    model = transcriber(recognizer)
    path = write_normalized(Path(folder) / "n.flac", (HOURS_S, 500))
    report = DecodeReport(HOURS_S, HOURS_S, HOURS_S, Channels.MONO)
    speech = spoken(*((10.0 * i, 10.0 * i + 9.0) for i in range(3600)))
    windows = plan_windows(HOURS_S, speech)
    parts = [model.transcribe(path, window, speech, "en") for window in windows]
    transcript = join_transcripts(parts, report, speech)
print(len(windows), max(call.seconds for call in recognizer.calls) < 900.0)
print(round(transcript.segments[-1].end / 3600, 1), round(transcript.coverage.transcribed_s))
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""
TEN_HOURS_LIMIT_KIB = 400 * 1024


def test_ten_hours_of_speech_then_all_of_it_in_windows_within_bounded_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TEN_HOURS],
        cwd=DATA.parent.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    windows, ledger, peak_kib = done.stdout.split("\n")[:3]
    assert windows == "79 True"
    assert ledger == "10.0 32400"
    assert int(peak_kib) < TEN_HOURS_LIMIT_KIB
