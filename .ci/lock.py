"""Write the lock files from the installed environment (`make lock`).

pip resolves, because the resolver that adds the hashes does not find the small build of torch.
`requirements.lock` holds what `pyproject.toml` depends on, directly or not, and
`requirements-test.lock` the rest of the environment. torch has a file of its own, without hashes,
since its build differs between machines.
"""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
OWN = {"kikigaki", "pip", "torch"}
PLATFORM_ONLY = re.compile(r"^(nvidia-|triton$|cuda-)")


def main() -> None:
    """Compute both lists and add the hashes of every file of each release."""
    versions = {canonicalize_name(d.metadata["Name"]): d.version for d in metadata.distributions()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    runtime = closure([*project["dependencies"], "setuptools"], set(versions))
    keep = {n for n in versions if n not in OWN and not PLATFORM_ONLY.match(n)}
    write("requirements.lock", {n: versions[n] for n in keep & runtime})
    write("requirements-test.lock", {n: versions[n] for n in keep - runtime})


def closure(requirements: list[str], installed: set[str]) -> set[str]:
    """Return the canonical names of all installed distributions that these need."""
    found: set[str] = set()
    queue = [Requirement(text) for text in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while queue:
        requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        extras = frozenset(requirement.extras)
        if name not in installed or (name, extras) in seen:
            continue
        seen.add((name, extras))
        found.add(name)
        for text in metadata.requires(name) or []:
            needed = Requirement(text)
            environments = [{"extra": e} for e in extras or {""}]
            if not needed.marker or any(needed.marker.evaluate(e) for e in environments):
                queue.append(needed)
    return found


def write(name: str, pins: dict[str, str]) -> None:
    """Pin the releases and the hashes of their files in the lock file `name`."""
    lines = "\n".join(f"{n}=={v}" for n, v in sorted(pins.items()))
    command = [
        "uv",
        "pip",
        "compile",
        "--no-deps",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--python-version",
        "3.11",
        "--quiet",
        "--output-file",
        name,
        "-",
    ]
    subprocess.run(  # noqa: S603 - a fixed command
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        input=lines,
        text=True,
        check=True,
        cwd=ROOT,
    )


if __name__ == "__main__":
    main()
