"""`users`, `tokens`, `tenants`: who may sign in, with what, and for whom."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import JsonOption, UsageProblem, say, show, table
from pipeline.cli.opening import OPERATOR_ID, opened_database

if TYPE_CHECKING:
    from sqlmodel import Session

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What they sign in with.")]
PasswordStdinOption = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


def add_to(app: typer.Typer) -> None:
    """Add the groups."""
    users = typer.Typer(help="Who may sign in.", no_args_is_help=True)
    users.command("add")(add_user)
    users.command("password")(set_password)
    users.command("list")(list_users)
    users.command("disable")(disable_user)
    app.add_typer(users, name="users")
    tokens = typer.Typer(help="Tokens for the API.", no_args_is_help=True)
    tokens.command("create")(create_token)
    tokens.command("list")(list_tokens)
    tokens.command("revoke")(revoke_token)
    app.add_typer(tokens, name="tokens")
    tenants = typer.Typer(help="Whose runs and settings are apart.", no_args_is_help=True)
    tenants.command("list")(list_tenants)
    tenants.command("show")(show_tenant)
    app.add_typer(tenants, name="tenants")


def list_tenants(as_json: JsonOption = False) -> None:
    """List the tenants."""
    from configs.settings import tenant_names

    names = tenant_names()
    show(
        {"tenants": [{"tenant": name} for name in names]},
        as_json,
        lambda: table(["tenant"], [[name] for name in names], empty="There are no tenants."),
    )


def show_tenant(
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")],
    as_json: JsonOption = False,
) -> None:
    """Show a tenant's settings, secrets hidden, and what its model calls cost this month (UTC)."""
    from configs.settings import TENANT_GROUPS
    from pipeline.cli.shown_settings import shown_settings
    from storage.database import reading
    from storage.ledger import tenant_spent_usd

    with opened_database() as (loaded, database):
        settings = shown_settings(loaded.for_tenant(tenant))
        with reading(database) as session:
            spent = tenant_spent_usd(session, tenant)
    document: dict[str, object] = {
        "tenant": tenant,
        "spent_usd_this_month": spent,
        "settings": {name: settings[name] for name in sorted(TENANT_GROUPS)},
    }
    rows = [
        [f"{group}.{name}", value]
        for group in sorted(TENANT_GROUPS)
        for name, value in _items(settings[group])
    ]
    rows.append(["spent_usd_this_month", spent])
    show(document, as_json, lambda: table(["setting", "value"], rows, empty=""))


def _items(group: object) -> list[tuple[str, object]]:
    return list(group.items()) if isinstance(group, dict) else []


def add_user(
    name: NameArgument,
    role: Annotated[str, typer.Option(help="uploader, editor or admin.")] = "editor",
    tenant: Annotated[str, typer.Option(help="Whose runs they see.")] = "default",
    password_stdin: PasswordStdinOption = False,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="They sign in by link or token only.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a user; the password is asked for, or read from standard input."""
    from configs.settings import load_settings
    from storage import users
    from storage.database import transaction
    from storage.statuses import Role

    load_settings().for_tenant(tenant)  # one that does not exist is refused
    if role not in set(Role):
        raise UsageProblem(f"--role is one of {', '.join(Role)}.")
    instead = "--password-stdin or --no-password"
    password = None if no_password else _password(instead, from_stdin=password_stdin)
    with opened_database() as (_, database), transaction(database) as session:
        user = users.create_user(
            session, name, Role(role), tenant=tenant, password=password, by=OPERATOR_ID
        )
        document = {"user": user.id, "name": user.name, "role": role, "tenant": tenant}
    show(document, as_json, lambda: typer.echo(f"{document['user']}  {name} ({role})"))


def set_password(
    name: NameArgument,
    password_stdin: PasswordStdinOption = False,
    as_json: JsonOption = False,
) -> None:
    """Set a user's password and end their sessions; it is asked for, or read from stdin."""
    from storage import users
    from storage.database import transaction

    password = _password("--password-stdin", from_stdin=password_stdin)
    with opened_database() as (_, database), transaction(database) as session:
        user_id = _user_id(session, name)
        users.set_password(session, user_id, password, by=OPERATOR_ID)
    document = {"user": user_id, "password_set": True}
    show(document, as_json, lambda: say(f"{name} has a new password; their sessions have ended."))


def list_users(as_json: JsonOption = False) -> None:
    """List the users."""
    from storage import users
    from storage.database import reading

    with opened_database() as (_, database), reading(database) as session:
        found: list[dict[str, object]] = [
            {
                "user": user.id,
                "name": user.name,
                "role": user.role.value,
                "tenant": user.tenant,
                "disabled_at": user.disabled_at,
            }
            for user in users.list_users(session)
        ]
    columns = ("user", "name", "role", "tenant", "disabled_at")
    rows = [[user[name] for name in columns] for user in found]
    show({"users": found}, as_json, lambda: table(columns, rows, empty="There are no users."))


def disable_user(name: NameArgument, as_json: JsonOption = False) -> None:
    """Disable a user: their sessions and tokens end; what they decided stays theirs."""
    from storage import users
    from storage.database import transaction

    with opened_database() as (_, database), transaction(database) as session:
        user_id = _user_id(session, name)
        users.disable_user(session, user_id, by=OPERATOR_ID)
    show({"user": user_id, "disabled": True}, as_json, lambda: say(f"{name} is disabled."))


def create_token(
    user: Annotated[str, typer.Option(metavar="NAME", help="Whose token it is.")],
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Create a token; it is shown once and kept only as a hash."""
    from storage import users
    from storage.database import transaction

    with opened_database() as (_, database), transaction(database) as session:
        user_id = _user_id(session, user)
        token, secret = users.create_token(session, user_id, label, by=OPERATOR_ID)
        document = {"id": token.id, "token": secret, "label": label, "user": token.user_id}
    show(document, as_json, lambda: typer.echo(secret))


def list_tokens(as_json: JsonOption = False) -> None:
    """List the tokens, without their secrets."""
    from storage import users
    from storage.database import reading

    columns = ("id", "user_id", "label", "created_at", "revoked_at")
    with opened_database() as (_, database), reading(database) as session:
        found = [
            {name: getattr(token, name) for name in columns} for token in users.list_tokens(session)
        ]
    rows = [list(token.values()) for token in found]
    show({"tokens": found}, as_json, lambda: table(columns, rows, empty="There are no tokens."))


def revoke_token(
    token: Annotated[str, typer.Argument(metavar="ID", help="The token's id.")],
    as_json: JsonOption = False,
) -> None:
    """Revoke a token."""
    from storage import users
    from storage.database import transaction

    with opened_database() as (_, database), transaction(database) as session:
        users.revoke_token(session, token, by=OPERATOR_ID)
    show({"id": token, "revoked": True}, as_json, lambda: say(f"{token} is revoked."))


def _user_id(session: "Session", name: str) -> str:
    from storage import users

    user = users.find_user(session, name)
    if user is None:
        raise UsageProblem(f"There is no user {name!r}.")
    return user.id


def _password(instead: str, *, from_stdin: bool) -> str:
    """Ask for a password twice, or read one line: never from the command line, which others see."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise UsageProblem(f"Give {instead}; there is no terminal to ask.")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
