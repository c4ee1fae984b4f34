"""Runs whose summaries are written through the gateway, by endpoints that follow a script."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from configs.clock import new_id
from pipeline import commands
from pipeline.engine import StepHistory
from pipeline.run_report import run_document
from storage import ledger
from storage.database import database_now, reading
from storage.embedded_s3 import EmbeddedS3
from storage.refs import publication_prefix
from storage.statuses import RunStatus
from storage.tables import ModelCall
from tests.application import running
from tests.databases import NewDatabase
from tests.deployment import OPERATOR, Deployment
from tests.llm_servers import ScriptedLlm, completion, failure, scripted_llm
from tests.waiting import wait_until

ANSWER = json.dumps(
    {
        "headline": "The library",
        "abstract": [{"text": "The library opens in May.", "citations": [1]}],
    }
)
PRICES = [{"model": "dear", "input_usd_per_million": 1e6, "output_usd_per_million": 1e6}]


@pytest.fixture(scope="module")
def endpoints() -> Iterator[tuple[ScriptedLlm, ScriptedLlm]]:
    with scripted_llm() as first, scripted_llm() as second:
        yield first, second


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory,
    new_database: NewDatabase,
    s3_server: EmbeddedS3,
    endpoints: tuple[ScriptedLlm, ScriptedLlm],
) -> Iterator[Deployment]:
    """An application with two endpoints, whose retries wait as they should."""
    first, second = endpoints
    config = replace(s3_server.config, bucket_prefix=new_id("t").replace("_", "-"))
    fallback = {"base_url": second.base_url, "model": "second"}
    with (
        new_database("sqlite") as url,
        running(
            tmp_path_factory.mktemp("home"),
            url,
            config,
            KIKIGAKI_LLM__BASE_URL=first.base_url,
            KIKIGAKI_LLM__MODEL="first",
            KIKIGAKI_LLM__FALLBACKS=json.dumps([fallback]),
            KIKIGAKI_LLM__PRICES=json.dumps(PRICES),
            KIKIGAKI_BUDGET__RUN_USD="0.5",
        ) as made,
    ):
        yield made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(f"The library opens in May. {new_id('note')}\n", encoding="utf-8")
    return path


def calls(application: Deployment, run_id: str) -> list[ModelCall]:
    with reading(application.runtime.database) as session:
        found = ledger.calls_of(session, run_id)
    return [call for call in found if call.step == "summarize"]


def summarizing(application: Deployment, run_id: str) -> StepHistory | None:
    steps = application.instance(run_id).history()
    return next((step for step in steps if step.name == "summarize"), None)


def test_summary_when_the_first_endpoint_is_down_then_provenance_names_the_fallback(
    written: Deployment, endpoints: tuple[ScriptedLlm, ScriptedLlm], source: Path
) -> None:
    endpoints[0].script(failure(503, "down"))
    endpoints[1].script(completion(ANSWER, prompt_tokens=None))

    run_id = written.submit_for_review(source)
    written.decide(run_id, "approve")
    written.wait_for_run(run_id, RunStatus.PUBLISHED)

    assert written.document(run_id, "summary")["method"] == "llm"
    prefix = publication_prefix("default", run_id, 1)
    envelope = json.loads(written.runtime.store.read_published(prefix, "statement.json"))
    steps = json.loads(base64.b64decode(envelope["payload"]))["predicate"]["steps"]
    (model,) = [step["model"] for step in steps if step["name"] == "summarize"]
    assert (model["name"], model["endpoint"]) == ("scripted", "fallback-1")
    with reading(written.runtime.database) as session:
        shown = run_document(session, written.run(run_id), [])["model_calls"]
    assert isinstance(shown, list)
    assert [(c["endpoint"], c["outcome"]) for c in shown if c["step"] == "summarize"] == [
        ("primary", "transient"),
        ("fallback-1", "answered"),
    ]


def test_summary_when_made_again_then_the_kept_answer_is_used(
    written: Deployment, endpoints: tuple[ScriptedLlm, ScriptedLlm], source: Path
) -> None:
    endpoints[0].script(completion(ANSWER, prompt_tokens=None))
    run_id = written.submit_for_review(source)
    asked = len(endpoints[0].requests)

    commands.reprocess(written.runtime.app, OPERATOR, run_id, "summarize", {"llm.timeout": 60})
    wait_until(lambda: len(calls(written, run_id)) == asked + 1, "the second revision's call")
    written.wait_for_run(run_id, RunStatus.AWAITING_REVIEW)

    assert [call.outcome for call in calls(written, run_id)] == ["answered", "cached"]
    assert len(endpoints[0].requests) == asked == 1


def test_summary_when_the_budget_is_used_up_then_quoted_and_nothing_was_sent(
    written: Deployment, endpoints: tuple[ScriptedLlm, ScriptedLlm], source: Path
) -> None:
    endpoints[0].script(completion(ANSWER, prompt_tokens=None))
    endpoints[1].script()
    run_id = written.submit_for_review(source)
    before = len(endpoints[0].requests)

    commands.reprocess(written.runtime.app, OPERATOR, run_id, "summarize", {"llm.model": "dear"})
    wait_until(lambda: "summary" in written.artifacts(run_id, 2), "the second summary")

    summary = written.document(run_id, "summary", revision=2)
    assert (summary["method"], summary["fallback_reason"]) == ("extractive", "model.over_budget")
    assert len(endpoints[0].requests) == before
    assert endpoints[1].requests == []


def test_summary_when_the_endpoint_asks_to_wait_then_the_step_sleeps_as_long(
    written: Deployment, endpoints: tuple[ScriptedLlm, ScriptedLlm], source: Path
) -> None:
    endpoints[0].script(failure(429, "rate_limit", Retry_After="3600"))
    endpoints[1].script(failure(429, "rate_limit", Retry_After="7200"))
    run_id = written.submit(source)

    def sleeps() -> bool:
        step = summarizing(written, run_id)
        return step is not None and step.waiting_until is not None

    wait_until(sleeps, "the step to be told to wait")
    step = summarizing(written, run_id)
    assert step is not None
    assert step.waiting_until is not None
    with reading(written.runtime.database) as session:
        left = step.waiting_until - database_now(session)
    assert timedelta(minutes=50) < left <= timedelta(minutes=60)
