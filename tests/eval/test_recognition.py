"""Recognition with real weights on real recordings."""

import json
from pathlib import Path

import numpy as np
import pytest

from models.audio import normalize
from models.documents import Transcript, canonical_json
from models.evaluation import asr_totals, evaluate_asr, evaluate_media, transcribe_file
from models.normalized import read_channel
from models.scoring import error_rate
from models.transcriber import Transcriber, find_speech, join_transcripts, plan_windows
from models.weights import whisper_path
from tests.recordings import DATA, decode_audio, silence, write_audio

AUDIO = DATA / "audio"
AUSTEN = (
    "and mister john dashwood had then leisure to consider how much there might be prudently "
    "in his power to do for them"
)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def tiny(home: Path) -> Transcriber:
    return Transcriber(whisper_path("tiny.en", home), name="tiny.en", beam_size=1)


@pytest.fixture(scope="session")
def base(home: Path) -> Transcriber:
    return Transcriber(whisper_path("base", home), name="base")


def _text(transcript: Transcript) -> str:
    return " ".join(segment.text for segment in transcript.segments)


def _transcribe_with(
    vocabulary: list[str], base: Transcriber, source: Path, language: str, normalized: Path
) -> Transcript:
    """Transcribe a recording of one window with a vocabulary."""
    report = normalize(source, normalized)
    speech = find_speech(normalized)
    (window,) = plan_windows(report.duration_s, speech)
    part = base.transcribe(normalized, window, speech, language, vocabulary)
    return join_transcripts([part], report, speech)


def test_transcribe_when_english_then_words_with_times(tiny: Transcriber) -> None:
    transcript = transcribe_file(AUDIO / "en_librivox_austen_0870.wav", tiny)
    assert error_rate(AUSTEN, _text(transcript), "en").rate < 0.2
    words = [word for segment in transcript.segments for word in segment.words]
    assert all(word.end > word.start for word in words)
    assert words[0].start < 1.0
    assert 6.0 < words[-1].end <= transcript.duration_s + 0.01
    for segment in transcript.segments:
        assert "".join(word.word for word in segment.words).strip() == segment.text


def test_transcribe_when_repeated_then_the_same_bytes(tiny: Transcriber) -> None:
    clip = AUDIO / "en_librivox_austen_0870.wav"
    first = canonical_json(transcribe_file(clip, tiny))
    assert canonical_json(transcribe_file(clip, tiny)) == first


def test_transcribe_when_silence_surrounds_speech_then_times_are_the_recordings(
    tiny: Transcriber, tmp_path: Path
) -> None:
    voice = decode_audio(AUDIO / "en_librivox_austen_0870.wav")
    parts = [silence(35), voice, silence(70), voice, silence(40)]
    source = write_audio(tmp_path / "long.wav", np.concatenate(parts))
    transcript = transcribe_file(source, tiny)
    assert error_rate(f"{AUSTEN} {AUSTEN}", _text(transcript), "en").rate < 0.25
    starts = [segment.start for segment in transcript.segments]
    assert starts[0] == pytest.approx(35.0, abs=1.0)
    assert any(start == pytest.approx(112.1, abs=1.0) for start in starts)
    assert all(s.end - s.start < 9.0 for s in transcript.segments)
    coverage = transcript.coverage
    assert coverage.speech_s is not None
    assert coverage.speech_s < 20.0
    assert coverage.transcribed_s == pytest.approx(coverage.speech_s, abs=1.0)


def test_transcribe_when_cut_in_windows_then_all_of_it(tiny: Transcriber, tmp_path: Path) -> None:
    voice = decode_audio(AUDIO / "en_librivox_austen_0870.wav")
    source = write_audio(tmp_path / "long.wav", np.concatenate([voice, silence(2)] * 6))
    normalized = tmp_path / "n.flac"
    report = normalize(source, normalized)
    speech = find_speech(normalized)
    windows = plan_windows(report.duration_s, speech, target_s=18.0)
    assert len(windows) == 3
    parts = [tiny.transcribe(normalized, window, speech) for window in windows]
    transcript = join_transcripts(parts, report, speech)
    assert error_rate(" ".join([AUSTEN] * 6), _text(transcript), "en").rate < 0.2
    assert [s.start for s in transcript.segments] == sorted(s.start for s in transcript.segments)


def test_transcribe_when_speakers_have_channels_then_each_has_a_name(tiny: Transcriber) -> None:
    transcript = transcribe_file(AUDIO / "en_two_channel_speakers.wav", tiny)
    left = " ".join(s.text for s in transcript.segments if s.speaker == "left")
    right = " ".join(s.text for s in transcript.segments if s.speaker == "right")
    assert "wizard" in left
    assert "horizon" in right
    assert "channels_separate" in transcript.warnings


def test_transcribe_when_japanese_then_heard_as_japanese(base: Transcriber) -> None:
    transcript = transcribe_file(AUDIO / "ja_dialogue_speech_recognition.wav", base)
    assert transcript.language == "ja"
    assert "ディープラーニング" in _text(transcript)
    assert len(transcript.segments) >= 4


def test_transcribe_when_chinese_then_heard_and_written_in_simplified(base: Transcriber) -> None:
    transcript = transcribe_file(AUDIO / "zh_watson_intro.wav", base)
    assert transcript.language == "zh"
    assert "数据分析" in _text(transcript)


def test_transcribe_when_languages_alternate_then_each_sentence_has_its_own(
    base: Transcriber,
) -> None:
    transcript = transcribe_file(AUDIO / "en_zh_code_switch_questions.flac", base)
    languages = [segment.language for segment in transcript.segments]
    assert set(languages) == {"en", "zh"}
    assert "language_mixed" in transcript.warnings


def test_transcribe_when_the_language_is_told_then_it_stands(base: Transcriber) -> None:
    transcript = transcribe_file(AUDIO / "zh_funasr_welcome.wav", base, "zh")
    assert transcript.language == "zh"
    assert "语音识别" in _text(transcript)


def test_transcribe_when_vocabulary_is_given_then_nothing_is_cut(
    base: Transcriber, tmp_path: Path
) -> None:
    source = AUDIO / "en_phone_call_order_8k.wav"
    terms = ["Chromecast", "Chromecast Ultra"]
    transcript = _transcribe_with(terms, base, source, "en", tmp_path / "n.flac")
    assert "Chromecast" in _text(transcript)
    assert transcript.coverage.transcribed_s is not None
    assert transcript.coverage.speech_s is not None
    assert transcript.coverage.transcribed_s > 0.95 * transcript.coverage.speech_s


def test_transcribe_when_japanese_has_a_vocabulary_then_its_sentences_stay_apart(
    base: Transcriber, tmp_path: Path
) -> None:
    source = AUDIO / "ja_dialogue_speech_recognition.wav"
    terms = ["Watson", "音声認識"]
    transcript = _transcribe_with(terms, base, source, "ja", tmp_path / "n.flac")
    assert len(transcript.segments) >= 5
    assert "Watson" not in _text(transcript)


def test_digest_when_asked_then_the_weights_hash(tiny: Transcriber) -> None:
    assert tiny.digest == "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"


def test_evaluate_asr_when_run_over_a_folder_then_rates_by_language(
    base: Transcriber, tmp_path: Path
) -> None:
    folder = tmp_path / "audio"
    folder.mkdir()
    for name in ("zh_funasr_welcome.wav", "en_librivox_austen_0870.wav"):
        (folder / name).symlink_to(AUDIO / name)
    (folder / "audio.json").write_text(
        '[{"file": "zh_funasr_welcome.wav", "lang": "zh", "reference_kind": "published",'
        ' "reference": "欢迎大家来体验达摩院推出的语音识别模型"},'
        ' {"file": "en_librivox_austen_0870.wav", "lang": "en", "reference_kind": "published",'
        f' "reference": "{AUSTEN}"}}]',
        encoding="utf-8",
    )
    seen: list[str] = []
    rows = evaluate_asr(
        tmp_path, base, progress=lambda done, total, file: seen.append(f"{done}/{total} {file}")
    )
    assert seen == ["0/2 zh_funasr_welcome.wav", "1/2 en_librivox_austen_0870.wav"]
    assert [total.name for total in asr_totals(rows)] == ["en", "zh"]
    assert all(total.errors.rate < 0.2 for total in asr_totals(rows))


def test_evaluate_media_when_files_are_odd_then_each_has_its_outcome(
    base: Transcriber, tmp_path: Path
) -> None:
    odd = DATA / "media_odd"
    entries = json.loads((odd / "media_odd.json").read_text(encoding="utf-8"))
    # The hour of silence has a test of its own, which watches its memory.
    entries = [entry for entry in entries if entry["file"] != "silence_1h.opus"]
    folder = tmp_path / "media_odd"
    folder.mkdir()
    (folder / "media_odd.json").write_text(json.dumps(entries), encoding="utf-8")
    for entry in entries:
        (folder / entry["file"]).symlink_to(odd / entry["file"])
    rows = evaluate_media(tmp_path, base)
    assert [row for row in rows if not row.ok] == []
    assert len(rows) == 14


def test_read_channel_when_normalized_then_float_in_range(tmp_path: Path) -> None:
    normalize(AUDIO / "zh_funasr_welcome.wav", tmp_path / "n.flac")
    samples = read_channel(tmp_path / "n.flac", 0.0, 5.0)
    assert samples.dtype == np.float32
    assert 0.1 < float(np.abs(samples).max()) <= 1.0
