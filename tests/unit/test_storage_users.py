from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from configs.errors import ConflictError, InputError, NotFoundError
from storage import audit, users
from storage.database import transaction
from storage.statuses import Role
from storage.tables import ApiToken, SignInLink, User, WebSession

PASSWORD = "correct horse battery"
HOUR = timedelta(hours=1)


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


@pytest.fixture
def editor(session: Session) -> User:
    return users.create_user(session, "hanako", Role.EDITOR, password=PASSWORD)


def test_create_when_the_name_is_taken_then_refused(session: Session, editor: User) -> None:
    with pytest.raises(ConflictError):
        users.create_user(session, f" {editor.name} ", Role.ADMIN)
    assert [user.name for user in users.list_users(session)] == ["hanako"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_create_when_the_name_is_empty_or_long_then_refused(session: Session, name: str) -> None:
    with pytest.raises(InputError):
        users.create_user(session, name, Role.EDITOR)


def test_create_when_the_password_is_short_then_refused(session: Session) -> None:
    with pytest.raises(InputError):
        users.create_user(session, "taro", Role.EDITOR, password="short")


def test_password_when_stored_then_it_is_an_argon2_hash(editor: User) -> None:
    assert (editor.password_hash or "").startswith("$argon2id$")
    assert PASSWORD not in str(editor)


def test_authenticate_when_right_then_the_user(session: Session, editor: User) -> None:
    found = users.authenticate(session, "hanako", PASSWORD)
    assert found is not None
    assert found.id == editor.id


@pytest.mark.parametrize(
    ("name", "password"), [("hanako", "wrong"), ("nobody", PASSWORD), ("hanako", "")]
)
@pytest.mark.usefixtures("editor")
def test_authenticate_when_wrong_then_none(session: Session, name: str, password: str) -> None:
    assert users.authenticate(session, name, password) is None


def test_authenticate_when_there_is_no_password_then_none(session: Session) -> None:
    users.create_user(session, "taro", Role.EDITOR)
    assert users.authenticate(session, "taro", "") is None


def test_disable_when_done_then_nothing_of_theirs_works(session: Session, editor: User) -> None:
    _, token = users.create_token(session, editor.id, "ci")
    cookie = users.open_session(session, editor.id, HOUR)
    link = users.create_sign_in_link(session, editor.id, HOUR)
    users.disable_user(session, editor.id)
    assert users.authenticate(session, "hanako", PASSWORD) is None
    assert users.user_for_token(session, token) is None
    assert users.user_for_session(session, cookie) is None
    assert users.use_sign_in_link(session, link) is None


def test_set_password_when_changed_then_sessions_end_and_only_the_new_one_works(
    session: Session, editor: User
) -> None:
    cookie = users.open_session(session, editor.id, HOUR)
    users.set_password(session, editor.id, "another long one")
    assert users.user_for_session(session, cookie) is None
    assert users.authenticate(session, "hanako", PASSWORD) is None
    assert users.authenticate(session, "hanako", "another long one") is not None


def test_token_when_used_then_its_user_and_only_its_hash_is_stored(
    session: Session, editor: User
) -> None:
    token, secret = users.create_token(session, editor.id, "ci")
    found = users.user_for_token(session, secret)
    assert found is not None
    assert found.id == editor.id
    assert secret not in str(session.exec(select(ApiToken)).one())
    assert users.user_for_token(session, token.sha256) is None


def test_token_when_revoked_then_none(session: Session, editor: User) -> None:
    token, secret = users.create_token(session, editor.id, "ci")
    users.revoke_token(session, token.id)
    users.revoke_token(session, token.id)
    assert users.user_for_token(session, secret) is None
    assert [t.label for t in users.list_tokens(session, editor.id)] == ["ci"]


def test_token_when_the_user_is_unknown_then_not_found(session: Session) -> None:
    with pytest.raises(NotFoundError):
        users.create_token(session, "usr_none", "ci")
    with pytest.raises(NotFoundError):
        users.revoke_token(session, "tok_none")


def test_session_when_open_then_its_user_until_closed(session: Session, editor: User) -> None:
    cookie = users.open_session(session, editor.id, HOUR)
    found = users.user_for_session(session, cookie)
    assert found is not None
    assert cookie not in str(session.exec(select(WebSession)).one())
    users.close_session(session, cookie)
    assert users.user_for_session(session, cookie) is None


def test_session_when_its_time_is_over_then_none_and_it_is_dropped_later(
    session: Session, editor: User
) -> None:
    cookie = users.open_session(session, editor.id, timedelta(0))
    assert users.user_for_session(session, cookie) is None
    users.open_session(session, editor.id, HOUR)
    assert len(session.exec(select(WebSession)).all()) == 1


def test_link_when_used_then_it_works_once(session: Session, editor: User) -> None:
    secret = users.create_sign_in_link(session, editor.id, HOUR)
    assert secret not in str(session.exec(select(SignInLink)).one())
    found = users.use_sign_in_link(session, secret)
    assert found is not None
    assert found.id == editor.id
    assert users.use_sign_in_link(session, secret) is None


def test_link_when_its_time_is_over_then_none(session: Session, editor: User) -> None:
    secret = users.create_sign_in_link(session, editor.id, timedelta(0))
    assert users.use_sign_in_link(session, secret) is None


@pytest.mark.parametrize("secret", ["", "x", "\x00", "名前"])
def test_secrets_when_unknown_then_none(session: Session, secret: str) -> None:
    assert users.user_for_token(session, secret) is None
    assert users.user_for_session(session, secret) is None
    assert users.use_sign_in_link(session, secret) is None


def test_actor_when_an_admin_then_of_all_tenants(session: Session, editor: User) -> None:
    admin = users.create_user(session, "root", Role.ADMIN)
    assert users.actor_of(admin).serves("any")
    assert users.actor_of(editor).serves("default")
    assert not users.actor_of(editor).serves("other")
    assert users.actor_of(admin).has_role(Role.EDITOR)
    assert not users.actor_of(editor).has_role(Role.ADMIN)


def test_audit_when_access_changes_then_who_and_whom_and_never_a_secret(session: Session) -> None:
    user = users.create_user(session, "mia", Role.EDITOR, password=PASSWORD, by="usr_chief")
    token, secret = users.create_token(session, user.id, "Mia Example's laptop", by="usr_chief")
    users.set_password(session, user.id, PASSWORD * 2, by=user.id)
    link = users.create_sign_in_link(session, user.id, timedelta(minutes=5), by="usr_chief")
    for _ in range(2):  # the second time nothing changes, and nothing is recorded
        users.revoke_token(session, token.id, by="usr_chief")
        users.disable_user(session, user.id, by="usr_chief")
    events = list(audit.export(session))
    assert [(e["action"], e["actor_id"]) for e in events] == [
        ("user.added", "usr_chief"),
        ("token.created", "usr_chief"),
        ("user.password_set", user.id),
        ("sign_in_link.created", "usr_chief"),
        ("token.revoked", "usr_chief"),
        ("user.disabled", "usr_chief"),
    ]
    assert all(user.id in str(event["details"]) for event in events)
    assert token.id in str(events[1]["details"])
    written = str(events).lower()
    assert not [s for s in (secret, link, PASSWORD, "mia") if s.lower() in written]
    assert audit.verify(session).ok
