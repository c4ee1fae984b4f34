"""What a redaction edit takes along, so that words of a person outlast it."""

from collections.abc import Mapping

from configs.errors import NotApplicableError
from models.documents import Summary, SummaryMethod
from pipeline.steps.carry_summary import EDITED
from storage.artifacts import ArtifactStore
from storage.refs import ArtifactRef


def edited_summary(
    store: ArtifactStore, artifacts: Mapping[str, ArtifactRef]
) -> dict[str, ArtifactRef]:
    """Return the roles under which the next revision finds a summary that a person edited.

    Args:
        store: where it is.
        artifacts: of the revision that the editor saw, by role.

    Returns:
        Empty where no person edited it: such a summary is written anew.

    Raises:
        NotApplicableError: what its pseudonyms stand for is gone, so that it could not follow (not
            retryable).
        StoreUnavailableError: retryable.
    """
    ref = artifacts.get("summary")
    if ref is None:
        return {}
    summary = Summary.model_validate_json(store.read_bytes(ref))
    if summary.method is not SummaryMethod.EDITED:
        return {}
    if "pseudonym_map" not in artifacts:
        raise NotApplicableError(
            "What the pseudonyms in the edited summary stand for is gone, so the summary cannot "
            "follow a change of redactions. Upload the source again.",
            {"reason": "artifact_missing", "missing": ["pseudonym_map"]},
        )
    return {
        f"summary/{EDITED}": ref,
        f"pseudonym_map/{EDITED}": artifacts["pseudonym_map"],
    }
