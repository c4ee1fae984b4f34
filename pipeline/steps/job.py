"""What every step is told, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from storage.refs import ArtifactRef, instance_id

Overrides = dict[str, str | int | float | bool]
DEFAULT_TEMPLATE = "default"
"""Asks for the template that the tenant's settings name."""


@dataclass(frozen=True)
class Job:
    """Which revision a step works on, and with what. Ids and settings only, never text.

    `template` is a summary template's name, or `DEFAULT_TEMPLATE`. `overrides` are settings by
    dotted name that the uploader chose or a reprocess changed for this revision.
    """

    run_id: str
    revision: int
    tenant: str
    language: str
    template: str
    overrides: Overrides = field(default_factory=dict)

    @property
    def instance_id(self) -> str:
        """The id of the engine instance that makes this revision."""
        return instance_id(self.run_id, self.revision)


@dataclass(frozen=True)
class ModelUse:
    """Which model worked on a step, with which prompt and configuration, and what it cost.

    `config_sha256` covers every setting that could change the result. `endpoint` is the gateway's
    name of where the model answered; its ledger has noted the call then.
    """

    name: str
    digest: str = ""
    prompt_sha256: str | None = None
    config_sha256: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    audio_s: float = 0.0
    latency_s: float = 0.0
    endpoint: str | None = None


@dataclass(frozen=True)
class Made:
    """What a step made: references by role, and what went in.

    A role is an artifact kind, with `/` and a name where there are several (`transcript/2`,
    `rendered/index.html`). `inputs` are SHA-256 by role.
    """

    artifacts: dict[str, ArtifactRef]
    inputs: dict[str, str] = field(default_factory=dict)
    model: ModelUse | None = None

    def __getitem__(self, role: str) -> ArtifactRef:
        """Return the reference with this role."""
        return self.artifacts[role]


def hashes(refs: Mapping[str, ArtifactRef]) -> dict[str, str]:
    """Return the SHA-256 of each reference, by role."""
    return {role: ref.sha256 for role, ref in refs.items()}
