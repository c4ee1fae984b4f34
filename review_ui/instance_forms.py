"""What the forms about instances ask for: each is read, carried out, and answered by a notice."""

import json
from collections.abc import Callable, Mapping

from starlette.datastructures import FormData

from configs.errors import InputError
from pipeline import commands
from pipeline.engine import StepKey
from review_ui.forms import text
from review_ui.locale import Locale
from review_ui.queries.instance_pages import step_of_value
from review_ui.visitors import Visitor
from review_ui.web import Web

FIELDS = ("from_step", "rollback", "type", "payload", "key")
_MOST = 2_000_000  # characters; more than the engine takes, so that it is the engine that refuses
_UNCHANGED = "instance_unchanged"

Work = Callable[[Web, Visitor, str, FormData, Locale], str]


def _pause(web: Web, visitor: Visitor, instance_id: str, _: FormData, __: Locale) -> str:
    changed = commands.pause_instance(web.app, visitor.actor, instance_id)
    return "instance_pause" if changed else _UNCHANGED


def _resume(web: Web, visitor: Visitor, instance_id: str, _: FormData, __: Locale) -> str:
    changed = commands.resume_instance(web.app, visitor.actor, instance_id)
    return "instance_resume" if changed else _UNCHANGED


def _restart(web: Web, visitor: Visitor, instance_id: str, form: FormData, t: Locale) -> str:
    step = _step(text(form, "from_step"), t)
    commands.restart_instance(web.app, visitor.actor, instance_id, step)
    return "instance_restart"


def _terminate(web: Web, visitor: Visitor, instance_id: str, form: FormData, _: Locale) -> str:
    rollback = bool(text(form, "rollback"))
    changed = commands.terminate_instance(web.app, visitor.actor, instance_id, rollback=rollback)
    if not changed:
        return _UNCHANGED
    return "instance_rollback" if rollback else "instance_terminate"


def _delete(web: Web, visitor: Visitor, instance_id: str, _: FormData, __: Locale) -> str:
    commands.delete_instance(web.app, visitor.actor, instance_id)
    return "instance_delete"


def _send_event(web: Web, visitor: Visitor, instance_id: str, form: FormData, t: Locale) -> str:
    kind, key = text(form, "type").strip(), text(form, "key").strip() or None
    payload = _json(text(form, "payload", _MOST), t)
    sent = commands.send_event(web.app, visitor.actor, instance_id, kind, payload, key)
    return "instance_event" if sent else "instance_event_again"


OPERATIONS: Mapping[str, Work] = {
    "pause": _pause,
    "resume": _resume,
    "restart": _restart,
    "terminate": _terminate,
    "delete": _delete,
    "send-event": _send_event,
}
"""What may be done to an instance, by the last part of the address."""


def _step(value: str, t: Locale) -> StepKey | None:
    try:
        return step_of_value(value) if value else None
    except (ValueError, TypeError):
        raise InputError(t("confirm_form.no_step")) from None


def _json(value: str, t: Locale) -> object:
    try:
        return json.loads(value) if value.strip() else None
    except (ValueError, RecursionError):
        raise InputError(t("confirm_form.not_json")) from None
