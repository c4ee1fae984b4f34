import json
from collections.abc import Callable, Iterator

import pytest

from configs.errors import (
    AppError,
    ContentFilterError,
    ContextTooLongError,
    ModelError,
    OverBudgetError,
    RateLimitedError,
    TransientError,
    UnknownModelError,
)
from models.llm import LlmClient, LlmConfig, LlmSummarizer
from models.summarizer import parse_summary
from models.summarizer.chat import Message
from tests.llm_servers import Reply, ScriptedLlm, completion, failure, real_llm, scripted_llm
from tests.summaries import transcript

SCHEMA = {
    "type": "object",
    "properties": {"headline": {"type": "string", "maxLength": 30}, "parts": {"type": "integer"}},
    "required": ["headline", "parts"],
    "additionalProperties": False,
}
ASK = [Message("user", "Write a headline about a tea shop that opens a second room.")]


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedLlm]:
    with scripted_llm() as server:
        yield server


@pytest.fixture(scope="module")
def real() -> Iterator[str]:
    with real_llm(2048) as url:
        yield url


def client_of(url: str, *, stream: bool = False, timeout_s: float = 60.0) -> LlmClient:
    return LlmClient(
        LlmConfig(
            base_url=url,
            model="smollm2",
            context_tokens=2048,
            max_output_tokens=96,
            timeout_s=timeout_s,
            stream=stream,
        )
    )


@pytest.fixture(params=["scripted", "real"])
def endpoint(request: pytest.FixtureRequest) -> str:
    if request.param == "real":
        return str(request.getfixturevalue("real"))
    server: ScriptedLlm = request.getfixturevalue("scripted")
    server.script(completion('{"headline": "A second room", "parts": 2}', prompt_tokens=31))
    return server.base_url


@pytest.mark.parametrize("stream", [False, True])
def test_complete_when_schema_is_given_then_answer_obeys_it_and_is_counted(
    endpoint: str, stream: bool
) -> None:
    found = client_of(endpoint, stream=stream).complete(ASK, SCHEMA)

    answer = json.loads(found.text)
    assert set(answer) == {"headline", "parts"}
    assert isinstance(answer["parts"], int)
    assert found.finish_reason == "stop"
    assert found.input_tokens is not None
    assert found.output_tokens is not None
    assert found.input_tokens > 10
    assert not found.model.startswith("/")


def test_complete_when_limit_is_reached_then_finish_reason_says_so(real: str) -> None:
    found = client_of(real).complete(ASK, max_output_tokens=4)

    assert found.finish_reason == "length"
    assert found.output_tokens == 4


@pytest.mark.parametrize("which", ["real", "scripted"])
def test_complete_when_input_is_too_long_then_context_too_long(
    which: str, request: pytest.FixtureRequest, scripted: ScriptedLlm
) -> None:
    scripted.script(failure(400, "context_length_exceeded"))
    url = str(request.getfixturevalue("real")) if which == "real" else scripted.base_url

    with pytest.raises(ContextTooLongError):
        client_of(url).complete([Message("user", "tea and bread " * 2000)])


def test_complete_when_nothing_listens_then_transient() -> None:
    with scripted_llm() as gone:
        url = gone.base_url

    with pytest.raises(TransientError):
        client_of(url).complete(ASK)


@pytest.mark.parametrize(
    ("reply", "error", "wait_s"),
    [
        (failure(429, "rate_limit", Retry_After="90"), RateLimitedError, 90.0),
        (failure(429, "rate_limit", retry_after_ms="1500"), RateLimitedError, 1.5),
        (failure(429, "rate_limit", Retry_After="soon"), RateLimitedError, None),
        (failure(429, "rate_limit"), RateLimitedError, None),
        (failure(429, "insufficient_quota"), OverBudgetError, None),
        (failure(500, "server_error"), TransientError, None),
        (failure(503, "overloaded", Retry_After="7"), TransientError, 7.0),
        (failure(408, "timeout"), TransientError, None),
        (failure(413, "too_large"), ContextTooLongError, None),
        (
            failure(400, "bad", "This model's maximum context length is 4096"),
            ContextTooLongError,
            0,
        ),
        (failure(400, "content_filter"), ContentFilterError, None),
        (failure(401, "invalid_api_key"), ModelError, None),
        (failure(404, "model_not_found"), UnknownModelError, None),
        (Reply(body={"object": "chat.completion", "choices": []}), TransientError, None),
        (completion("", finish="content_filter"), ContentFilterError, None),
        (completion(None, refusal="I cannot help with that."), ContentFilterError, None),
    ],
)
def test_complete_when_endpoint_refuses_then_error_says_whether_to_try_again(
    scripted: ScriptedLlm, reply: Reply, error: type[AppError], wait_s: float | None
) -> None:
    scripted.script(reply)

    with pytest.raises(error) as raised:
        client_of(scripted.base_url).complete(ASK)

    assert type(raised.value) is error
    if isinstance(raised.value, TransientError):
        assert raised.value.retry_after_s == wait_s
    assert len(scripted.requests) == 1


def test_complete_when_retry_after_is_a_past_date_then_no_wait(scripted: ScriptedLlm) -> None:
    scripted.script(failure(429, "rate", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"))

    with pytest.raises(RateLimitedError) as raised:
        client_of(scripted.base_url).complete(ASK)

    assert raised.value.retry_after_s == 0.0


@pytest.mark.parametrize(
    ("stream", "reply"),
    [
        (False, Reply(wait=True)),
        (True, Reply(**{**vars(completion("Tea is")), "cut": True})),
    ],
    ids=["no answer", "stream stalls"],
)
def test_complete_when_nothing_comes_in_time_then_transient(stream: bool, reply: Reply) -> None:
    with scripted_llm() as server:
        server.script(reply)

        with pytest.raises(TransientError):
            client_of(server.base_url, stream=stream, timeout_s=0.3).complete(ASK)


def test_complete_when_error_then_its_words_are_not_kept(scripted: ScriptedLlm) -> None:
    scripted.script(*[failure(400, "bad", "cannot parse: [PERSON_1] said tea")] * 3)

    with pytest.raises(ModelError) as raised:
        client_of(scripted.base_url).complete(ASK)

    assert "tea" not in f"{raised.value} {raised.value.details}"


def test_complete_when_schema_is_not_understood_then_simpler_form_is_remembered(
    scripted: ScriptedLlm,
) -> None:
    bad = failure(400, "invalid_request_error", "response_format is not supported")
    scripted.script(bad, bad, completion("{}"), completion("{}"))
    client = client_of(scripted.base_url)

    client.complete(ASK, SCHEMA)
    client.complete(ASK, SCHEMA)

    asked = [request.get("response_format", {}).get("type") for request in scripted.requests]
    assert asked == ["json_schema", "json_object", None, None]


def test_complete_when_endpoint_wants_other_names_then_they_are_used(
    scripted: ScriptedLlm,
) -> None:
    scripted.script(
        failure(400, "unsupported_parameter", "Use 'max_completion_tokens' instead."),
        failure(400, "unsupported_value", "'temperature' does not support 0."),
        completion("{}"),
    )

    client_of(scripted.base_url).complete(ASK, SCHEMA)

    last = scripted.requests[-1]
    assert last["max_completion_tokens"] == 96
    assert "temperature" not in last
    assert last["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("complaint", "last"),
    [
        ("Unknown parameter: 'stream_options'.", {"stream": True}),
        ("stream is not supported for this model", {}),
    ],
)
def test_complete_when_endpoint_cannot_stream_as_asked_then_asked_otherwise(
    scripted: ScriptedLlm, complaint: str, last: dict[str, object]
) -> None:
    scripted.script(failure(400, "unsupported_parameter", complaint), completion("{}"))

    assert client_of(scripted.base_url, stream=True).complete(ASK).text == "{}"

    asked = scripted.requests[-1]
    assert {name: asked[name] for name in asked if name.startswith("stream")} == last


def test_complete_when_endpoint_answers_whole_where_a_stream_was_asked_then_no_stream_again(
    scripted: ScriptedLlm,
) -> None:
    scripted.script(*[Reply(**{**vars(completion("{}")), "whole": True})] * 3)
    client = client_of(scripted.base_url, stream=True)

    assert client.complete(ASK).text == "{}"
    client.complete(ASK)

    assert [request.get("stream", False) for request in scripted.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ('{"error": {"message": "overloaded", "code": "server_error"}}', TransientError),
        ('{"error": {"message": "stopped", "code": "content_filter"}}', ContentFilterError),
        ("{nonsense", TransientError),
    ],
)
def test_complete_when_a_stream_ends_with_an_error_then_it_is_told_apart(
    scripted: ScriptedLlm, event: str, error: type[AppError]
) -> None:
    scripted.script(Reply(**{**vars(completion("Tea is")), "broken": event}))

    with pytest.raises(error) as raised:
        client_of(scripted.base_url, stream=True).complete(ASK)

    assert type(raised.value) is error


def test_complete_when_answer_is_no_json_then_transient(scripted: ScriptedLlm) -> None:
    scripted.script(Reply(body="<html>busy</html>"))
    with pytest.raises(TransientError):
        client_of(scripted.base_url).complete(ASK)


def test_complete_when_usage_shows_a_cut_prompt_then_context_too_long(
    scripted: ScriptedLlm,
) -> None:
    scripted.script(completion("{}", prompt_tokens=600))

    with pytest.raises(ContextTooLongError):
        client_of(scripted.base_url).complete([Message("user", "a word or two " * 600)])


@pytest.mark.parametrize("counted", [None, 2100])
def test_complete_when_usage_is_right_or_missing_then_believed(
    scripted: ScriptedLlm, counted: int | None
) -> None:
    scripted.script(completion("{}", prompt_tokens=counted))

    found = client_of(scripted.base_url).complete([Message("user", "a word or two " * 600)])

    assert found.input_tokens == counted


def test_complete_when_repeated_then_same_idempotency_key(scripted: ScriptedLlm) -> None:
    scripted.script(*[completion("{}")] * 3)
    client = client_of(scripted.base_url)

    client.complete(ASK)
    client.complete(ASK)
    client.complete([Message("user", "Something else.")])

    first, second, third = scripted.keys
    assert first == second
    assert first != third


def test_summarizer_when_endpoint_is_real_then_answer_is_json_with_usage(real: str) -> None:
    config = LlmConfig(real, "smollm2", context_tokens=2048, max_output_tokens=48)
    summarizer = LlmSummarizer(LlmClient(config))
    redacted = transcript("The tea shop opens a second room in May.", "[PERSON_1] paints it.")

    (part,) = summarizer.parts(redacted)
    answer = summarizer.answer(redacted, part)

    assert answer.text.lstrip().startswith("{")
    assert answer.input_tokens is not None
    assert answer.input_tokens > 200
    _parses_or_says_why(lambda: parse_summary(answer, redacted))


def _parses_or_says_why(parse: Callable[[], object]) -> None:
    """A model of this size may cite what does not exist: then the error names it."""
    try:
        parse()
    except ModelError as error:
        assert error.code in {"model.schema", "model.content_filter"}  # noqa: PT017


@pytest.mark.parametrize("models", [["smollm2"], None], ids=["has it", "does not say"])
@pytest.mark.parametrize("each", [True, False], ids=["told apart", "listed only"])
def test_model_when_the_endpoint_has_it_or_does_not_say_then_accepted(
    scripted: ScriptedLlm, models: list[str] | None, each: bool
) -> None:
    scripted.models, scripted.tells_each_model = models, each
    client_of(scripted.base_url).require_model()


@pytest.mark.parametrize("each", [True, False], ids=["told apart", "listed only"])
def test_model_when_the_endpoint_has_others_then_unknown(scripted: ScriptedLlm, each: bool) -> None:
    scripted.models, scripted.tells_each_model = ["another"], each
    with pytest.raises(UnknownModelError):
        client_of(scripted.base_url).require_model()


def test_model_when_the_endpoint_is_away_then_retryable() -> None:
    with pytest.raises(TransientError):
        client_of("http://127.0.0.1:9/v1").require_model()
