from functools import cache

import pytest

from models.documents import Language, Sentence, Severity
from models.quality import CheckOptions
from models.redactor import RedactionPolicy, Redactor
from pipeline.steps.titles import title_reader
from tests.summaries import transcript, written
from tests.unit.test_quality_checks import check

TEA: dict[Language, str] = {
    "en": "We open the second tea room in May.",
    "ja": "五月に二つ目の喫茶室を開きます。",
    "zh": "我们五月开第二间茶室。",
}


@cache
def redactor() -> Redactor:
    return Redactor(b"k" * 32)


def found(title: str, language: Language, allow: tuple[str, ...] = ()) -> list[Severity]:
    summary = written(Sentence(text=TEA[language], citations=(1,)), language=language)
    report = check(
        summary,
        transcript(TEA[language], language=language),
        titles=(title,),
        options=CheckOptions(titles=title_reader(redactor, RedactionPolicy(allow=allow))),
    )
    return [f.severity for f in report.findings if f.check == "leak.title"]


@pytest.mark.parametrize(
    ("language", "title", "severity"),
    [
        ("en", "Interview with Adwoa Mensah", Severity.WARN),
        ("ja", "青柳剛さんとの面談", Severity.WARN),
        ("en", "青柳剛さんとの面談", Severity.WARN),
        ("zh", "与赵国栋先生的面谈", Severity.WARN),
        ("en", "Hearing, SSN 512-44-7193", Severity.BLOCK),
        ("en", "Questions to kara at example dot com", Severity.BLOCK),
        ("ja", "電話 090-1234-5678 の件", Severity.BLOCK),
        ("zh", "联系电话13812345678", Severity.BLOCK),
    ],
)
def test_title_when_it_has_personal_data_that_the_source_does_not_know_then_found(
    language: Language, title: str, severity: Severity
) -> None:
    assert found(title, language) == [severity]


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Recording of 2026-05-01"),
        ("en", "Budget of the tea room, second quarter"),
        ("ja", "五月の予算会議"),
        ("zh", "五月预算会议"),
        ("en", "Interview with [PERSON_1]"),
    ],
)
def test_title_when_it_has_none_then_passes(language: Language, title: str) -> None:
    assert found(title, language) == []


def test_title_when_the_policy_lets_a_name_stand_then_passes() -> None:
    assert found("Interview with Adwoa Mensah", "en", allow=("Adwoa Mensah",)) == []
