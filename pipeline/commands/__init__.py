"""What people ask for: submit, check, decide, edit, reopen, reprocess, export, erase.

Each command is one transaction with the engine's part in it (a created instance, a sent event), so
that either all of it happened or nothing did.
"""

from pipeline.commands.beginnings import (
    BEGINNINGS,
    is_document,
    require_beginning,
    require_has,
    require_known,
)
from pipeline.commands.checking import check, newest_job
from pipeline.commands.context import Actor, App
from pipeline.commands.deciding import decide
from pipeline.commands.erasing import erasable, erase
from pipeline.commands.exporting import export
from pipeline.commands.operating import (
    create_instance,
    delete_instance,
    pause_instance,
    refuse_decision,
    restart_instance,
    resume_instance,
    run_of,
    send_event,
    step_of,
    terminate_instance,
)
from pipeline.commands.revising import (
    next_revision,
    reopen,
    reprocess,
    save_redactions,
    save_summary,
)
from pipeline.commands.scheduling import (
    backfill_schedule,
    pause_schedule,
    resume_schedule,
    trigger_schedule,
)
from pipeline.commands.subjects import SubjectFound, find_subject
from pipeline.commands.submitting import Announcement, Upload, display_name, inspect, submit
from pipeline.commands.uploading import Begun, begin_upload, complete_upload

__all__ = [
    "BEGINNINGS",
    "Actor",
    "Announcement",
    "App",
    "Begun",
    "SubjectFound",
    "Upload",
    "backfill_schedule",
    "begin_upload",
    "check",
    "complete_upload",
    "create_instance",
    "decide",
    "delete_instance",
    "display_name",
    "erasable",
    "erase",
    "export",
    "find_subject",
    "inspect",
    "is_document",
    "newest_job",
    "next_revision",
    "pause_instance",
    "pause_schedule",
    "refuse_decision",
    "reopen",
    "reprocess",
    "require_beginning",
    "require_has",
    "require_known",
    "restart_instance",
    "resume_instance",
    "resume_schedule",
    "run_of",
    "save_redactions",
    "save_summary",
    "send_event",
    "step_of",
    "submit",
    "terminate_instance",
    "trigger_schedule",
]
