"""Renders templates: everything escaped, an undefined name is an error."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from models.documents import place_parts
from review_ui.contexts import Frame
from review_ui.locale import LOCALES, Locale
from review_ui.review_contexts import Citation, SegmentView

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"


def render_page(name: str, context: object, frame: Frame, locale: Locale) -> str:
    """Return `templates/{name}` as HTML; the context is `c`, its surroundings `frame`."""
    template = _environment().get_template(name)
    return template.render(c=context, frame=frame, t=locale, locales=LOCALES)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters.update(FILTERS)
    environment.globals["static"] = static_url
    environment.globals["when"] = _when
    return environment


@cache
def static_url(path: str) -> str:
    """Return the address of a static file, with its hash so that browsers may keep it."""
    digest = hashlib.sha256((STATIC / path).read_bytes()).hexdigest()[:12]
    return f"/static/{path}?v={digest}"


def clock(seconds: float | None) -> str:
    """Return `1:02:03` or `2:03`: a place in a recording."""
    if seconds is None:
        return "–"
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def span(seconds: float | None) -> str:
    """Return how long something took, in the two largest units: `2 h 5 min`, `1.4 s`."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    rest = int(seconds)
    parts: list[str] = []
    for name, size in units:
        amount, rest = divmod(rest, size)
        if amount or (parts and len(parts) < 2):
            parts.append(f"{amount} {name}")
        if len(parts) == 2:
            break
    return " ".join(p for p in parts if not p.startswith("0 "))


def filesize(size: float) -> str:
    """Return a number of bytes as people read it."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def short_hash(sha256: str) -> str:
    """Return the first 12 digits: enough to recognise, never used to decide."""
    return sha256[:12]


def percent(ratio: float | None) -> str:
    """Return a ratio as a whole percentage, never rounding up to 100."""
    if ratio is None:
        return "–"
    return f"{min(int(ratio * 100 + 0.5), 100 if ratio >= 1 else 99)} %"


def usd(amount: float) -> str:
    """Return an amount in dollars; small ones with four digits."""
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def grouped(number: float) -> str:
    """Return a number with its thousands apart."""
    return f"{number:,.0f}".replace(",", "\u202f")


@pass_context
def _when(
    context: Context, at: datetime | None, *, relative: bool = False, precise: bool = False
) -> Markup:
    if at is None:
        return Markup("–")
    utc = at.astimezone(UTC)
    form = ' data-relative=""' if relative else ' data-precise=""' if precise else ""
    text = escape(_plain_time(utc, context["t"], "%H:%M:%S" if precise else "%H:%M"))
    return Markup(f'<time datetime="{utc:%Y-%m-%dT%H:%M:%SZ}"{form}>{text}</time>')  # noqa: S704 - escaped above


def _plain_time(utc: datetime, locale: Locale, time: str) -> str:
    if locale.tag == "en":
        return f"{utc.day} {utc:%b %Y}, {utc:{time}} UTC"
    return locale("time.plain", y=utc.year, m=utc.month, d=utc.day, hm=f"{utc:{time}}")


@pass_context
def _spot(context: Context, view: SegmentView | Citation) -> str:
    """Return where a segment stands: its time, or its place in a document."""
    if view.location is None:
        return clock(view.start)
    locale: Locale = context["t"]
    parts = place_parts(view.location)
    return locale("location.between").join(
        locale.maybe(f"location.{kind}", f"{kind} {number}", n=number) for kind, number in parts
    )


FILTERS: Mapping[str, object] = {
    "clock": clock,
    "spot": _spot,
    "span": span,
    "filesize": filesize,
    "short_hash": short_hash,
    "percent": percent,
    "usd": usd,
    "grouped": grouped,
}
