import pytest

from configs.errors import InputError
from models.redactor.lines import TextLine, read_line


def test_line_when_whole_then_read() -> None:
    line = '{"id": 7, "text": "Grüße", "lang": "en", "spans": []}'
    assert read_line(1, line) == TextLine(7, "Grüße", "en")


@pytest.mark.parametrize(
    "line",
    [
        "Bluebird",
        '"Bluebird"',
        '["Bluebird"]',
        '{"text": "Bluebird", "lang": "en"}',
        '{"id": 1, "lang": "en"}',
        '{"id": 1, "text": ["Bluebird"], "lang": "en"}',
        '{"id": 1, "text": "Bluebird"}',
        '{"id": 1, "text": "Bluebird", "lang": "tlh"}',
        '{"id": 1, "text": "Bluebird", "lang": ["en"]}',
    ],
)
def test_line_when_malformed_then_error_names_its_number_and_not_its_text(line: str) -> None:
    with pytest.raises(InputError) as failure:
        read_line(12, line)
    assert "ine 12 " in failure.value.message
    assert "Bluebird" not in failure.value.message
    assert failure.value.__cause__ is None
