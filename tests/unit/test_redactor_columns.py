"""Tables: the head of a column is the context of its cells."""

import pytest

from models.redactor.columns import column_names
from tests.identified import identified


@pytest.mark.parametrize(
    ("language", "table", "expected"),
    [
        (
            "en",
            "Name | Phone\nOrla Quillfeather | 5550134\nTove Aabenraa | 5550178",
            {("PHONE_NUMBER", "5550134"), ("PHONE_NUMBER", "5550178")},
        ),
        (
            "en",
            "Name | Born | Account\nTove | 1982-07-04 | 12345678",
            {("DATE_OF_BIRTH", "1982-07-04"), ("ID_NUMBER", "12345678")},
        ),
        (
            "zh",
            "姓名 | 年龄 | 电话\n王五 | 34 | 62345679\n赵六 | 51 | 62345680",
            {
                ("AGE", "34"),
                ("AGE", "51"),
                ("PHONE_NUMBER", "62345679"),
                ("PHONE_NUMBER", "62345680"),
            },
        ),
        ("ja", "氏名 | 口座番号\n佐伯 | 1234567", {("BANK_ACCOUNT", "1234567")}),
        ("en", "Item | Colour | Units\nWidget | red | 5550134", set()),
    ],
)
def test_identifiers_when_a_head_names_the_kind_then_the_cells_under_it(
    language: str, table: str, expected: set[tuple[str, str]]
) -> None:
    assert identified(table, language) == expected


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("Name | Phone\nQuillfeather | 5550134\n\nName | Price\nWidget | 30", ["Quillfeather"]),
        ("姓名 | 电话\n王五 | 62345679", ["王五"]),
        ("氏名 | 部署 | 電話\n佐伯 | 総務 | 5550134", ["佐伯"]),
        ("Name | Price\nWidget | 30", []),
        ("Name | Phone\n5550134", []),
    ],
)
def test_column_names_when_the_table_is_about_persons_then_the_cells_under_name(
    table: str, names: list[str]
) -> None:
    assert [table[f.start : f.end] for f in column_names(table)] == names
