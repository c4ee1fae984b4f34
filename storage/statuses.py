"""What runs, reviews and users can be."""

from enum import StrEnum


class RunStatus(StrEnum):
    """Where a run stands: the status of its newest revision."""

    QUEUED = "queued"
    PROCESSING = "processing"
    NO_SPEECH = "no_speech"
    AWAITING_REVIEW = "awaiting_review"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PAUSED = "paused"
    TERMINATED = "terminated"
    ERASED = "erased"


ENDED = frozenset(
    {
        RunStatus.NO_SPEECH,
        RunStatus.PUBLISHED,
        RunStatus.REJECTED,
        RunStatus.EXPIRED,
        RunStatus.FAILED,
        RunStatus.TERMINATED,
    }
)
"""Statuses of runs whose work is over, so that their raw artifacts go after a time."""

FINISHED = ENDED | {RunStatus.CHANGES_REQUESTED, RunStatus.ERASED}
"""Statuses after which nothing happens by itself."""

AT_WORK = frozenset(
    {RunStatus.QUEUED, RunStatus.PROCESSING, RunStatus.APPROVED, RunStatus.PUBLISHING}
)
"""Statuses of runs that a worker goes on with as soon as it can."""


class ReviewStatus(StrEnum):
    """The states of a review; only `open` can change."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    CHANGES_REQUESTED = "changes_requested"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


DECIDED = frozenset({ReviewStatus.APPROVED, ReviewStatus.REJECTED, ReviewStatus.CHANGES_REQUESTED})
"""Statuses of reviews that a person closed."""


class Role(StrEnum):
    """What a user may do; each role may do all that the one before it may."""

    UPLOADER = "uploader"
    EDITOR = "editor"
    ADMIN = "admin"
