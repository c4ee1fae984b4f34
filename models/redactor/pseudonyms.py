"""Pseudonyms: `[PERSON_1]`, the same for the same surface throughout a document."""

import hashlib
import hmac
import re
from collections import defaultdict
from collections.abc import Mapping

from models.documents import Pseudonym, PseudonymMap
from models.redactor.spoken import spoken
from models.redactor.views import View, fold

_SEPARATORS = re.compile(r"[\s\-.,、・()/_]+")
_NAMES = frozenset({"PERSON", "ADDRESS", "LOCATION", "ORGANIZATION", "NRP"})


class PseudonymTable:
    """Gives surfaces their pseudonyms, numbered per class in the order of first appearance.

    The table is keyed by HMAC-SHA-256 over class and normalized surface, so that the surfaces that
    are compared need not be kept in it; the readable map is a raw artifact of its own.

    Args:
        key: secret of the installation.
        language: language of the document, for numbers that are spoken.
    """

    def __init__(self, key: bytes, language: str) -> None:
        self._key = key
        self._language = language
        self._replacements: dict[bytes, str] = {}
        self._counts: dict[str, int] = defaultdict(int)
        self._surfaces: dict[str, set[str]] = defaultdict(set)
        self._types: dict[str, str] = {}
        self._aliases: dict[str, str] = {}

    def learn_names(self, names: Mapping[str, str]) -> None:
        """Let surfaces stand for a whole name.

        Args:
            names: the whole name for each surface of which it is known.
        """
        for surface, name in names.items():
            self._aliases[self._normal("PERSON", surface)] = self._normal("PERSON", name)

    def replacement(self, entity_type: str, surface: str) -> str:
        """Return the pseudonym of a surface, a new one when it appears first."""
        normal = self._normal(entity_type, surface)
        if entity_type == "PERSON":
            normal = self._aliases.get(normal, normal)
        message = f"{entity_type}\0{normal}".encode()
        digest = hmac.new(self._key, message, hashlib.sha256).digest()
        if digest not in self._replacements:
            self._counts[entity_type] += 1
            replacement = f"[{entity_type}_{self._counts[entity_type]}]"
            self._replacements[digest] = replacement
            self._types[replacement] = entity_type
        found = self._replacements[digest]
        self._surfaces[found].add(surface)
        return found

    def add_surface(self, replacement: str, surface: str) -> None:
        """Note a further form of what a pseudonym stands for, such as a half of a split number."""
        self._surfaces[replacement].add(surface)

    def map(self) -> PseudonymMap:
        """Return all pseudonyms in the order of their first appearance, with their surfaces."""
        return PseudonymMap(
            entries=tuple(
                Pseudonym(
                    replacement=replacement,
                    entity_type=self._types[replacement],
                    surfaces=tuple(sorted(self._surfaces[replacement])),
                )
                for replacement in self._replacements.values()
            )
        )

    def _normal(self, entity_type: str, surface: str) -> str:
        folded = fold(surface)
        if entity_type in _NAMES:
            return _SEPARATORS.sub("", folded)
        return _SEPARATORS.sub("", spoken(View.of(folded), self._language).text)
