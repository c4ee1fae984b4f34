"""The error classes of the application.

An `AppError` says what happened, what it means and what to do, and never carries text of a
recording or document. `retryable` tells the step engine whether a later attempt can succeed;
`http_status` is what the web answers. Expected outcomes (a rejected review, a blocked verdict) are
return values, not errors.
"""

from collections.abc import Mapping
from typing import ClassVar


class AppError(Exception):
    """The operation failed."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    http_status: ClassVar[int] = 500

    def __init__(
        self, message: str | None = None, details: Mapping[str, object] | None = None
    ) -> None:
        """Keep the message (default: the class docstring's first line) and JSON-able details."""
        self.message = message or (type(self).__doc__ or "The operation failed.").splitlines()[0]
        self.details: dict[str, object] = dict(details or {})
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type["AppError"], tuple[str, dict[str, object]]]:
        """Pickle with details, so that a worker process's error arrives whole."""
        return type(self), (self.message, self.details)

    def body(self) -> dict[str, object]:
        """Return the error body that command line and API print (without `request_id`)."""
        return {"code": self.code, "message": self.message, "details": self.details}


class InputError(AppError):
    """The input cannot be used."""

    code = "input.invalid"
    http_status = 422


class EmptyInputError(InputError):
    """The file is empty (0 bytes). Choose the file again; the upload may have been interrupted."""

    code = "input.empty"


class NotMediaError(InputError):
    """The file is neither a recording nor a document that can be read."""

    code = "input.not_media"


class CorruptInputError(InputError):
    """The file is damaged or incomplete. Upload the original file again."""

    code = "input.corrupt"


class NoAudioTrackError(InputError):
    """The file has no audio track."""

    code = "input.no_audio_track"


class TooShortError(InputError):
    """The recording is too short to hold speech."""

    code = "input.too_short"


class TooLargeError(InputError):
    """The file is larger than this installation accepts."""

    code = "input.too_large"
    http_status = 413


class PartsError(InputError):
    """Parts are missing or not as announced. Send those again, then complete again."""

    code = "input.parts"


class EncryptedInputError(InputError):
    """The file is encrypted. Remove the password and upload it again."""

    code = "input.encrypted"


class UnsupportedTypeError(InputError):
    """This type of file is not supported."""

    code = "input.unsupported_type"
    http_status = 415


class NoTextLayerError(UnsupportedTypeError):
    """The document holds pictures only, a scan; run text recognition on it and upload it again."""

    code = "input.no_text_layer"


class NotFoundError(AppError):
    """There is nothing with this name."""

    code = "not_found"
    http_status = 404


class ErasedError(NotFoundError):
    """The run has been erased; only its audit events are left."""

    code = "not_found.erased"
    http_status = 410


class ConflictError(AppError):
    """The operation does not fit the present state."""

    code = "conflict"
    http_status = 409


class StaleReviewError(ConflictError):
    """The review has changed since this page was opened; look at what differs and decide again."""

    code = "conflict.stale_review"


class AlreadyDecidedError(ConflictError):
    """This review has already been decided."""

    code = "conflict.already_decided"


class ReviewExpiredError(ConflictError):
    """The deadline of this review has passed. Reopen it to decide."""

    code = "conflict.review_expired"


class BlockedError(ConflictError):
    """The checks block this revision. Mend it, or let an admin override with a reason."""

    code = "conflict.blocked"


class UploadExpiredError(ConflictError):
    """The upload has expired, or the store does not have it any more. Begin again."""

    code = "conflict.upload_expired"


class NotApplicableError(ConflictError):
    """The run does not have what this would begin from."""

    code = "conflict.not_applicable"


class PolicyError(AppError):
    """You are not allowed to do this."""

    code = "policy.denied"
    http_status = 403


class TransientError(AppError):
    """Something outside did not answer; trying again may help."""

    code = "transient"
    retryable = True
    http_status = 503

    @property
    def retry_after_s(self) -> float | None:
        """Seconds the other side asked to wait (`details["retry_after_s"]`), if it did."""
        value = self.details.get("retry_after_s")
        return float(value) if isinstance(value, int | float) else None


class StoreUnavailableError(TransientError):
    """The object store did not answer."""

    code = "transient.store"


class DatabaseBusyError(TransientError):
    """The database is busy."""

    code = "transient.database"


class RateLimitedError(TransientError):
    """The model's endpoint asked to slow down."""

    code = "transient.rate_limited"


class ModelError(AppError):
    """The model failed."""

    code = "model.failed"
    http_status = 502


class UnknownModelError(ModelError):
    """This model is not installed or not known to the endpoint."""

    code = "model.unknown"


class ModelSchemaError(ModelError):
    """The model's answer does not have the form that was asked for, even after one repair."""

    code = "model.schema"


class NonsenseError(ModelError):
    """Too much of what the model wrote is not borne out by the source."""

    code = "model.nonsense"


class ContentFilterError(ModelError):
    """The model's endpoint refused the content."""

    code = "model.content_filter"


class OverBudgetError(ModelError):
    """The budget for model calls is used up."""

    code = "model.over_budget"


class ContextTooLongError(ModelError):
    """The input is longer than the model's context; it has to be split."""

    code = "model.context_too_long"


class RedactionError(ModelError):
    """Personal data could not be removed safely."""

    code = "redaction.failed"


class IntegrityError(AppError):
    """Stored bytes are not what was recorded; nothing was published."""

    code = "integrity"


class MissingArtifactError(IntegrityError):
    """A stored object that was recorded is not in the object store."""

    code = "integrity.missing_artifact"


class StoreRefusedError(AppError):
    """The object store refused the request; check its credentials, rights and capabilities."""

    code = "store.refused"


class WebhookRefusedError(AppError):
    """The receiver of the webhook refused the call."""

    code = "webhook.refused"
    http_status = 502


class UnexpectedError(AppError):
    """An unexpected error occurred; its type is in the details, its text is kept out of records."""

    code = "unexpected"
