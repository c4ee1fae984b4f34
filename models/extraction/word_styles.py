"""Which styles of a Word document are headings, and which hide their text."""

import re

from docx.oxml.ns import qn
from lxml.etree import _Element as Element

_HEADING = re.compile(r"(heading \d|title)$", re.IGNORECASE)
_BODY_LEVEL = 9
_MOST_ANCESTORS = 20


class WordStyles:
    """The document's style sheet, with inheritance."""

    def __init__(self, sheet: Element) -> None:
        self._styles = {style.get(qn("w:styleId")): style for style in sheet.findall(qn("w:style"))}

    def is_heading(self, paragraph: Element) -> bool:
        """True for a paragraph that Word would list in a table of contents, and for the title."""
        properties = paragraph.find(qn("w:pPr"))
        if properties is None:
            return False
        level = _level(properties)
        if level is not None:
            return level < _BODY_LEVEL
        for style in self._lineage(_value(properties, "w:pStyle")):
            inner = style.find(qn("w:pPr"))
            level = None if inner is None else _level(inner)
            if level is not None:
                return level < _BODY_LEVEL
            if _HEADING.match(_value(style, "w:name") or ""):
                return True
        return False

    def of_paragraph(self, paragraph: Element) -> bool:
        """True where the paragraph's style hides its text."""
        properties = paragraph.find(qn("w:pPr"))
        name = None if properties is None else _value(properties, "w:pStyle")
        return self._hides(name) or False

    def of_run(self, run: Element, is_hidden: bool) -> bool:
        """Whether a run is hidden, in a paragraph that is or is not."""
        properties = run.find(qn("w:rPr"))
        if properties is None:
            return is_hidden
        own = is_on(properties.find(qn("w:vanish")))
        by_style = self._hides(_value(properties, "w:rStyle"))
        return next((said for said in (own, by_style) if said is not None), is_hidden)

    def is_struck(self, run: Element) -> bool:
        """True for text that is crossed out."""
        properties = run.find(qn("w:rPr"))
        marks = (
            [] if properties is None else map(properties.find, (qn("w:strike"), qn("w:dstrike")))
        )
        return any(map(is_on, marks))

    def is_raised(self, run: Element) -> bool:
        """True for superscripts."""
        properties = run.find(qn("w:rPr"))
        return properties is not None and _value(properties, "w:vertAlign") == "superscript"

    def _hides(self, name: str | None) -> bool | None:
        for style in self._lineage(name):
            properties = style.find(qn("w:rPr"))
            said = None if properties is None else is_on(properties.find(qn("w:vanish")))
            if said is not None:
                return said
        return None

    def _lineage(self, name: str | None) -> list[Element]:
        found: list[Element] = []
        while name in self._styles and len(found) < _MOST_ANCESTORS:
            found.append(self._styles[name])
            name = _value(found[-1], "w:basedOn")
        return found


def is_on(switch: Element | None) -> bool | None:
    """Read a switch such as `w:vanish`; None where it is not there."""
    if switch is None:
        return None
    return switch.get(qn("w:val")) not in {"0", "false", "off"}


def _level(properties: Element) -> int | None:
    value = _value(properties, "w:outlineLvl")
    return int(value) if value is not None and value.isdecimal() else None


def _value(element: Element, name: str) -> str | None:
    child = element.find(qn(name))
    value = None if child is None else child.get(qn("w:val"))
    return None if value is None else str(value)
