"""Parameters as plain JSON: read by the workflow's type, or told which field does not fit."""

from dataclasses import dataclass, field

import pytest

from configs.errors import InputError
from pipeline.engine import Step, Workflow, WorkflowEvent
from pipeline.engine.params import read_params


@dataclass(frozen=True)
class Part:
    weight: int
    label: str = ""


@dataclass(frozen=True)
class Order:
    title: str
    parts: list[Part] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)


class Ordered(Workflow[Order]):
    name = "ordered"

    async def run(self, event: WorkflowEvent[Order], step: Step) -> None:
        """Do nothing."""


def test_params_when_they_fit_are_of_the_workflows_type() -> None:
    given = {"title": "t", "parts": [{"weight": 3}], "labels": {"any": "thing"}}
    assert read_params(given, Ordered()) == Order("t", [Part(3)], {"any": "thing"})


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({}, ["title"]),
        ({"title": "t", "parts": [{"weight": 1}, {"weight": "heavy"}]}, ["parts.1.weight"]),
        ({"title": 1, "parts": [{}]}, ["title", "parts.0.weight"]),
        ({"title": "t", "prats": []}, ["prats"]),
        ({"title": "t", "parts": [{"weight": 1, "lable": "x"}]}, ["parts.0.lable"]),
        ("text", ["params"]),
    ],
)
def test_params_when_they_do_not_fit_name_each_field(given: object, fields: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_params(given, Ordered())
    told = caught.value.details["fields"]
    assert isinstance(told, dict)
    assert list(told) == fields
    assert fields[0] in caught.value.message


def test_params_when_they_do_not_fit_are_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        read_params({"title": "t", "parts": [{"weight": "Marigold Fenwick"}]}, Ordered())
    assert "Marigold" not in f"{caught.value.message} {caught.value.details}"
