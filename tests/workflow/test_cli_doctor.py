"""`doctor`: each part is tried, and one that fails does not keep the others from it."""

from pathlib import Path

from pipeline.cli.console import ExitCode
from tests.installation import Installation


def test_doctor_when_the_store_is_down_then_says_so_and_tries_the_rest(tmp_path: Path) -> None:
    shell = Installation(
        tmp_path / "home",
        {
            "KIKIGAKI_S3__ENDPOINT_URL": "http://127.0.0.1:1",
            "KIKIGAKI_S3__ACCESS_KEY": "a",
            "KIKIGAKI_S3__SECRET_KEY": "b",
        },
    )
    finished = shell.run("doctor", "--json")
    assert finished.code == ExitCode.FAILED
    checks = finished.json["checks"]
    assert isinstance(checks, list)
    failed = [check["name"] for check in checks if not check["ok"]]
    assert failed == ["database and store"]
    assert {"speech model", "redaction: en", "redaction: ja", "redaction: zh"} <= {
        check["name"] for check in checks
    }
