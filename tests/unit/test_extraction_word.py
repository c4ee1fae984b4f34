"""DOCX: what a reader of the document sees is taken, and nothing else."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from docx import Document

from configs.errors import (
    CorruptInputError,
    EncryptedInputError,
    TooLargeError,
    UnsupportedTypeError,
)
from models.extraction.content import Warned
from models.extraction.office import OLE_SIGNATURE
from models.extractor import DocumentKind, extract, sniff
from tests.office import MC, rewrite, word

_BOX = (
    "<wps:txbx><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p>"
    "</w:txbxContent></wps:txbx>"
)
_OLD_BOX = _BOX.replace("wps:txbx", "w:pict")

_BOTH_BOXES = (
    f"<mc:AlternateContent {MC}><mc:Choice Requires='wps'>{_BOX}</mc:Choice>"
    f"<mc:Fallback>{_OLD_BOX}</mc:Fallback></mc:AlternateContent>"
)


def _texts(path: Path) -> list[str]:
    return [segment.text for segment in extract(path).segments]


def _run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (f"<w:ins>{_run('new ')}</w:ins>{_run('text')}", ["new text"]),
        (f"<w:del><w:r><w:delText>old</w:delText></w:r></w:del>{_run('text')}", ["text"]),
        (f"<w:moveFrom>{_run('gone')}</w:moveFrom>{_run('text')}", ["text"]),
        (f"{_run('secret', '<w:vanish/>')}{_run('text')}", ["text"]),
        (_run("shown", '<w:vanish w:val="0"/>'), ["shown"]),
        (f"<w:r><w:instrText>PAGE</w:instrText></w:r>{_run('text')}", ["text"]),
        (f"<w:hyperlink>{_run('a link')}</w:hyperlink>", ["a link"]),
        (f"<w:sdt><w:sdtContent>{_run('a field')}</w:sdtContent></w:sdt>", ["a field"]),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", ["a\tb\nc"]),
        (
            f"<w:ruby><w:rt>{_run('たかはし')}</w:rt><w:rubyBase>{_run('高橋')}</w:rubyBase></w:ruby>",
            ["高橋"],
        ),
        (f"{_run('text')}<w:r>{_OLD_BOX}</w:r>", ["text", "In the box"]),
        (
            f"{_run('text')}<w:r>{_BOTH_BOXES}</w:r>",
            ["text", "In the box"],
        ),
    ],
    ids=lambda value: None if isinstance(value, list) else str(value)[1:14],
)
def test_extract_when_word_marks_up_text_then_what_is_seen_is_taken_once(
    tmp_path: Path, inner: str, expected: list[str]
) -> None:
    assert _texts(word(tmp_path / "a.docx", f"<w:p>{inner}</w:p>")) == expected


def test_extract_when_text_is_hidden_then_says_that_some_was_left_out(tmp_path: Path) -> None:
    body = f"<w:p>{_run('secret', '<w:vanish/>')}{_run('text')}</w:p>"
    assert extract(word(tmp_path / "a.docx", body)).warnings == (Warned.HIDDEN_TEXT,)


def test_extract_when_text_is_struck_out_or_raised_then_no_digit_joins_another(
    tmp_path: Path,
) -> None:
    struck = _run("500", "<w:strike/>")
    power = _run("6", '<w:vertAlign w:val="superscript"/>')
    body = f"<w:p>{_run('Fee ')}{struck}{_run('700, not 10')}{power}</w:p>"
    path = word(tmp_path / "a.docx", body)
    assert _texts(path) == ["Fee 700, not 10^6"]
    assert extract(path).warnings == (Warned.STRUCK_TEXT,)


def test_extract_when_a_table_row_is_deleted_then_left_out(tmp_path: Path) -> None:
    rows = "".join(
        f"<w:tr>{mark}<w:tc><w:p>{_run(name)}</w:p></w:tc><w:tc><w:p>{_run('x')}</w:p></w:tc></w:tr>"
        for mark, name in (("", "kept"), ("<w:trPr><w:del/></w:trPr>", "deleted"))
    )
    assert _texts(word(tmp_path / "a.docx", f"<w:tbl>{rows}</w:tbl>")) == ["kept | x"]


def test_extract_when_word_then_headings_header_and_footer_have_their_places(
    tmp_path: Path,
) -> None:
    document = Document()
    document.core_properties.author = "Naoko Kishimoto"
    document.add_heading("Agenda", 1)
    document.add_paragraph("We begin.")
    document.add_heading("Budget", 2)
    document.add_paragraph("We pay.")
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.sections[0].footer.paragraphs[0].text = "7"
    document.save(str(tmp_path / "a.docx"))
    found = [(s.location, s.text) for s in extract(tmp_path / "a.docx").segments]
    assert found == [
        ("header", "Confidential"),
        ("heading 1", "Agenda"),
        ("paragraph 1", "We begin."),
        ("heading 2", "Budget"),
        ("paragraph 2", "We pay."),
    ]


def test_extract_when_an_object_is_embedded_then_it_is_not_opened_but_mentioned(
    tmp_path: Path,
) -> None:
    body = f"<w:p>{_run('text')}<w:r><w:object>{_run('inside')}</w:object></w:r></w:p>"
    transcript = extract(word(tmp_path / "a.docx", body))
    assert [s.text for s in transcript.segments] == ["text"]
    assert transcript.warnings == (Warned.EMBEDDED,)


def test_sniff_when_word_is_named_pdf_then_the_content_decides(tmp_path: Path) -> None:
    path = word(tmp_path / "a.pdf", "<w:p/>")
    assert sniff(path, "a.pdf") is DocumentKind.DOCX


def test_extract_when_macros_then_refused(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", "<w:p/>")
    kind = b"wordprocessingml.document.main+xml"
    rewrite(
        path,
        {"[Content_Types].xml": lambda xml: xml.replace(kind, b"document.macroEnabled.main+xml")},
    )
    with pytest.raises(UnsupportedTypeError, match="macros"):
        extract(path, name="a.docx")


def test_extract_when_word_is_a_zip_bomb_then_refused_before_unpacking(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", "<w:p/>", {"word/a.xml": bytes(65 << 20)})
    assert path.stat().st_size < 1 << 20
    with pytest.raises(TooLargeError):
        extract(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_extract_when_the_xml_defines_entities_then_refused(tmp_path: Path, encoding: str) -> None:
    laughs = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    path = word(tmp_path / "a.docx", "<w:p/>")

    def changed(xml: bytes) -> bytes:
        text = xml.decode().replace("UTF-8", encoding.upper(), 1)
        return text.replace("?>", "?>" + laughs, 1).encode(encoding)

    rewrite(path, {"word/document.xml": changed})
    with pytest.raises(CorruptInputError, match="entities"):
        extract(path)


def test_extract_when_word_is_cut_then_damaged(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", "<w:p/>")
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(CorruptInputError):
        extract(path)


def test_extract_when_a_part_is_missing_then_damaged(tmp_path: Path) -> None:
    path = word(tmp_path / "a.docx", "<w:p/>")
    rewrite(path, {"word/document.xml": lambda _: b"<not-xml"})
    with pytest.raises(CorruptInputError):
        extract(path)


def test_sniff_when_an_office_file_has_a_password_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(OLE_SIGNATURE + bytes(1000) + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(EncryptedInputError):
        sniff(path, "a.docx")


def test_sniff_when_an_old_office_file_then_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(OLE_SIGNATURE + bytes(1000))
    with pytest.raises(UnsupportedTypeError, match="Old Office"):
        sniff(path, "a.doc")


@pytest.mark.parametrize("name", ["mimetype", "[Content_Types].xml"])
def test_sniff_when_another_office_file_then_says_what_to_save_it_as(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "a"
    with ZipFile(path, "w") as archive:
        archive.writestr(name, "application/vnd.oasis.opendocument.text")
    with pytest.raises(UnsupportedTypeError, match="Save it as"):
        sniff(path, "a.odt")


def test_sniff_when_a_zip_holds_no_document_then_none(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    assert sniff(path, "a.zip") is None


def test_extract_when_the_text_lies_under_a_foreign_name_then_the_limits_hold(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.docx"
    plain = word(tmp_path / "plain.docx", "<w:p><w:r><w:t>text</w:t></w:r></w:p>")
    with ZipFile(plain) as old, ZipFile(path, "w", 8) as new:
        for entry in old.infolist():
            name, data = entry.filename, old.read(entry)
            if name == "word/document.xml":
                name, data = "word/document.dat", data + b" " * (65 * 1024 * 1024)
            elif name in ("[Content_Types].xml", "_rels/.rels"):
                data = data.replace(b"word/document.xml", b"word/document.dat")
            new.writestr(name.replace("document.xml.rels", "document.dat.rels"), data)
    with pytest.raises(TooLargeError):
        extract(path)
