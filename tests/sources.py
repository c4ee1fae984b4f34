"""Invented sources of every kind in three languages, written as their programs write them.

The texts are in `data/sources/*.toml`, in simple Markdown. A scan is the printed page as a picture.
"""

import io
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from pathlib import Path

import pypdfium2
from docx import Document
from markdown_it import MarkdownIt
from PIL import Image, ImageFilter
from pptx import Presentation
from pptx.util import Inches

FOLDER = Path(__file__).parent / "data" / "sources"
Printer = Callable[[str], bytes]
"""Prints a web page as a PDF, as a browser does."""

_SCAN_DPI = 300
_TITLE_ONLY = 5
_TITLE_AND_TEXT = 1
_NAVIGATION = '<nav><a href="/">Home</a> <a href="/notes">Notes</a></nav>'
_PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
    "<style>table {{ border-collapse: collapse }} td, th {{ border: 1px solid; padding: 4px 8px }}"
    "body {{ font-size: {size}pt; line-height: 1.6 }}</style></head>"
    "<body>{body}</body></html>"
)


@dataclass(frozen=True)
class Source:
    """One invented source.

    `planted` are personal data that nothing may show after redaction; `decided` and `to_do` words
    of a decision and of a task in it, empty where it has none.
    """

    kind: str
    language: str
    name: str
    title: str
    text: str
    planted: tuple[str, ...]
    decided: str
    to_do: str
    headers: dict[str, str]

    @property
    def id(self) -> str:
        """Kind and language."""
        return f"{self.kind}-{self.language}"

    @property
    def file_name(self) -> str:
        """The name of its file."""
        ending = "pdf" if self.kind == "scan" else self.kind
        return f"{self.name}-{self.language}.{ending}"

    def write(self, folder: Path, printed: Printer) -> Path:
        """Write its file."""
        path = folder / self.file_name
        path.write_bytes(_WRITERS[self.kind](self, printed))
        return path


@cache
def sources(language: str) -> tuple[Source, ...]:
    """Return the sources of a language, one of each kind."""
    table = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return tuple(
        Source(
            kind=kind,
            language=language,
            name=about["name"],
            title=about["title"],
            text=about["text"].strip() + "\n",
            planted=tuple(about["planted"]),
            decided=about["decided"],
            to_do=about["to_do"],
            headers={k: about[k] for k in ("from", "to", "date") if k in about},
        )
        for kind, about in table.items()
    )


def _plain(source: Source, _: Printer) -> bytes:
    return source.text.encode()


def _html(source: Source, _: Printer) -> bytes:
    return _page(source, _NAVIGATION).encode()


def _pdf(source: Source, printed: Printer) -> bytes:
    return printed(_page(source))


def _scan(source: Source, printed: Printer) -> bytes:
    """Lay the printed page on the glass a little askew."""
    with pypdfium2.PdfDocument(printed(_page(source, size=13))) as document:
        pages = [page.render(scale=_SCAN_DPI / 72, grayscale=True).to_pil() for page in document]
    crooked = [
        page.rotate(0.2, Image.Resampling.BICUBIC, fillcolor=255).filter(
            ImageFilter.GaussianBlur(0.6)
        )
        for page in pages
    ]
    data = io.BytesIO()
    crooked[0].save(
        data, "PDF", resolution=_SCAN_DPI, save_all=True, append_images=crooked[1:], quality=70
    )
    return data.getvalue()


def _page(source: Source, navigation: str = "", size: float = 11.5) -> str:
    body = navigation + MarkdownIt().enable("table").render(_with_table_heads(source.text))
    return _PAGE.format(language=source.language, title=source.title, body=body, size=size)


def _with_table_heads(text: str) -> str:
    """Put the line of dashes under the first row of each table, which Markdown wants."""
    lines = [""]
    for line in text.splitlines():
        begins = line.startswith("|") and not lines[-1].startswith("|")
        lines += [line, "|---" * (line.count("|") - 1) + "|"] if begins else [line]
    return "\n".join(lines[1:])


def _markdown(source: Source, _: Printer) -> bytes:
    return _with_table_heads(source.text).encode()


def _docx(source: Source, _: Printer) -> bytes:
    document = Document()
    for kind, lines in _blocks(source.text):
        if kind == "table":
            table = document.add_table(0, len(_cells(lines[0])), style="Table Grid")
            for line in lines:
                for cell, text in zip(table.add_row().cells, _cells(line), strict=True):
                    cell.text = text
        else:
            styles = {"title": "Title", "heading": "Heading 1", "item": "List Bullet"}
            document.add_paragraph(lines[0], styles.get(kind))
    return _saved(document.save)


def _pptx(source: Source, _: Printer) -> bytes:
    presentation = Presentation()
    for part in source.text.split("# ")[1:]:
        title, rest = part.split("\n", 1)
        blocks = list(_blocks(rest))
        rows = next((lines for kind, lines in blocks if kind == "table"), [])
        layout = presentation.slide_layouts[_TITLE_ONLY if rows else _TITLE_AND_TEXT]
        shapes = presentation.slides.add_slide(layout).shapes
        assert shapes.title is not None
        shapes.title.text = title
        if rows:
            size = (len(rows), len(_cells(rows[0])))
            box = (Inches(1), Inches(2), Inches(8), Inches(2.5))
            table = shapes.add_table(*size, *box).table
            for number, row in enumerate(rows):
                for column, text in enumerate(_cells(row)):
                    table.cell(number, column).text = text
        else:
            shapes.placeholders[1].text = "\n".join(line for _, lines in blocks for line in lines)
    return _saved(presentation.save)


def _mail(source: Source, _: Printer) -> bytes:
    message = EmailMessage()
    for name, value in source.headers.items():
        message[name] = value
    message["Subject"] = source.title
    message["Message-ID"] = f"<{source.name}@kikigaki.example>"
    message.set_content(source.text)
    return bytes(message)


def _saved(save: Callable[[io.BytesIO], None]) -> bytes:
    data = io.BytesIO()
    save(data)
    return data.getvalue()


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield title, headings, paragraphs, items and tables."""
    for part in filter(None, text.split("\n\n")):
        lines = part.strip().splitlines()
        if lines[0].startswith("|"):
            yield "table", lines
            continue
        for line in lines:
            mark, _, rest = line.partition(" ")
            kind = {"#": "title", "##": "heading", "-": "item"}.get(mark)
            yield (kind, [rest]) if kind else ("paragraph", [line])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


_WRITERS: dict[str, Callable[[Source, Printer], bytes]] = {
    "docx": _docx,
    "pdf": _pdf,
    "scan": _scan,
    "pptx": _pptx,
    "html": _html,
    "md": _markdown,
    "txt": _plain,
    "eml": _mail,
}
