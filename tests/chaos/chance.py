"""Chance that can be repeated: everything random is drawn from the seed and a name."""

import random

Chance = random.Random


def drawn(seed: int, *name: object) -> Chance:
    """Return a source of chance of its own for each name, the same for the same seed."""
    text = ":".join(str(part) for part in (seed, *name))
    return random.Random(text)  # noqa: S311 - repeatable is what is wanted, not secret
