"""Prompts that batches use, kept by the hash of their text."""

import hashlib

from sqlmodel import Session

from configs.errors import NotFoundError
from storage.database import database_now
from storage.tables import StoredPrompt
from storage.upsert import insert_if_absent


def prompt_sha256(text: str) -> str:
    """Return the name that a prompt is kept under."""
    return hashlib.sha256(text.encode()).hexdigest()


def keep_prompt(session: Session, text: str) -> str:
    """Keep a prompt and return its SHA-256; the same text is kept once."""
    sha256 = prompt_sha256(text)
    row = StoredPrompt(sha256=sha256, text=text, created_at=database_now(session))
    insert_if_absent(session, row)
    return sha256


def get_prompt(session: Session, sha256: str) -> str:
    """Return the text of a prompt.

    Raises:
        NotFoundError: none was kept under this hash (not retryable).
    """
    row = session.get(StoredPrompt, sha256)
    if row is None:
        raise NotFoundError("There is no prompt with this hash.", {"sha256": sha256[:64]})
    return row.text
