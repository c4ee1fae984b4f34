"""Builds small signed publications for tests."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pipeline.provenance import (
    MANIFEST_NAME,
    STATEMENT_NAME,
    Approval,
    FileDigest,
    PublicationFacts,
    SigningKey,
    StepFacts,
    approved_role,
    build_manifest,
    build_statement,
    review_sha256,
)

FILES: dict[str, bytes] = {
    "index.html": b"<!doctype html><title>Weekly meeting</title>",
    "summary.md": "# Weekly meeting\n\n[PERSON_1] 週次の会議。\n".encode(),
    "publication.json": b'{"headline":"Weekly meeting"}',
    "captions.vtt": b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n",
    "audio.opus": bytes(range(256)),
}


def facts_for(files: Mapping[str, bytes], run: str = "run_1") -> PublicationFacts:
    """Return facts whose review covers exactly these files."""
    artifacts = {
        approved_role(name): {"sha256": FileDigest.of(data).sha256, "version_id": f"v-{name}"}
        for name, data in files.items()
    }
    return PublicationFacts(
        tenant="default",
        run=run,
        revision=1,
        source_sha256="5" * 64,
        review_sha256=review_sha256(run, 1, artifacts),
        artifacts=artifacts,
        approvals=(Approval("dec_1", "user_1", datetime(2026, 5, 1, tzinfo=UTC), "web"),),
        steps=(
            StepFacts(
                step="anonymize",
                count=1,
                inputs={"transcript": "1" * 64},
                outputs={"redacted_transcript": "2" * 64, "pseudonym_map": "3" * 64},
                model={"name": "presidio"},
                prompt_sha256=None,
                config_sha256="4" * 64,
            ),
        ),
        version="0.1.0",
    )


def signed_files(
    key: SigningKey, files: Mapping[str, bytes], facts: PublicationFacts | None = None
) -> dict[str, bytes]:
    """Return the files with their manifest and statement."""
    digests = {name: FileDigest.of(data) for name, data in files.items()}
    return {
        **files,
        MANIFEST_NAME: build_manifest(digests),
        STATEMENT_NAME: build_statement(facts or facts_for(files), digests, key),
    }


def write_publication(
    folder: Path, key: SigningKey, files: Mapping[str, bytes] | None = None
) -> Path:
    """Write a complete, valid publication into a new folder and return it."""
    folder.mkdir(parents=True)
    for name, data in signed_files(key, FILES if files is None else files).items():
        (folder / name).write_bytes(data)
    return folder
