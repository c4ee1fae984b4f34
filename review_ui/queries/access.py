"""Which runs a visitor may see, and the names behind ids."""

from typing import TypeVar

from pydantic import BaseModel
from sqlmodel import Session

from configs.errors import IntegrityError, NotFoundError
from pipeline.commands import App
from review_ui.visitors import Visitor
from storage import runs, users
from storage.refs import ArtifactRef
from storage.tables import Run

DocumentT = TypeVar("DocumentT", bound=BaseModel)

ENTITY_TYPES = (
    "PERSON",
    "PHONE_NUMBER",
    "EMAIL_ADDRESS",
    "ADDRESS",
    "LOCATION",
    "ZIP_CODE",
    "ORGANIZATION",
    "USERNAME",
    "DATE_OF_BIRTH",
    "AGE",
    "ID_NUMBER",
    "BANK_ACCOUNT",
    "CREDIT_CARD",
    "PASSPORT",
    "DRIVER_LICENSE",
    "LICENSE_PLATE",
    "JP_MY_NUMBER",
    "CN_ID_CARD",
    "IP_ADDRESS",
    "URL",
)
"""The types that an editor may choose for a redaction, the usual ones first."""


def visible_run(session: Session, visitor: Visitor, run_id: str) -> Run:
    """Return a run of the visitor's tenant; uploaders see only their own.

    Raises:
        NotFoundError: there is none, or it is not for this visitor (not retryable).
    """
    run = runs.get_run(session, run_id)
    hidden = not visitor.actor.in_policy.serves(run.tenant)
    if hidden or (not visitor.can_edit and run.uploader_id != visitor.user.id):
        raise NotFoundError("There is no run with this id.", {"run": run_id[:100]})
    return run


def name_of(session: Session, user_id: str) -> str:
    """Return a user's name; ids that are no user's (`system`, `cli`) stand for themselves."""
    try:
        return users.get_user(session, user_id).name
    except NotFoundError:
        return user_id


def load_document(app: App, ref: ArtifactRef | None, kind: type[DocumentT]) -> DocumentT:
    """Read a stored document, verified.

    Raises:
        IntegrityError: it is missing or not what was recorded (not retryable).
        StoreUnavailableError: the store did not answer (retryable).
    """
    if ref is None:
        raise IntegrityError("A document of this revision is missing.", {"kind": kind.__name__})
    return kind.model_validate_json(app.store.read_bytes(ref))
