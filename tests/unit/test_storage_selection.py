from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session

from configs.errors import InputError
from storage import runs
from storage.database import transaction
from storage.selection import Condition, parse_selection, select_runs
from storage.statuses import RunStatus
from tests.rows import make_run


@pytest.fixture
def session(rows: sa.Engine) -> Iterator[Session]:
    with transaction(rows) as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tenant=acme", [Condition("tenant", "=", ("acme",))]),
        ("  tenant = acme  ", [Condition("tenant", "=", ("acme",))]),
        ("run in (a,b)", [Condition("run", "in", ("a", "b"))]),
        ("run IN ( a , b )", [Condition("run", "in", ("a", "b"))]),
        ('model="large v3 (turbo)"', [Condition("model", "=", ("large v3 (turbo)",))]),
        ("template='a and b'", [Condition("template", "=", ("a and b",))]),
        ("created>=2026-01-01", [Condition("created", ">=", ("2026-01-01",))]),
        (
            "language=ja and status in (published) and created<=2026-02-01T10:00:00",
            [
                Condition("language", "=", ("ja",)),
                Condition("status", "in", ("published",)),
                Condition("created", "<=", ("2026-02-01T10:00:00",)),
            ],
        ),
    ],
)
def test_parse_when_right_then_its_conditions(text: str, expected: list[Condition]) -> None:
    assert list(parse_selection(text).conditions) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "tenant",
        "tenant=",
        "=acme",
        "title=x",
        "tenant==acme",
        "tenant!=acme",
        "tenant>=acme",
        "tenant=a or tenant=b",
        "tenant=a tenant=b",
        "tenant=a and",
        "and tenant=a",
        "run in a,b",
        "run in ()",
        "run in (a,)",
        "run in (a b)",
        "run in (a,b",
        "status=done",
        "status in (published, gone)",
        "created=yesterday",
        "created>=2026-13-01",
        "tenant='a",
        "tenant=a; DROP TABLE run",
        "tenant=a -- x",
        "1=1",
        "\x00",
    ],
)
def test_parse_when_wrong_then_it_says_so(text: str) -> None:
    with pytest.raises(InputError):
        parse_selection(text)


@given(st.text(max_size=60))
def test_parse_when_anything_is_given_then_a_selection_or_an_input_error(text: str) -> None:
    try:
        parsed = parse_selection(text)
    except InputError:
        return
    assert parsed.conditions


@given(st.text(st.characters(exclude_characters="\"'"), min_size=1, max_size=40))
def test_where_when_compiled_then_values_are_bound_and_never_sql(value: str) -> None:
    compiled = parse_selection(f'tenant="{value}"').where().compile()
    template = parse_selection('tenant="x"').where().compile()
    assert str(compiled) == str(template)
    assert [value] in compiled.params.values()


def test_select_when_fields_are_given_then_those_runs(session: Session) -> None:
    first, second = make_run(session), make_run(session, tenant="other", template="minutes")
    runs.set_facts(session, second.id, language="ja")
    runs.set_status(session, second.id, RunStatus.PUBLISHED)
    runs.record_step(
        session,
        run_id=first.id,
        revision=1,
        step="transcribe",
        inputs={},
        outputs={},
        model={"name": "base"},
        prompt_sha256=None,
        config_sha256="",
    )
    day = first.created_at.date().isoformat()
    cases = {
        f"run={first.id}": [first.id],
        f"run in ({first.id}, {second.id}, run_none)": [first.id, second.id],
        "tenant=other": [second.id],
        "tenant=other and language=ja and status=published and template=minutes": [second.id],
        "tenant=other and language=en": [],
        "model=base": [first.id],
        "model in (base, large)": [first.id],
        f"created={day}": [first.id, second.id],
        f"created>={day}": [first.id, second.id],
        f"created<={day}": [first.id, second.id],
        "created>=2999-01-01": [],
        "created<=2000-01-01": [],
        "created in (2000-01-01, 2000-01-02)": [],
        f"created={second.created_at.isoformat()}": [second.id],
    }
    for text, expected in cases.items():
        assert select_runs(session, parse_selection(text)) == expected, text


def test_select_when_a_run_is_erased_then_it_is_never_selected(session: Session) -> None:
    run = make_run(session)
    runs.set_status(session, run.id, RunStatus.ERASED)
    assert select_runs(session, parse_selection(f"run={run.id}")) == []
    assert select_runs(session, parse_selection("status=erased")) == []
