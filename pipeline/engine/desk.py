"""What a journal transaction of a running turn or step works with."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.journal import TurnRef
from pipeline.engine.settings import EngineSettings


@dataclass(frozen=True)
class Desk:
    """For whom is written (`ref`), within which limits, and where what is due is enqueued.

    `ordinals` gives each new step its place in the order of first starts.
    """

    ref: TurnRef
    settings: EngineSettings
    dispatcher: Dispatcher
    ordinals: Iterator[int] = field(default_factory=itertools.count)
