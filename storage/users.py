"""Users and how they prove who they are: passwords, API tokens, browser sessions, one-time links.

Secrets are kept as hashes only: passwords with argon2, the random rest with SHA-256.
"""

import hashlib
from datetime import timedelta
from functools import cache

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlmodel import Session, col, select

from configs.clock import new_id, new_secret
from configs.errors import ConflictError, InputError, NotFoundError
from storage import audit
from storage.database import database_now
from storage.policy import SYSTEM, Actor
from storage.statuses import Role
from storage.tables import ApiToken, JsonObject, SignInLink, User, WebSession
from storage.upsert import insert_if_absent

_MIN_PASSWORD = 10


def create_user(
    session: Session,
    name: str,
    role: Role,
    *,
    tenant: str = "default",
    password: str | None = None,
    by: str = SYSTEM,
) -> User:
    """Add a user; without a password they sign in by link or token.

    Args:
        session: the transaction.
        name: what they sign in with.
        role: what they may do.
        tenant: whose runs they see.
        password: None for none.
        by: who adds them, for the audit log.

    Raises:
        ConflictError: the name is taken (not retryable).
        InputError: the name is empty or the password too short (not retryable).
    """
    cleaned = name.strip()
    if not cleaned or len(cleaned) > 200:
        raise InputError("A user's name has 1 to 200 characters.")
    user = User(
        id=new_id("usr"),
        name=cleaned,
        role=role,
        tenant=tenant,
        password_hash=None if password is None else _hash_password(password),
        created_at=database_now(session),
    )
    if not insert_if_absent(session, user):
        raise ConflictError("There is already a user with this name.")
    _record(session, by, "user.added", user.id, role=role.value, tenant=tenant)
    return session.get_one(User, user.id)


def get_user(session: Session, user_id: str) -> User:
    """Return a user.

    Raises:
        NotFoundError: there is none with this id (not retryable).
    """
    user = session.get(User, user_id)
    if user is None:
        raise NotFoundError("There is no user with this id.")
    return user


def find_user(session: Session, name: str) -> User | None:
    """Return the user with this name, if there is one."""
    return session.exec(select(User).where(User.name == name.strip())).one_or_none()


def list_users(session: Session) -> list[User]:
    """Return all users by name."""
    return list(session.exec(select(User).order_by(col(User.name))))


def actor_of(user: User) -> Actor:
    """Return the user as somebody who acts; admins serve all tenants."""
    return Actor(user.id, user.role, None if user.role is Role.ADMIN else user.tenant)


def set_password(session: Session, user_id: str, password: str, *, by: str = SYSTEM) -> None:
    """Set a password and end the user's browser sessions; `by` goes into the audit log.

    Raises:
        InputError: it is too short (not retryable).
        NotFoundError: there is no such user (not retryable).
    """
    user = get_user(session, user_id)
    user.password_hash = _hash_password(password)
    session.add(user)
    _end_sessions(session, user_id)
    _record(session, by, "user.password_set", user_id)


def disable_user(session: Session, user_id: str, *, by: str = SYSTEM) -> None:
    """Bar a user: no password, token, link or session of theirs works any more.

    Disabling again changes nothing; `by` goes into the audit log.

    Raises:
        NotFoundError: there is no such user (not retryable).
    """
    user = get_user(session, user_id)
    if user.disabled_at is not None:
        return
    user.disabled_at = database_now(session)
    session.add(user)
    _end_sessions(session, user_id)
    _record(session, by, "user.disabled", user_id)


def authenticate(session: Session, name: str, password: str) -> User | None:
    """Return the user whose name and password these are.

    An unknown name takes as long as a wrong password, so that names cannot be found out.
    """
    user = find_user(session, name)
    known = user.password_hash if user is not None and user.password_hash else None
    matches = _verify(known or _decoy(), password)
    if user is None or known is None or not matches or user.disabled_at is not None:
        return None
    return user


def create_token(
    session: Session, user_id: str, label: str, *, by: str = SYSTEM
) -> tuple[ApiToken, str]:
    """Add an API token; `by` goes into the audit log.

    Returns:
        The row and the secret, which is shown once and kept nowhere.

    Raises:
        NotFoundError: there is no such user (not retryable).
    """
    get_user(session, user_id)
    secret = f"kk_{new_secret()}"
    token = ApiToken(
        id=new_id("tok"),
        user_id=user_id,
        label=label,
        sha256=_digest(secret),
        created_at=database_now(session),
    )
    session.add(token)
    session.flush()
    _record(session, by, "token.created", user_id, token=token.id)
    return token, secret


def user_for_token(session: Session, secret: str) -> User | None:
    """Return whose API token this is; None where it is unknown, revoked or the user disabled."""
    query = select(ApiToken).where(ApiToken.sha256 == _digest(secret))
    token = session.exec(query.where(col(ApiToken.revoked_at).is_(None))).one_or_none()
    return None if token is None else _active(session, token.user_id)


def revoke_token(session: Session, token_id: str, *, by: str = SYSTEM) -> None:
    """End an API token; ending it again changes nothing. `by` goes into the audit log.

    Raises:
        NotFoundError: there is no such token (not retryable).
    """
    token = session.get(ApiToken, token_id)
    if token is None:
        raise NotFoundError("There is no token with this id.")
    if token.revoked_at is not None:
        return
    token.revoked_at = database_now(session)
    session.add(token)
    session.flush()
    _record(session, by, "token.revoked", token.user_id, token=token.id)


def list_tokens(session: Session, user_id: str | None = None) -> list[ApiToken]:
    """Return API tokens, oldest first, of one user or of all."""
    query = select(ApiToken).order_by(col(ApiToken.created_at))
    if user_id is not None:
        query = query.where(ApiToken.user_id == user_id)
    return list(session.exec(query))


def open_session(session: Session, user_id: str, lifetime: timedelta) -> str:
    """Sign a browser in and return the secret for its cookie; ended sessions are dropped.

    Raises:
        NotFoundError: there is no such user (not retryable).
    """
    get_user(session, user_id)
    now = database_now(session)
    session.exec(sa.delete(WebSession).where(col(WebSession.expires_at) <= now))
    secret = new_secret()
    session.add(
        WebSession(
            sha256=_digest(secret), user_id=user_id, created_at=now, expires_at=now + lifetime
        )
    )
    session.flush()
    return secret


def user_for_session(session: Session, secret: str) -> User | None:
    """Return who is signed in with this cookie; None where it is unknown or has ended."""
    row = session.get(WebSession, _digest(secret))
    if row is None or row.expires_at <= database_now(session):
        return None
    return _active(session, row.user_id)


def close_session(session: Session, secret: str) -> None:
    """Sign a browser out."""
    session.exec(sa.delete(WebSession).where(col(WebSession.sha256) == _digest(secret)))


def create_sign_in_link(
    session: Session, user_id: str, lifetime: timedelta, *, by: str = SYSTEM
) -> str:
    """Return the secret of a link that signs the user in once; `by` goes into the audit log.

    Raises:
        NotFoundError: there is no such user (not retryable).
    """
    get_user(session, user_id)
    secret = new_secret()
    expires_at = database_now(session) + lifetime
    session.add(SignInLink(sha256=_digest(secret), user_id=user_id, expires_at=expires_at))
    session.flush()
    _record(session, by, "sign_in_link.created", user_id)
    return secret


def use_sign_in_link(session: Session, secret: str) -> User | None:
    """Return whose link this is, and use it up; None where it is unknown, used or has ended."""
    now = database_now(session)
    used = session.connection().execute(
        sa.update(SignInLink)
        .where(col(SignInLink.sha256) == _digest(secret))
        .where(col(SignInLink.used_at).is_(None), col(SignInLink.expires_at) > now)
        .values(used_at=now)
    )
    if used.rowcount != 1:
        return None
    link = session.get_one(SignInLink, _digest(secret))
    return _active(session, link.user_id)


def _record(session: Session, by: str, action: str, user_id: str, **about: str) -> None:
    """Append an audit event: ids, role and tenant; no name, label or secret."""
    details: JsonObject = {"user": user_id, **about}
    audit.append(session, actor_id=by, action=action, run_id=None, details=details)


def _active(session: Session, user_id: str) -> User | None:
    user = session.get(User, user_id)
    return user if user is not None and user.disabled_at is None else None


def _end_sessions(session: Session, user_id: str) -> None:
    session.exec(sa.delete(WebSession).where(col(WebSession.user_id) == user_id))
    session.flush()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _decoy() -> str:
    return _hasher().hash(new_secret())


def _hash_password(password: str) -> str:
    if len(password) < _MIN_PASSWORD:
        raise InputError(f"A password has at least {_MIN_PASSWORD} characters.")
    return _hasher().hash(password)


def _verify(known: str, password: str) -> bool:
    try:
        return _hasher().verify(known, password)
    except (VerificationError, InvalidHashError):
        return False
