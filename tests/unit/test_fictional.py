import ast
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from models import fictional, redactor
from models.documents import LANGUAGES
from models.fictional import check_digits, generate
from models.redactor import checksums
from models.scoring import wilson

FOLDER = Path(fictional.__file__).parent
ALL = {"PERSON", "ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS", "PASSPORT", "DRIVER_LICENSE"}
ALL |= {"BANK_ACCOUNT", "CREDIT_CARD", "DATE_OF_BIRTH", "LICENSE_PLATE", "USERNAME", "IP_ADDRESS"}
ALL |= {"ID_NUMBER", "ZIP_CODE", "AGE"}
OWN = {"en": {"US_SSN", "IBAN_CODE"}, "ja": {"JP_MY_NUMBER"}, "zh": {"CN_ID_CARD"}}


def test_generate_when_seed_is_the_same_then_the_same_sentences() -> None:
    assert list(generate("ja", 20, 1)) == list(generate("ja", 20, 1))
    assert list(generate("ja", 20, 1)) != list(generate("ja", 20, 2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_generate_when_two_hundred_are_asked_for_then_each_class_has_them(language: str) -> None:
    labels = [label for s in generate(language, 200, 1) for _, _, label in s.spans]
    assert set(labels) == ALL | OWN[language]
    assert min(map(labels.count, set(labels))) >= 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_generate_when_spans_are_cut_out_then_no_slot_and_no_space_at_their_ends(
    language: str,
) -> None:
    for sentence in generate(language, 40, 3):
        assert "{" not in sentence.text
        for start, end, _ in sentence.spans:
            value = sentence.text[start:end]
            assert value == value.strip() != ""


@pytest.mark.parametrize(
    ("label", "holds"),
    [
        ("CREDIT_CARD", checksums.card),
        ("IBAN_CODE", checksums.iban),
        ("CN_ID_CARD", checksums.cn_id_card),
        ("JP_MY_NUMBER", checksums.my_number),
        ("US_SSN", checksums.ssn),
    ],
)
def test_generate_when_a_number_has_a_check_digit_then_it_is_right(
    label: str, holds: Callable[[str], bool]
) -> None:
    written = [
        s.text[start:end].translate({0xFF10 + n: str(n) for n in range(10)})
        for language in LANGUAGES
        for s in generate(language, 60, 5)
        for start, end, found in s.spans
        if found == label and s.manner == "written"
    ]
    assert written
    assert all(map(holds, written))


def test_routing_when_made_then_weighted_sum_is_a_multiple_of_ten() -> None:
    rng = Random(3)  # noqa: S311 - to be repeatable
    numbers = {check_digits.routing(rng) for _ in range(50)}
    for number in numbers:
        a, b, c = (sum(map(int, number[start::3])) for start in range(3))
        assert (3 * a + 7 * b + c) % 10 == 0


def test_fictional_when_read_then_it_shares_nothing_with_what_it_measures() -> None:
    for file in FOLDER.glob("*.py"):
        names = [
            node.module or ""
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not [n for n in names if n.startswith(("models.redactor", "models.quality"))]
    for file in Path(redactor.__file__).parent.glob("*.py"):
        assert "fictional" not in file.read_text(encoding="utf-8")


def test_wilson_when_all_of_few_hold_then_the_interval_is_wide() -> None:
    assert wilson(0, 0) is None
    low, high = wilson(10, 10) or (0.0, 0.0)
    assert (round(low, 3), round(high, 3)) == (0.722, 1.0)
    assert [round(x, 3) for x in wilson(180, 200) or ()] == [0.851, 0.934]
