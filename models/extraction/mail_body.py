"""The plain text of a mail: what its writer says, what they quote, and their signature."""

import re
from collections.abc import Iterator
from itertools import groupby

from models.extraction.content import Block, Kind
from models.extraction.encodings import clean
from models.extraction.plain_text import text_blocks

_QUOTE = re.compile(r"(?:>[ \t]?)+")
_SIGNATURE = re.compile(r"^-- ?\n(.+?)(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def body_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs; quoted ones lose their marks, and a signature is one."""
    for is_quote, lines in groupby(clean(text).split("\n"), key=_is_quoted):
        if is_quote:
            yield from text_blocks(
                "\n".join(_QUOTE.sub("", one, count=1) for one in lines), Kind.QUOTE
            )
        else:
            yield from _own("\n".join(lines))


def _is_quoted(line: str) -> bool:
    return line.startswith(">")


def _own(text: str) -> Iterator[Block]:
    signed = _SIGNATURE.search(text)
    if signed is None:
        yield from text_blocks(text)
        return
    yield from text_blocks(text[: signed.start()])
    yield Block(signed.group(1), Kind.SIGNATURE)
    yield from text_blocks(text[signed.end() :])
