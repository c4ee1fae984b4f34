"""Every example of docs/engine.md does what the page says."""

import importlib.util
from pathlib import Path

import pytest

from tests.docs import code_blocks

PAGE = Path(__file__).parent.parent.parent / "docs/engine.md"
EXAMPLES = code_blocks(PAGE, "python")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_when_run_then_holds(number: int, tmp_path: Path) -> None:
    path = tmp_path / f"example_{number}.py"  # a file, for the engine reads a workflow's source
    path.write_text(EXAMPLES[number], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
