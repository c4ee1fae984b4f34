"""Text recognition on pictures of pages by Tesseract, where it is installed."""

import io
import os
import re
import subprocess

from PIL import Image

from configs.clock import monotonic_s
from configs.errors import NoTextLayerError
from models.extraction.encodings import EAST_ASIAN
from models.extraction.straighten import straightened

_PROGRAM = "tesseract"
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""Its threads wait for one another in a loop, which beside other work costs many times more."""
_DATA = {"en": "eng", "ja": "jpn", "zh": "chi_sim"}
_HAN_SCRIPTS = frozenset({"Han", "HanS", "HanT", "Japanese"})
_KANA = re.compile(r"[\u3041-\u30ff]")
_KANA_SHARE = 0.1
_INNER_SPACE = re.compile(rf"(?<={EAST_ASIAN}) +(?={EAST_ASIAN})")
_TURN = re.compile(r"^Rotate: (\d+)$", re.MULTILINE)
_SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)


class Recognizer:
    """Tesseract with the languages it has, none where it is not installed."""

    def __init__(self, program: str = _PROGRAM) -> None:
        self._program = program
        try:
            listed = self._run("--list-langs", within_s=60)
        except FileNotFoundError:
            listed = ""
        self._installed = frozenset(listed.split("\n")[1:])

    @property
    def is_available(self) -> bool:
        """Whether anything can be recognized here."""
        return any(data in self._installed for data in _DATA.values())

    def recognize(self, picture: Image.Image, language: str | None, within_s: float) -> str:
        """Recognize a page, turned upright and straightened first.

        Args:
            picture: the page, about 300 dots an inch.
            language: `en`, `ja` or `zh`; any other, or None, goes by the script on the page.
            within_s: how long it may take.

        Returns:
            Lines; paragraphs are divided by empty ones. Empty where nothing was recognized.

        Raises:
            NoTextLayerError: Tesseract lacks the language (not retryable).
            subprocess.TimeoutExpired: it took longer.
        """
        ends = monotonic_s() + within_s
        turn, script = self._orientation(picture, within_s)
        if turn:
            picture = picture.rotate(-turn, expand=True)
        picture = straightened(picture)
        text = ""
        for data in self._data(language, script):
            text = self._run("-", "-", "-l", data, picture=picture, within_s=ends - monotonic_s())
            if data != _DATA["ja"] or len(_KANA.findall(text)) > _KANA_SHARE * len(text):
                break
        return _INNER_SPACE.sub("", text)

    def _data(self, language: str | None, script: str) -> list[str]:
        """Return what to recognize by: of Chinese and Japanese the script does not tell which."""
        if language in _DATA:
            wanted = [_DATA[language]]
        else:
            wanted = [_DATA[code] for code in (("ja", "zh") if script in _HAN_SCRIPTS else ("en",))]
        found = [data for data in wanted if data in self._installed]
        if not found:
            raise NoTextLayerError(
                "The PDF is a scan, and the text recognition of this installation lacks the "
                f"language data `{wanted[0]}`. Ask its operator to install it."
            )
        return found

    def _orientation(self, picture: Image.Image, within_s: float) -> tuple[int, str]:
        """Return by how many degrees to turn the page clockwise, and its script."""
        if "osd" not in self._installed:
            return 0, ""
        found = self._run("-", "-", "--psm", "0", picture=picture, within_s=within_s)
        turn, script = _TURN.search(found), _SCRIPT.search(found)
        return int(turn.group(1)) if turn else 0, script.group(1) if script else ""

    def _run(self, *arguments: str, within_s: float, picture: Image.Image | None = None) -> str:
        """Run it; a page on which it finds too little to judge gives nothing."""
        data = io.BytesIO()
        if picture is not None:
            picture.save(data, "PNG", dpi=(300, 300))
        done = subprocess.run(  # noqa: S603 - a fixed program; the page goes through a pipe
            [self._program, *arguments],
            input=data.getvalue(),
            capture_output=True,
            timeout=max(within_s, 1.0),
            env={**os.environ, **_ONE_THREAD},
            check=False,
        )
        return done.stdout.decode("utf-8", "replace")
