"""The numbers for Prometheus, read from the database when they are asked for.

Every web process gives the same answer, and a restart resets nothing.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from review_ui.queries.operations_page import step_numbers
from review_ui.web import Web
from storage import operations
from storage.database import reading
from storage.statuses import RunStatus


def metrics_text(web: Web) -> bytes:
    """Return all numbers in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Numbers(web))
    return generate_latest(registry)


class _Numbers:
    """A collector, as prometheus-client calls it."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def collect(self) -> Iterator[Metric]:
        """Yield all families."""
        with reading(self._web.app.database) as session:
            statuses = operations.count_by_status(session)
            reviews = operations.review_numbers(session)
            models = operations.numbers_by_model(session)
        yield _by_status(statuses)
        yield from _of_reviews(reviews)
        yield from _of_models(models)
        yield from _of_steps(self._web)


def _by_status(statuses: dict[RunStatus, int]) -> Metric:
    runs = GaugeMetricFamily("kikigaki_runs", "Runs by status.", labels=["status"])
    for status in RunStatus:
        runs.add_metric([status.value], statuses.get(status, 0))
    return runs


def _of_reviews(numbers: operations.ReviewNumbers) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "kikigaki_reviews_waiting", "Reviews that wait for a decision.", numbers.waiting
    )
    yield GaugeMetricFamily(
        "kikigaki_review_oldest_waiting_seconds",
        "Age of the review that has waited longest.",
        numbers.oldest_waiting_s or 0,
    )
    yield GaugeMetricFamily(
        "kikigaki_review_decision_median_seconds",
        "Median time from opening a review to its decision.",
        numbers.median_decision_s or 0,
    )
    yield CounterMetricFamily("kikigaki_reviews_decided", "Decided reviews.", numbers.decided)
    yield CounterMetricFamily(
        "kikigaki_reviews_expired", "Reviews whose deadline passed.", numbers.expired
    )


def _of_models(models: list[operations.ModelNumbers]) -> Iterator[Metric]:
    about = ["model", "step"]
    calls = CounterMetricFamily("kikigaki_model_calls", "Model calls.", labels=about)
    audio = CounterMetricFamily("kikigaki_model_audio_seconds", "Audio recognized.", labels=about)
    cost = CounterMetricFamily("kikigaki_model_cost_usd", "Cost in US dollars.", labels=about)
    tokens = CounterMetricFamily("kikigaki_model_tokens", "Tokens.", labels=[*about, "direction"])
    for numbers in models:
        labels = [numbers.model, numbers.step]
        calls.add_metric(labels, numbers.calls)
        audio.add_metric(labels, numbers.audio_s)
        cost.add_metric(labels, numbers.cost_usd)
        tokens.add_metric([*labels, "input"], numbers.input_tokens)
        tokens.add_metric([*labels, "output"], numbers.output_tokens)
    yield from (calls, audio, cost, tokens)


def _of_steps(web: Web) -> Iterator[Metric]:
    steps = CounterMetricFamily("kikigaki_steps", "Ended steps.", labels=["step", "outcome"])
    retries = CounterMetricFamily("kikigaki_step_retries", "Repeated attempts.", labels=["step"])
    median = GaugeMetricFamily(
        "kikigaki_step_median_seconds", "Median duration of a step.", labels=["step"]
    )
    for numbers in step_numbers(web, None):
        steps.add_metric([numbers.name, "succeeded"], numbers.finished)
        steps.add_metric([numbers.name, "failed"], numbers.failed)
        retries.add_metric([numbers.name], numbers.retries)
        median.add_metric([numbers.name], numbers.median_s or 0)
    yield from (steps, retries, median)
