"""Personal data in the titles of a run, which people write and which are published with it."""

from collections.abc import Callable, Iterator, Sequence

from models.documents import LANGUAGES, Finding, Severity
from models.quality.language import heading_language
from models.redactor.types import IDENTIFIER_CLASSES

TitleReader = Callable[[str, str], Sequence[str]]
"""Takes a title and a language to the classes of personal data in it."""


def check_titles(titles: Sequence[str], language: str, read: TitleReader) -> Iterator[Finding]:
    """Yield what redaction would take out of a title, whoever it is: the source need not know them.

    An identifier blocks. A name warns: a title in capitals may be taken for one.
    """
    for index, title in enumerate(titles):
        languages = {language, heading_language(title, language)}
        found = {kind for told in languages.intersection(LANGUAGES) for kind in read(title, told)}
        for kind in sorted(found):
            yield Finding(
                check="leak.title",
                severity=Severity.BLOCK if kind in IDENTIFIER_CLASSES else Severity.WARN,
                place=f"titles[{index}]",
                reason=f"What looks like personal data ({kind}) stands in the title.",
                values=(("what", kind),),
            )
