"""The gateway before real HTTP endpoints that follow a script, with the ledger that runs have."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import sqlalchemy as sa

from configs.errors import (
    AppError,
    ContentFilterError,
    ContextTooLongError,
    ModelError,
    OverBudgetError,
    RateLimitedError,
    TransientError,
)
from models.gateway import Endpoint, Gateway, Price
from models.llm import LlmClient, LlmConfig
from models.summarizer.chat import Completion, Message
from pipeline.ledger import RunLedger
from pipeline.steps.job import Job
from storage import ledger, retention
from storage.artifacts import ArtifactStore, StoreConfig
from storage.database import reading, transaction
from storage.tables import ModelCall
from tests.llm_servers import Reply, ScriptedLlm, completion, failure, scripted_llm
from tests.rows import ADMIN, make_run

ASK = [Message("user", "Summarize what [PERSON_1] said of the tea shop.")]
SCHEMA = {"type": "object"}
ANSWER = '{"headline": 1}'
DEAR = Price(1000.0, 1000.0)  # a tenth of a cent for each token


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ScriptedLlm, ScriptedLlm]]:
    with scripted_llm() as first, scripted_llm() as second:
        yield first, second


@pytest.fixture
def first(servers: tuple[ScriptedLlm, ScriptedLlm]) -> ScriptedLlm:
    servers[0].script()
    return servers[0]


@pytest.fixture
def second(servers: tuple[ScriptedLlm, ScriptedLlm]) -> ScriptedLlm:
    servers[1].script()
    return servers[1]


@pytest.fixture
def notes(rows: sa.Engine, store: ArtifactStore) -> RunLedger:
    return RunLedger(
        database=rows,
        store=store,
        job=new_job(rows),
        run_usd=None,
        tenant_usd_per_month=None,
        keeps_answers=True,
    )


def new_job(database: sa.Engine, tenant: str = "default") -> Job:
    with transaction(database) as session:
        run = make_run(session, tenant=tenant)
    return Job(run.id, 1, tenant, "en", "default")


def gateway(
    notes: RunLedger,
    *servers: ScriptedLlm,
    price: Price = Price(),  # noqa: B008 - a frozen value
    requests_per_minute: int | None = None,
) -> Gateway:
    endpoints = [
        Endpoint(
            name=f"e{count}",
            client=LlmClient(LlmConfig(server.base_url, f"m{count}", max_output_tokens=100)),
            price=price,
            requests_per_minute=requests_per_minute,
        )
        for count, server in enumerate(servers, start=1)
    ]
    return Gateway(endpoints, notes, prompt_sha256="d" * 64)


def entries(notes: RunLedger) -> list[ModelCall]:
    with reading(notes.database) as session:
        return list(ledger.calls_of(session, notes.job.run_id))


def test_answer_when_asked_again_then_from_the_cache_without_a_call(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(completion(ANSWER), completion("{}"))
    asked = gateway(notes, first, price=DEAR)

    answers = [asked.complete(ASK, SCHEMA), asked.complete(ASK, SCHEMA)]

    assert answers[0] == answers[1]
    assert len(first.requests) == 1
    made, cached = entries(notes)
    assert (made.outcome, made.input_tokens, made.output_tokens) == ("answered", 1000, 7)
    assert made.cost_usd == pytest.approx(1.007)
    assert (cached.outcome, cached.input_tokens, cached.cost_usd) == ("cached", 0, 0.0)
    assert made.prompt_sha256 == "d" * 64


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: asked.complete([Message("user", "Another text.")], SCHEMA),
        lambda asked: asked.complete(ASK, {"type": "array"}),
        lambda asked: asked.complete(ASK, SCHEMA, max_output_tokens=50),
    ],
    ids=["messages", "schema", "limit"],
)
def test_cache_when_anything_of_the_request_differs_then_asked(
    first: ScriptedLlm, notes: RunLedger, change: object
) -> None:
    first.script(completion(ANSWER), completion(ANSWER))
    asked = gateway(notes, first)
    asked.complete(ASK, SCHEMA)
    assert callable(change)
    change(asked)
    assert len(first.requests) == 2


@pytest.mark.parametrize(
    "reply",
    [completion("{", finish="length"), completion("no JSON at all"), completion(" ")],
    ids=["cut off", "another form", "blank"],
)
def test_cache_when_another_try_may_do_better_then_not_kept(
    first: ScriptedLlm, notes: RunLedger, reply: Reply
) -> None:
    first.script(reply, completion("{}"))
    asked = gateway(notes, first)
    asked.complete(ASK, SCHEMA)
    assert asked.complete(ASK, SCHEMA).text == "{}"


def test_cache_when_another_run_asks_then_only_the_same_tenants_is_answered(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(completion(ANSWER), completion(ANSWER))
    gateway(notes, first).complete(ASK, SCHEMA)

    gateway(replace(notes, job=new_job(notes.database)), first).complete(ASK, SCHEMA)
    assert len(first.requests) == 1
    gateway(replace(notes, job=new_job(notes.database, "other")), first).complete(ASK, SCHEMA)
    assert len(first.requests) == 2


def test_cache_when_the_run_is_erased_then_its_answer_is_gone(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(completion(ANSWER), completion(ANSWER))
    gateway(notes, first).complete(ASK, SCHEMA)
    (entry,) = entries(notes)
    assert entry.answer is not None
    receipt = retention.erase_run(notes.database, notes.store, notes.job.run_id, actor_id=ADMIN.id)
    assert receipt.versions == 1

    gateway(replace(notes, job=new_job(notes.database)), first).complete(ASK, SCHEMA)
    assert len(first.requests) == 2


def test_cache_when_the_kept_object_is_gone_then_asked(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(completion(ANSWER), completion(ANSWER))
    gateway(notes, first).complete(ASK, SCHEMA)
    with reading(notes.database) as session:
        ref = ledger.find_answer(session, "default", entries(notes)[0].request_sha256 or "")
    assert ref is not None
    notes.store.delete_all_versions(ref)

    gateway(notes, first).complete(ASK, SCHEMA)
    assert len(first.requests) == 2


def test_answer_when_the_store_is_away_then_used_and_its_cost_is_known(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    away = replace(notes, store=ArtifactStore(StoreConfig("http://127.0.0.1:1", "key", "secret")))
    first.script(completion(ANSWER))
    assert gateway(away, first, price=DEAR).complete(ASK, SCHEMA).text == ANSWER
    (entry,) = entries(notes)
    assert (entry.outcome, entry.answer) == ("answered", None)
    assert entry.cost_usd == pytest.approx(1.007)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (failure(503, "overloaded"), "transient"),
        (failure(429, "rate_limit", Retry_After="90"), "transient.rate_limited"),
        (failure(429, "insufficient_quota"), "model.over_budget"),
        (failure(402, "payment_required"), "model.over_budget"),
        (failure(400, "content_filter"), "model.content_filter"),
        (completion("", finish="content_filter"), "model.content_filter"),
        (completion("I'm sorry, but I cannot help with that."), "model.content_filter"),
        (failure(404, "model_not_found"), "model.unknown"),
        (failure(401, "invalid_api_key"), "model.failed"),
    ],
)
def test_fallback_when_an_endpoint_does_not_answer_then_the_next_and_records_say_which(
    first: ScriptedLlm, second: ScriptedLlm, notes: RunLedger, reply: Reply, code: str
) -> None:
    first.script(reply)
    second.script(completion("{}"))

    found = gateway(notes, first, second).complete(ASK, SCHEMA)

    assert (found.endpoint, found.text) == ("e2", "{}")
    assert [(e.endpoint, e.model, e.outcome) for e in entries(notes)] == [
        ("e1", "m1", code),
        ("e2", "m2", "answered"),
    ]


def test_fallback_when_nothing_listens_then_the_next(second: ScriptedLlm, notes: RunLedger) -> None:
    with scripted_llm() as gone:
        away = gone
    second.script(completion("{}"))
    assert gateway(notes, away, second).complete(ASK).endpoint == "e2"


def test_fallback_when_the_input_is_too_long_then_not_asked_for_it_is_to_be_split(
    first: ScriptedLlm, second: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(failure(400, "context_length_exceeded"))
    with pytest.raises(ContextTooLongError):
        gateway(notes, first, second).complete(ASK)
    assert second.requests == []


@pytest.mark.parametrize(
    ("replies", "error", "wait_s"),
    [
        (
            (
                failure(429, "rate_limit", Retry_After="90"),
                failure(429, "rate_limit", Retry_After="30"),
            ),
            RateLimitedError,
            30.0,
        ),
        ((failure(400, "content_filter"), failure(503, "down")), TransientError, None),
        ((failure(400, "content_filter"), failure(404, "gone")), ContentFilterError, None),
    ],
    ids=["both later", "one later", "none"],
)
def test_fallback_when_none_answers_then_the_error_that_passes_first(
    first: ScriptedLlm,
    second: ScriptedLlm,
    notes: RunLedger,
    replies: tuple[Reply, Reply],
    error: type[AppError],
    wait_s: float | None,
) -> None:
    first.script(replies[0])
    second.script(replies[1])
    with pytest.raises(error) as raised:
        gateway(notes, first, second).complete(ASK)
    assert type(raised.value) is error
    assert raised.value.details.get("retry_after_s") == wait_s


def test_limit_when_the_minute_is_full_then_rate_limited_without_a_call(
    first: ScriptedLlm, second: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(completion("{}"))
    asked = gateway(notes, first, second, requests_per_minute=1)
    asked.complete(ASK)
    with pytest.raises(RateLimitedError) as raised:
        asked.complete([Message("user", "Another text.")])
    assert raised.value.retry_after_s is not None
    assert 50 < raised.value.retry_after_s <= 61
    assert (len(first.requests), len(second.requests)) == (1, 0)


def test_budget_when_it_does_not_allow_a_call_then_stopped_before_it(
    first: ScriptedLlm, second: ScriptedLlm, notes: RunLedger
) -> None:
    poor = replace(notes, run_usd=0.01)
    with pytest.raises(OverBudgetError) as raised:
        gateway(poor, first, second, price=DEAR).complete(ASK)
    assert (first.requests, second.requests) == ([], [])
    assert entries(notes) == []
    assert "tea" not in f"{raised.value} {raised.value.details}"


def test_cost_when_tokens_are_not_told_then_estimated(first: ScriptedLlm, notes: RunLedger) -> None:
    first.script(completion(ANSWER, prompt_tokens=None))
    gateway(notes, first, price=DEAR).complete(ASK, SCHEMA)
    (entry,) = entries(notes)
    assert entry.input_tokens == 16
    assert entry.cost_usd == pytest.approx(0.021)


def test_entry_when_the_answer_is_lost_then_it_stays_with_the_most_it_can_have_cost(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    class Killed(BaseException):
        pass

    class Dying(LlmClient):
        def complete(self, *_: object, **__: object) -> Completion:
            raise Killed

    client = Dying(LlmConfig(first.base_url, "m1", max_output_tokens=100))
    with pytest.raises(Killed):
        Gateway([Endpoint("e1", client, DEAR)], notes).complete(ASK)
    (entry,) = entries(notes)
    assert entry.outcome == "sent"
    assert entry.cost_usd == pytest.approx(0.116)


def test_ledger_when_read_then_it_holds_no_text(first: ScriptedLlm, notes: RunLedger) -> None:
    first.script(completion('{"headline": "The tea shop"}'))
    gateway(notes, first).complete(ASK, SCHEMA)
    (entry,) = entries(notes)
    assert "tea" not in repr(entry.model_dump())


def test_parts_when_a_fallback_has_less_room_then_planned_for_it(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    clients = [
        LlmClient(LlmConfig(first.base_url, "m", context_tokens=tokens)) for tokens in (8192, 2048)
    ]
    both = Gateway([Endpoint(f"e{i}", c, Price()) for i, c in enumerate(clients)], notes)
    assert (both.context_tokens, both.max_output_tokens) == (2048, 512)


def test_model_when_every_endpoint_refuses_then_not_retryable(
    first: ScriptedLlm, notes: RunLedger
) -> None:
    first.script(failure(401, "invalid_api_key"))
    with pytest.raises(ModelError) as raised:
        gateway(notes, first).complete(ASK)
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (completion("x", finish="content_filter"), "Short."),
        (completion(ANSWER, prompt_tokens=200), "word " * 1500),
    ],
    ids=["filtered", "cut"],
)
def test_call_when_it_was_answered_in_vain_then_the_budget_knows(
    first: ScriptedLlm, notes: RunLedger, reply: Reply, text: str
) -> None:
    first.script(reply)
    with pytest.raises(ModelError):
        gateway(notes, first, price=DEAR).complete([Message("user", text)], SCHEMA)
    (entry,) = entries(notes)
    assert entry.cost_usd >= 0.1
