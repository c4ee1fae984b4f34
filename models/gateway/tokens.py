"""Estimates of tokens, where no tokenizer is at hand: rather too many than too few."""

import math
import re
from collections.abc import Sequence

from configs.errors import ContextTooLongError
from models.summarizer.chat import Completion, Message

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few.

    Three Latin characters a token and 1.3 tokens a Chinese or Japanese character, where common
    tokenizers need about 4 and 0.7 to 1.
    """
    wide = len(_WIDE.findall(text))
    return math.ceil((len(text) - wide) / 3 + wide * 1.3)


def refuse_cut_prompt(messages: Sequence[Message], completion: Completion) -> None:
    """Raise where the endpoint counted far fewer tokens than it was sent.

    No common tokenizer packs more than 6.5 Latin or 2.2 Chinese or Japanese characters into a
    token on running text, so that fewer tokens than that mean a cut prompt. An endpoint that does
    not count is believed.

    Raises:
        ContextTooLongError: it cut the prompt (split the input).
    """
    text = "".join(message.content for message in messages)
    wide = len(_WIDE.findall(text))
    least = int((len(text) - wide) / 6.5 + wide / 2.2)
    counted = completion.input_tokens
    if counted is not None and least > 100 and counted < least:
        raise ContextTooLongError(
            "The model's endpoint cut the input without saying so; raise its context size.",
            {"counted_tokens": counted, "least_tokens": least},
        )
