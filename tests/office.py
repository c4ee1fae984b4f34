"""Office files for tests, with what their libraries cannot write put into the XML."""

from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from docx import Document
from pptx import Presentation

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def word(path: Path, body: str, parts: Mapping[str, bytes] | None = None) -> Path:
    """Write a DOCX whose body is this XML (prefixes `w`, `mc`, `wps`, `v`)."""
    Document().save(str(path))

    def changed(xml: bytes) -> bytes:
        head, mark, rest = xml.partition(b"<w:body>")
        return head + mark + body.encode() + rest

    rewrite(path, {"word/document.xml": changed}, parts)
    return path


def slides(path: Path, *titles: str) -> Path:
    """Write a PPTX with a title on each slide."""
    presentation = Presentation()
    for title in titles:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        assert slide.shapes.title is not None
        slide.shapes.title.text = title
    presentation.save(str(path))
    return path


def rewrite(
    path: Path,
    changes: Mapping[str, Callable[[bytes], bytes]],
    parts: Mapping[str, bytes] | None = None,
) -> None:
    """Change entries of a zip archive, and add others."""
    with ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    for name, change in changes.items():
        entries[name] = change(entries[name])
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in {**entries, **(parts or {})}.items():
            archive.writestr(name, data)
