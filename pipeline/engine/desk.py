"""What a journal transaction of a running turn or step works with."""

from dataclasses import dataclass

from pipeline.engine.dispatch import Dispatcher
from pipeline.engine.journal import TurnRef
from pipeline.engine.settings import EngineSettings


@dataclass(frozen=True)
class Desk:
    """For whom is written (`ref`), within which limits, and where what is due is enqueued."""

    ref: TurnRef
    settings: EngineSettings
    dispatcher: Dispatcher
