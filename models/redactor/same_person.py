"""Which findings are of the same person: a part of a name, or another writing of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from models import kana
from models.redactor.near_names import FullName, full_name
from models.redactor.persons import parts_of
from models.redactor.sounds import english_sound, readings, syllables
from models.redactor.views import fold

_NICKNAMES = frozenset("小老阿")


def same_persons(
    surfaces: Collection[str], language: str, near: Mapping[str, str]
) -> dict[str, str]:
    """Return for which whole name a surface stands, where it can be only one.

    Whole names that sound alike are one; a family name alone, or another part, stands for the only
    whole name that has it, else for the only one in which a part sounds like it.

    Args:
        surfaces: of all persons in the document.
        language: of the document.
        near: whole names by what was found to be a misreading of them; never in a circle.
    """
    names = {surface: full_name(surface, language) for surface in sorted(surfaces)}
    one = _by_sound({s: name for s, name in names.items() if s not in near}, language)
    for surface in near:
        whole = near[surface]
        while whole in near:
            whole = near[whole]
        one[surface] = one.get(whole, whole)
    owners = _Owners(language)
    for surface, name in names.items():
        if surface not in near:
            owners.add(one[surface], surface, name)
    for surface, name in names.items():
        if name is None and one[surface] == surface:
            one[surface] = owners.only(surface)
    return {surface: whole for surface, whole in one.items() if surface != whole}


def _by_sound(names: Mapping[str, FullName | None], language: str) -> dict[str, str]:
    """Return for each whole name the first that sounds like it; others stand for themselves."""
    first: dict[str, str] = {}
    return {
        surface: first.setdefault(_whole_sound(name, language), surface) if name else surface
        for surface, name in names.items()
    }


class _Owners:
    """The whole names that have a part, as it is written and as it sounds."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._written: dict[str, set[str]] = defaultdict(set)
        self._sounding: dict[str, set[str]] = defaultdict(set)

    def add(self, owner: str, surface: str, name: FullName | None) -> None:
        """Learn the parts of a surface."""
        halves = (name.family, name.given) if name else ()
        for part in (*parts_of(surface, self._language, {}), *halves):
            self._written[fold(part)].add(owner)
            for sound in _sounds(part, self._language):
                self._sounding[sound].add(owner)

    def only(self, part: str) -> str:
        """Return the only whole name that has the part, the part itself if there is not one."""
        found = self._written.get(fold(_unfamiliar(part, self._language)), set())
        if not found:
            sounds = _sounds(part, self._language)
            found = {name for sound in sounds for name in self._sounding.get(sound, ())}
        others = found - {part}
        return min(others) if len(others) == 1 else part


def _unfamiliar(surface: str, language: str) -> str:
    """Return the family name in a familiar form as 小王, any other surface as it is."""
    familiar = language == "zh" and len(surface) == 2 and surface[0] in _NICKNAMES
    return surface[1:] if familiar else surface


def _whole_sound(name: FullName, language: str) -> str:
    parts = (name.family, name.given)
    if name.family.isascii():
        return " ".join(map(english_sound, parts))
    if language == "zh":
        return " ".join(min(syllables(char), default=char) for char in "".join(parts))
    return " ".join("/".join(sorted(readings(part))) or part for part in parts)


def _sounds(part: str, language: str) -> Sequence[str]:
    """Return how a part of a name sounds: one syllable of Chinese says too little."""
    if part.isascii() and len(part) > 2:
        return (english_sound(part),)
    if language != "ja" or part.isascii():
        return ()
    return (*readings(part), kana.katakana(part))
