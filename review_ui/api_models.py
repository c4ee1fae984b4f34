"""What the API takes and gives."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from models.documents import ActionItem, Chapter, RedactionEdit, Sentence
from pipeline.commands import step_of
from review_ui.receive import MAX_FIELD_BYTES

MAX_TITLE = 300
Text = Annotated[str, StringConstraints(max_length=MAX_FIELD_BYTES)]


class ApiModel(BaseModel):
    """Base: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class DecisionIn(ApiModel):
    """A decision about a review hash; `override_reason` is an admin's, against a block."""

    decision: Literal["approve", "reject", "request_changes"]
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    comment: str = Field(default="", max_length=10_000)
    override_reason: str | None = Field(default=None, max_length=10_000)


class DecisionOut(ApiModel):
    """A decision as it was recorded; `decided_by` is a user's id, as everywhere."""

    run: str
    decision: str
    sha256: str
    decided_at: datetime
    decided_by: str


class SummaryIn(ApiModel):
    """An edited summary: what its readers read, and the run's title if that changes too.

    How the summary came to be is known and stays as it is stored. Those fields are taken, so that
    a summary can be read, changed and sent back, but nothing is made of them.
    """

    title: (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE)]
        | None
    ) = None
    headline: str
    abstract: tuple[Sentence, ...]
    key_points: tuple[Sentence, ...] = ()
    decisions: tuple[Sentence, ...] = ()
    action_items: tuple[ActionItem, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    method: object = Field(default=None, description="Not looked at.")
    language: object = Field(default=None, description="Not looked at.")
    template: object = Field(default=None, description="Not looked at.")
    fallback_reason: object = Field(default=None, description="Not looked at.")
    model_input_ratio: object = Field(default=None, description="Not looked at.")


class RevisionOut(ApiModel):
    """The revision that a save began."""

    run: str
    revision: int


class RedactionsIn(ApiModel):
    """Corrections of redactions.

    With `offsets: original` they are all that hold from now on, in code points of the original
    text; with `offsets: redacted` they are added to the earlier ones, in code points of the
    redacted text, which is what editors can read.
    """

    edits: list[RedactionEdit] = Field(max_length=10_000)
    offsets: Literal["original", "redacted"] = "original"


class RunList(ApiModel):
    """A page of runs."""

    runs: list[dict[str, object]]
    next: str | None


class SearchHit(ApiModel):
    """A publication that was found; `excerpt` is of the first line with one of the words."""

    run: str
    revision: int
    title: str
    excerpt: str
    published_at: datetime
    url: str


class SearchResults(ApiModel):
    """Publications that hold every word, the newest first."""

    results: list[SearchHit]


class EventIn(ApiModel):
    """An event for an instance."""

    type: str
    payload: object = None
    key: str | None = Field(default=None, max_length=256)


class InstanceIn(ApiModel):
    """An instance to create; without `id` it gets a new one."""

    workflow: str
    params: object = None
    id: str | None = None
    tenant: str = "default"


class StepIn(ApiModel):
    """A step: its name and how many times the name was used so far, in its branch."""

    name: str
    count: int = Field(default=1, ge=1)
    branch: str = ""


class RestartIn(ApiModel):
    """Where to restart; without `from_step` at the beginning."""

    from_step: StepIn | None = None

    @field_validator("from_step", mode="before")
    @classmethod
    def read_step(cls, value: object) -> object:
        """Take `NAME` or `NAME:COUNT` too, as on the command line."""
        if not isinstance(value, str):
            return value
        step = step_of(value)
        return {"name": step.name, "count": step.count}


class TerminateIn(ApiModel):
    """How to terminate; with `rollback` what the steps did is undone first."""

    rollback: bool = False


class UploadIn(ApiModel):
    """A file that is going to be sent, and what `POST /runs` takes with it."""

    file: Text = Field(description="The file's name.")
    bytes: int = Field(ge=0, description="Its exact size.")
    language: Text | None = Field(default=None, description="`auto`, `en`, `ja` or `zh`.")
    tenant: Text | None = None
    template: Text | None = None
    summary_language: Text | None = Field(default=None, description="`source`, `en`, `ja` or `zh`.")
    title: Text | None = None
    vocabulary: Text | None = None


class UploadPart(ApiModel):
    """Where to PUT a part: `part_bytes` of the file each, the last one what is left."""

    number: int
    url: str


class UploadOut(ApiModel):
    """An upload that has begun; `upload` will be the run's id."""

    upload: str
    part_bytes: int
    parts: list[UploadPart]
    expires_at: datetime


class SentPart(ApiModel):
    """What the store answered to a part, with or without its quotation marks."""

    number: int = Field(ge=1, le=10_000)
    etag: str = Field(max_length=200)


class CompleteIn(ApiModel):
    """All parts of a file."""

    parts: list[SentPart] = Field(max_length=10_000)
