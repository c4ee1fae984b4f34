"""Small PDFs written by hand; PDFium finds their objects without a table of them."""

from pathlib import Path

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
BOLD = FONT.replace("Helvetica", "Helvetica-Bold")


def pdf(path: Path, *pages: str, font: str = FONT, more: str = "", page: str = "") -> Path:
    """Write a PDF.

    Args:
        path: the file.
        pages: what is drawn on each; `F1` is `font`, `F2` is bold.
        font: an object.
        more: further objects, from number 6.
        page: further entries of each page.
    """
    numbers = range(100, 100 + 2 * len(pages), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        4: BOLD,
        5: font,
    }
    for number, content in zip(numbers, pages, strict=True):
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 5 0 R /F2 4 0 R >> >> {page} >>"
        )
        objects[number + 1] = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    body = "".join(f"{n} 0 obj\n{text}\nendobj\n" for n, text in objects.items())
    path.write_text(f"%PDF-1.7\n{body}{more}trailer\n<< /Root 1 0 R >>\n%%EOF\n", "latin-1")
    return path


def show(
    x: int, y: int, text: str, mode: int = 0, *, size: int = 10, bold: bool = False, ink: str = ""
) -> str:
    """Draw a line of text; `ink` is an operator for its colour."""
    font = "F2" if bold else "F1"
    return f"q {ink} BT /{font} {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm ({text}) Tj ET Q\n"
