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
