"""Arithmetic with stretches of time: union, overlap, holes."""

from collections.abc import Iterable, Sequence

Span = tuple[float, float]


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the union of (start, end) pairs in order; empty ones are left out."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def subtract(spans: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """Return what is left of `spans` where `taken` (merged, in order) is cut out."""
    left: list[Span] = []
    for start, end in spans:
        at = start
        for first, last in taken:
            if last <= at or first >= end:
                continue
            if first > at:
                left.append((at, first))
            at = max(at, last)
        if at < end:
            left.append((at, end))
    return left


def total_s(spans: Iterable[Span]) -> float:
    """Return the sum of the lengths in seconds."""
    return sum(end - start for start, end in spans)
