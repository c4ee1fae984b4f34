"""Which parts of a page its own style rules hide."""

import re
from collections.abc import Iterator
from itertools import islice

_HIDES = re.compile(
    r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|(?:opacity|font-size)\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:!important\s*)?(?:;|$))",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?:^|[;{\s])(color|background(?:-color)?)\s*:\s*([^;}]*)", re.IGNORECASE)
_SHADES = re.compile(r"\d{1,3}")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_MARK = re.compile(r"[{}]")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # an open one hides the rest
_MOST_SELECTORS = 200
"""A page of ten megabytes with more of them would keep a worker busy for minutes."""
_SCREEN = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)\s*$", re.IGNORECASE)


def hides(declarations: str) -> bool:
    """True where declarations, as in a `style` attribute, make an element invisible."""
    return bool(_HIDES.search(declarations)) or _is_drowned(declarations)


def _is_drowned(declarations: str) -> bool:
    """True where the letters are given the colour of the ground that is given to them."""
    said = {
        name.lower().removesuffix("-color"): _colour(value)
        for name, value in _COLOUR.findall(declarations)
    }
    return said.get("color") is not None and said.get("color") == said.get("background")


def _colour(value: str) -> str | None:
    """Return a colour as `#rrggbb`; None for what is no plain one, or only seems to be one."""
    text = value.lower().replace("!important", "").strip()
    if text.startswith("rgb("):
        shades = [int(shade) for shade in _SHADES.findall(text)]
        return "#" + "".join(f"{shade:02x}" for shade in shades) if len(shades) == 3 else None
    if re.fullmatch("#[0-9a-f]{3}", text):
        return "#" + "".join(digit * 2 for digit in text[1:])
    return text if re.fullmatch("#[0-9a-f]{6}", text) else _NAMED.get(text)


def hiding_selectors(sheet: str) -> list[str]:
    """Return the selectors of the rules that hide, outside of conditions such as print."""
    return list(islice(_hiding(_COMMENT.sub(" ", sheet)), _MOST_SELECTORS))


def _hiding(sheet: str) -> Iterator[str]:
    outer: list[tuple[str, bool]] = []  # selectors, and whether all around them are on a screen
    start = 0
    for mark in _MARK.finditer(sheet):
        text = sheet[start : mark.start()]
        if mark.group() == "{":
            is_shown = not outer or (outer[-1][1] and bool(_SCREEN.match(outer[-1][0])))
            outer.append((text.rpartition(";")[2].strip(), is_shown))
        elif outer:
            selector, is_shown = outer.pop()
            if is_shown and not selector.startswith("@") and hides(text):
                yield selector
        start = mark.end()
