"""The application's tables.

Times are timezone-aware UTC (`UtcDateTime`). No column holds text of a recording but for that of
publications, which is redacted and approved. `title` and `file_name` the uploader wrote; they are
scanned before anything is published.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from storage.columns import ReviewStatusText, RoleText, RunStatusText, UtcDateTime
from storage.statuses import ReviewStatus, Role, RunStatus

JsonObject = dict[str, object]


class User(SQLModel, table=True):
    """A person who may sign in. `name` is what they sign in with."""

    __tablename__ = "user_account"

    id: str = Field(primary_key=True)
    name: str = Field(unique=True, max_length=200)
    role: Role = Field(sa_type=RoleText)
    tenant: str = Field(default="default", index=True)
    password_hash: str | None = None
    created_at: datetime = Field(sa_type=UtcDateTime)
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class ApiToken(SQLModel, table=True):
    """A bearer token, kept as the SHA-256 of its secret."""

    __tablename__ = "api_token"

    id: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user_account.id", index=True)
    label: str
    sha256: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class WebSession(SQLModel, table=True):
    """A signed-in browser, kept as the SHA-256 of its cookie."""

    __tablename__ = "web_session"

    sha256: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user_account.id", index=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)


class SignInLink(SQLModel, table=True):
    """A one-time sign-in link, kept as the SHA-256 of its secret."""

    __tablename__ = "sign_in_link"

    sha256: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user_account.id")
    expires_at: datetime = Field(sa_type=UtcDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Run(SQLModel, table=True):
    """One uploaded source and all that became of it."""

    __tablename__ = "run"

    id: str = Field(primary_key=True)
    tenant: str = Field(index=True)
    title: str
    file_name: str
    media_type: str
    source_sha256: str
    source_bytes: int = Field(sa_type=sa.BigInteger)
    requested_language: str = "auto"
    language: str | None = None
    template: str = "default"
    uploader_id: str
    status: RunStatus = Field(default=RunStatus.QUEUED, sa_type=RunStatusText, index=True)
    revision: int = 1
    error_code: str | None = None
    error_message: str | None = None
    coverage: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    created_at: datetime = Field(sa_type=UtcDateTime, index=True)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class IdempotencyKey(SQLModel, table=True):
    """An `Idempotency-Key` that made a run: the same key by the same user is the same run."""

    __tablename__ = "idempotency_key"

    user_id: str = Field(primary_key=True)
    key: str = Field(primary_key=True, max_length=200)
    run_id: str = Field(foreign_key="run.id")
    request_sha256: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class PendingUpload(SQLModel, table=True):
    """A file that its uploader sends straight to the store; `id` becomes that of its run.

    The row goes when there is a run, or when `expires_at` is past. `announcement` is what was said
    of the file, its name too; None where the upload has been given up.
    """

    __tablename__ = "pending_upload"

    id: str = Field(primary_key=True)
    tenant: str
    user_id: str
    store_upload_id: str
    bytes: int = Field(sa_type=sa.BigInteger)
    announcement: JsonObject | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    expires_at: datetime = Field(sa_type=UtcDateTime)


class Revision(SQLModel, table=True):
    """One revision of a run: one engine instance, `{run}-r{number}`.

    `reason` is `upload`, `summary_edit`, `redaction_edit`, `reprocess` or `reopen`; `begins_at` the
    first step that runs again; `overrides` the settings that the uploader chose or a reprocess
    changed, those of earlier revisions included.
    """

    __tablename__ = "revision"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    number: int = Field(primary_key=True)
    instance_id: str = Field(unique=True)
    reason: str
    begins_at: str
    based_on: int | None = None
    overrides: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    created_by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Artifact(SQLModel, table=True):
    """A stored object. The first committed version of (run, kind, name, sha256) is kept."""

    __tablename__ = "artifact"
    __table_args__ = (sa.UniqueConstraint("run_id", "kind", "name", "sha256"),)

    id: str = Field(primary_key=True)
    run_id: str = Field(foreign_key="run.id", index=True)
    kind: str
    name: str = ""
    bucket: str
    key: str
    sha256: str
    version_id: str
    bytes: int = Field(sa_type=sa.BigInteger)
    media_type: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class RevisionArtifact(SQLModel, table=True):
    """Which artifact plays which role in a revision.

    The role is the artifact's kind, with `/` and a name or count where there are several:
    `transcript`, `transcript/2` (a window), `rendered/index.html`.
    """

    __tablename__ = "revision_artifact"

    run_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    role: str = Field(primary_key=True)
    artifact_id: str = Field(foreign_key="artifact.id")


class StepRecord(SQLModel, table=True):
    """Provenance of one step: the hashes of what went in and out, and what worked on it."""

    __tablename__ = "step_record"

    run_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    step: str = Field(primary_key=True)
    count: int = Field(primary_key=True)
    inputs: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    outputs: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    model: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    prompt_sha256: str | None = None
    config_sha256: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Review(SQLModel, table=True):
    """The question put to editors: is exactly this (`sha256` over `artifacts`) to be published?

    `reasons` are the findings that block it (`{"check", "place", "segments", "reason"}`); they
    quote no personal data. `program_version` is of the program that asked; the statement names it.
    """

    __tablename__ = "review"
    __table_args__ = (sa.UniqueConstraint("run_id", "revision"),)

    id: str = Field(primary_key=True)
    run_id: str = Field(foreign_key="run.id", index=True)
    revision: int
    sha256: str
    artifacts: JsonObject = Field(sa_type=sa.JSON)
    verdict: str
    reasons: list[JsonObject] = Field(default_factory=list, sa_type=sa.JSON)
    approvals_needed: int = 1
    program_version: str
    deadline: datetime = Field(sa_type=UtcDateTime, index=True)
    status: ReviewStatus = Field(default=ReviewStatus.OPEN, sa_type=ReviewStatusText, index=True)
    opened_at: datetime = Field(sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Decision(SQLModel, table=True):
    """What an approver decided about a review hash: the only authority to publish."""

    __tablename__ = "decision"
    __table_args__ = (sa.UniqueConstraint("review_id", "approver_id"),)

    id: str = Field(primary_key=True)
    review_id: str = Field(foreign_key="review.id", index=True)
    sha256: str
    decision: str
    approver_id: str
    comment: str = ""
    override_reason: str | None = None
    channel: str
    decided_at: datetime = Field(sa_type=UtcDateTime)


class Publication(SQLModel, table=True):
    """A published revision; `files` are `{name: {"sha256", "bytes"}}`."""

    __tablename__ = "publication"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    revision: int = Field(primary_key=True)
    review_sha256: str
    decision_id: str = Field(foreign_key="decision.id")
    bucket: str
    prefix: str
    files: JsonObject = Field(sa_type=sa.JSON)
    published_at: datetime = Field(sa_type=UtcDateTime)


class PublishedText(SQLModel, table=True):
    """The text of a publication, a line a sentence, for the search; `folded` is compared."""

    __tablename__ = "published_text"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    revision: int = Field(primary_key=True)
    text: str
    folded: str


class Notification(SQLModel, table=True):
    """A webhook call that arrived, once per idempotency key; one that fails leaves no row."""

    __tablename__ = "notification"

    key: str = Field(primary_key=True)
    run_id: str = Field(foreign_key="run.id", index=True)
    revision: int
    host: str
    at: datetime = Field(sa_type=UtcDateTime)


class AuditEvent(SQLModel, table=True):
    """One entry of the audit log; `sha256` chains it to the entry before (`previous`)."""

    __tablename__ = "audit_event"

    sequence: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    at: datetime = Field(sa_type=UtcDateTime)
    actor_id: str
    action: str
    run_id: str | None = Field(default=None, index=True)
    details: JsonObject = Field(default_factory=dict, sa_type=sa.JSON)
    previous: str = Field(unique=True)
    sha256: str = Field(unique=True)


class AuditHead(SQLModel, table=True):
    """The one row that says where the audit log ends: writers queue on it, a cut tail shows."""

    __tablename__ = "audit_head"

    id: int = Field(default=1, primary_key=True, sa_column_kwargs={"autoincrement": False})
    sequence: int = 0
    sha256: str = ""


class ModelCall(SQLModel, table=True):
    """One call of a model, for cost and latency; once per step, count and attempt key.

    Calls of language models behind endpoints are noted by the gateway (`storage.ledger`), before
    they are made: `outcome` is then `waiting` (until `due_at`), `sent`, `answered`, `cached` or the
    code of an error, `request_sha256` what a kept `answer` (an `ArtifactRef`) is found by.
    """

    __tablename__ = "model_call"

    key: str = Field(primary_key=True)
    run_id: str = Field(index=True)
    revision: int
    step: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    audio_s: float = 0.0
    cost_usd: float = 0.0
    latency_s: float = 0.0
    prompt_sha256: str | None = None
    endpoint: str = ""
    outcome: str = "answered"
    request_sha256: str | None = Field(default=None, index=True)
    answer: JsonObject | None = Field(default=None, sa_type=sa.JSON(none_as_null=True))
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    at: datetime = Field(sa_type=UtcDateTime, index=True)


class StoredPrompt(SQLModel, table=True):
    """A prompt under the SHA-256 of its text, where every worker can read it; it never changes."""

    __tablename__ = "prompt"

    sha256: str = Field(primary_key=True)
    text: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class Batch(SQLModel, table=True):
    """A reprocessing experiment: a selection of runs, one changed variable.

    `skipped` are the selected runs that it leaves alone: `{"run", "reason", "message"}`.
    """

    __tablename__ = "batch"

    id: str = Field(primary_key=True)
    selection: str
    from_step: str
    variable: str
    value: str
    skipped: list[JsonObject] = Field(default_factory=list, sa_type=sa.JSON)
    created_by: str
    created_at: datetime = Field(sa_type=UtcDateTime)


class BatchItem(SQLModel, table=True):
    """One run of a batch: the revision it had and the one that the batch made."""

    __tablename__ = "batch_item"

    batch_id: str = Field(foreign_key="batch.id", primary_key=True)
    run_id: str = Field(foreign_key="run.id", primary_key=True)
    old_revision: int
    new_revision: int | None = None
    error_code: str | None = None
