"""What Word and PowerPoint files have in common."""

from lxml.etree import _Element as Element

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
ALTERNATIVES = f"{_COMPATIBILITY}AlternateContent"


def chosen(element: Element) -> Element:
    """Of two forms of the same thing return the newer one; any other element is its own choice."""
    if element.tag != ALTERNATIVES:
        return element
    for name in ("Choice", "Fallback"):
        form = element.find(f"{_COMPATIBILITY}{name}")
        if form is not None:
            return form
    return element
