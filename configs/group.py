"""What groups of settings are made of."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from configs.durations import parse_duration

Duration = Annotated[timedelta, BeforeValidator(parse_duration)]


class Group(BaseModel):
    """Base of all groups of settings: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
