"""Errors of the engine. `retryable` on any error's class says whether a step is tried again."""

from configs.errors import AppError, ConflictError, InputError, NotFoundError


class EngineError(AppError):
    """The workflow engine cannot go on."""

    code = "engine.error"


class NonRetryableError(EngineError):
    """The step failed for good; trying it again cannot help."""

    code = "engine.non_retryable"


class StepTimeoutError(EngineError):
    """The step did not end within its time limit and was stopped."""

    code = "engine.step_timeout"
    retryable = True


class WorkerProcessDiedError(EngineError):
    """The process that ran the step died (out of memory, or a crash in native code)."""

    code = "engine.worker_process_died"
    retryable = True


class ChildSetupError(EngineError):
    """The process for this resource could not be prepared; its type of error is in the details."""

    code = "engine.child_setup"
    retryable = True


class EventTimeoutError(EngineError):
    """No such event arrived before the deadline."""

    code = "engine.event_timeout"


class StepFailedError(EngineError):
    """The step failed for good with an error whose type cannot be restored."""

    code = "engine.step_failed"


class InvalidIdError(InputError, ValueError):
    """The id or event type is none: 1 to 100 letters, digits, '_' or '-', first not '-'."""

    code = "input.invalid_id"


class StepLostError(EngineError):
    """The worker died again and again while it ran this step."""

    code = "engine.step_lost"


class StepNameError(EngineError):
    """The step's name cannot be used."""

    code = "engine.step_name"


class LimitError(EngineError):
    """A limit of the engine is exceeded."""

    code = "engine.limit"


class TooLargeForJournalError(LimitError):
    """The value is larger than 1 MiB. Store it as an artifact and return its reference."""

    code = "engine.too_large"
    http_status = 413


class NotSerializableError(EngineError):
    """The value cannot be written as JSON."""

    code = "engine.not_serializable"


class DriftError(EngineError):
    """The workflow's code does not fit what this instance has done so far."""

    code = "engine.drift"


class UnsafeWorkflowError(EngineError):
    """The workflow's `run` reads the clock, draws randomness or does I/O outside a step."""

    code = "engine.unsafe_workflow"


class InstanceExistsError(ConflictError):
    """An instance with this id exists already."""

    code = "conflict.instance_exists"


class InstanceEndedError(ConflictError):
    """The instance has ended; it takes no more events."""

    code = "conflict.instance_ended"


class InstanceStateError(ConflictError):
    """This cannot be done with an instance in its present status."""

    code = "conflict.instance_state"


class StepNotFoundError(NotFoundError):
    """The instance has no such step."""

    code = "not_found.step"


class InstanceNotFoundError(NotFoundError):
    """There is no instance with this id."""

    code = "not_found.instance"


class ScheduleNotFoundError(NotFoundError):
    """There is no schedule with this name."""

    code = "not_found.schedule"


class PausingError(Exception):
    """The instance is to be paused: nothing new begins. Internal: never seen by a workflow."""


class FencedError(Exception):
    """Another execution owns this instance or step now. Internal: never seen by a workflow."""
