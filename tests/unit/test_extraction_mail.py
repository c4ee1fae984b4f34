"""E-mail: what a mail program shows, attachments named only."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from configs.errors import CorruptInputError, EncryptedInputError, TooLargeError
from models.extraction.content import Warned
from models.extraction.mail import read_mail
from models.extractor import DocumentKind, extract, sniff


def _message(body: str = "Let us meet on Monday.\n\nAnn") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.com>"
    message["To"] = "bob@example.com"
    message["Bcc"] = "hidden@example.com"
    message["Subject"] = "会议 Meeting"
    message["Date"] = "Mon, 02 Nov 2026 09:00:00 +0900"
    message["Message-ID"] = "<1@example.com>"
    message.set_content(body)
    return message


def _texts(data: bytes) -> list[str]:
    return [paragraph.text for paragraph in read_mail(data).paragraphs]


def test_extract_when_mail_then_what_a_mail_program_shows(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(bytes(_message()))
    assert sniff(path, "a.txt") is DocumentKind.MAIL
    found = [(s.location, s.text) for s in extract(path).segments]
    assert found == [
        ("heading 1", "会议 Meeting"),
        ("envelope 1", "From: Ann Lee <ann@example.com>"),
        ("envelope 2", "To: bob@example.com"),
        ("envelope 3", "Date: Mon, 02 Nov 2026 09:00:00 +0900"),
        ("paragraph 1", "Let us meet on Monday."),
        ("paragraph 2", "Ann"),
    ]


def test_read_mail_when_it_answers_one_then_tells_quotes_and_signature_from_its_own_words() -> None:
    body = (
        "Yes, ten o'clock is fine.\n\n-- \nAnn Lee\nLibrary\n\nBob wrote:\n"
        "> Could we meet on Monday?\n> The small hall is free from nine to twelve on weekdays, "
        "and the\n> projector is there.\n>\n>> Is it?\n"
    )
    hall = "The small hall is free from nine to twelve on weekdays, and the projector is there."
    content = read_mail(bytes(_message(body)))
    assert [(p.location, p.text) for p in content.paragraphs][4:] == [
        ("paragraph 1", "Yes, ten o'clock is fine."),
        ("signature 1", "Ann Lee\nLibrary"),
        ("paragraph 2", "Bob wrote:"),
        ("quote 1", f"Could we meet on Monday?\n{hall}"),
        ("quote 2", "Is it?"),
    ]


def test_sniff_when_notes_begin_like_a_mail_then_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("From: the board\nDate: today\n\nWe met.", encoding="utf-8")
    assert sniff(path, "a.txt") is DocumentKind.TEXT


def test_read_mail_when_text_and_html_then_the_form_that_is_shown_is_read_once() -> None:
    message = _message("plain form")
    message.add_alternative("<p>rich form</p><p hidden>secret</p>", subtype="html")
    content = read_mail(bytes(message))
    assert [p.text for p in content.paragraphs][4:] == ["rich form"]
    assert content.warnings == (Warned.HIDDEN_TEXT,)


def test_read_mail_when_attachments_then_named_and_not_read() -> None:
    message, inner = _message("body"), _message("forwarded secret")
    message.add_attachment(b"attached secret", "text", "plain", filename="報告.txt")
    message.add_attachment(inner)
    content = read_mail(bytes(message))
    texts = [p.text for p in content.paragraphs]
    assert "Attachment: 報告.txt" in texts
    assert "Attachment: message/rfc822" in texts
    assert not any("secret" in text for text in texts)
    assert content.warnings == (Warned.ATTACHMENTS,)


@pytest.mark.parametrize("charset", ["iso-2022-jp", "shift_jis", "euc-jp", "utf-8"])
def test_read_mail_when_japanese_then_right_in_every_charset(charset: str) -> None:
    text = "高橋さん、会議は月曜日です。"
    head = f"From: a@example.com\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert _texts(head + text.encode(charset))[1] == text


def test_read_mail_when_no_charset_is_declared_then_found_out() -> None:
    text = "会议纪要：下次会议定于四月八日在北京总部召开，由行政部负责。"
    head = "From: 王晓梅 <a@example.com>\n\n".encode("gb18030")
    assert _texts(head + text.encode("gb18030"))[1] == text


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_read_mail_when_headers_hold_raw_bytes_then_read_like_a_text(encoding: str) -> None:
    head = (
        "From: 王晓梅 <a@example.com>\nSubject: 会议纪要\nContent-Type: application/pdf\n"
        'Content-Disposition: attachment; filename="会议纪要.pdf"\n\nx'
    )
    assert _texts(head.encode(encoding)) == [
        "会议纪要",
        "From: 王晓梅 <a@example.com>",
        "Attachment: 会议纪要.pdf",
    ]


def test_read_mail_when_a_header_cannot_be_decoded_then_the_rest_is_read() -> None:
    data = b"From: a@b.c\nSubject: =?utf-8?B?gQ==?=\n\nbody"
    assert _texts(data) == ["=?utf-8?B?gQ==?=", "From: a@b.c", "body"]


def test_read_mail_when_encrypted_then_says_so() -> None:
    data = b"From: a@b.c\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAG"
    with pytest.raises(EncryptedInputError):
        read_mail(data)


@pytest.mark.parametrize("sign", ["=", " =", "*0="])
def test_read_mail_when_multiparts_are_nested_without_end_then_refused(sign: str) -> None:
    head = b"From: a@b.c\n"
    for depth in range(200):
        head += f"Content-Type: multipart/mixed; boundary{sign}b{depth}\n\n--b{depth}\n".encode()
    with pytest.raises(TooLargeError):
        read_mail(head)


def test_read_mail_when_messages_are_nested_without_end_then_not_followed() -> None:
    data = b"From: a@b.c\n" + b"Content-Type: message/rfc822\n\n" * 3000
    with pytest.raises((CorruptInputError, TooLargeError)):
        read_mail(data)


def test_read_mail_when_a_message_has_thousands_of_parts_then_refused() -> None:
    data = b"From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 3000
    with pytest.raises(TooLargeError):
        read_mail(data + b"--b--\n")
