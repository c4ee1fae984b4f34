"""`transcribe`, `extract`, `redact`, `summarize`: one stage alone, nothing stored."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from configs.errors import InputError
from pipeline.cli.console import JsonOption, UsageProblem, existing_file, progress, show

if TYPE_CHECKING:
    from models.documents import RedactedTranscript, Summary, Transcript

FileArgument = Annotated[Path, typer.Argument(metavar="FILE")]
VocabularyOption = Annotated[
    list[str] | None,
    typer.Option("--vocabulary", help="Names and terms to expect, with commas between."),
]
LanguageOption = Annotated[str, typer.Option(help="en, ja, zh, or auto to detect it.")]
SummaryLanguageOption = Annotated[
    str | None, typer.Option(help="What a model writes in: en, ja, zh (the source's language).")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (transcribe, extract, redact, summarize):
        app.command()(command)


def transcribe(
    file: FileArgument,
    language: LanguageOption = "auto",
    model: Annotated[str | None, typer.Option(help="Name or folder of a Whisper model.")] = None,
    vocabulary: VocabularyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Transcribe a recording; the text is raw, nothing is redacted."""
    transcript = _transcribed(existing_file(file), _language(language), model, vocabulary or [])
    show(_transcript_document(transcript), as_json, lambda: _print_transcript(transcript))


def extract(
    file: FileArgument, language: LanguageOption = "auto", as_json: JsonOption = False
) -> None:
    """Take the text out of a document; it is raw, nothing is redacted."""
    from pipeline.stages import extract_file

    transcript = extract_file(existing_file(file), _language(language))
    show(_transcript_document(transcript), as_json, lambda: _print_transcript(transcript))


def redact(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE or -]", help="A text; - is standard input.")
    ] = None,
    language: Annotated[str, typer.Option(help="The text's language: en, ja, zh.")] = "en",
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read one {"id", "text", "lang"} a line; answer alike.')
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Replace personal data in a text by pseudonyms."""
    from configs.settings import load_settings
    from models.documents import LANGUAGES
    from pipeline.runtime import load_redactor, redaction_policy

    if language not in LANGUAGES:
        raise UsageProblem(f"--language is one of {', '.join(LANGUAGES)}.")
    if jsonl and as_json:
        raise UsageProblem("--jsonl already answers in JSON; leave --json out.")
    settings = load_settings()
    redactor, policy = load_redactor(settings), redaction_policy(settings)
    if jsonl:
        with _lines(file) as lines:
            for line in redactor.redact_lines(lines, policy):
                sys.stdout.write(line.rstrip("\n") + "\n")
                sys.stdout.flush()
        return
    with _lines(file) as lines:
        text = lines.read()
    redacted, spans = redactor.redact_text(text, language, policy)
    columns = ("start", "end", "entity_type", "score", "replacement")
    found = [{name: getattr(span, name) for name in columns} for span in spans]
    show({"text": redacted, "spans": found}, as_json, lambda: sys.stdout.write(redacted))


def summarize(
    file: FileArgument,
    language: LanguageOption = "auto",
    template: Annotated[
        str | None, typer.Option(help="Template of the summary, as meeting or lecture.")
    ] = None,
    summary_language: SummaryLanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Transcribe or extract, redact and summarize a file, as a run would."""
    from configs.settings import load_settings
    from models.quality import require_sense
    from models.summarizer import summarize as write
    from pipeline.runtime import load_redactor, redaction_policy
    from pipeline.summarizers import load_extractive, load_summarizer, load_summary_template

    chosen = {"summary.template": template, "summary.language": summary_language}
    settings = load_settings().with_overrides({k: v for k, v in chosen.items() if v is not None})
    transcript = _read(existing_file(file), _language(language))
    policy = redaction_policy(settings)
    redacted = load_redactor(settings).redact(transcript, policy).redacted
    summarizer = load_summarizer(settings)
    extractive = load_extractive(load_summary_template(settings))
    fallback = None if summarizer.method == extractive.method else extractive
    summary = write(summarizer, redacted, fallback, require_sense)
    show(summary.model_dump(mode="json"), as_json, lambda: _print_summary(summary, redacted))


def _transcribed(
    path: Path, language: str | None, model: str | None = None, vocabulary: Sequence[str] = ()
) -> "Transcript":
    from configs.settings import load_settings
    from models.vocabulary import parse_terms
    from pipeline.runtime import load_transcriber
    from pipeline.stages import transcribe_file

    settings = load_settings()
    if model is not None:
        settings = settings.with_overrides({"asr.model": model})
    done = 0.0
    with progress("Transcribing", 1.0) as bar:

        def moved(seconds: float, total: float) -> None:
            nonlocal done
            bar.advance(seconds / total - done, f"{seconds:.0f} of {total:.0f} s")
            done = seconds / total

        return transcribe_file(
            path,
            partial(load_transcriber, settings),
            language=language,
            vocabulary=parse_terms([*vocabulary, *settings.asr.vocabulary]),
            window_s=settings.asr.window.total_seconds(),
            on_window=moved,
        )


def _read(path: Path, language: str | None) -> "Transcript":
    from models import extractor
    from pipeline.stages import extract_file

    if extractor.sniff(path, path.name) is not None:
        return extract_file(path, language)
    return _transcribed(path, language)


def _language(name: str) -> str | None:
    return None if name == "auto" else name


@contextmanager
def _lines(file: Path | None) -> Iterator[TextIO]:
    """Open a text, or standard input; offsets count code points, so line ends stay as they are."""
    try:
        if file is None or str(file) == "-":
            yield TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="")
        else:
            with existing_file(file).open(encoding="utf-8", newline="") as opened_file:
                yield opened_file
    except UnicodeDecodeError:
        raise InputError("The text is not UTF-8.") from None


def _transcript_document(transcript: "Transcript") -> dict[str, object]:
    return transcript.model_dump(mode="json")


def _print_transcript(transcript: "Transcript") -> None:
    for segment in transcript.segments:
        place = segment.location or f"{segment.start:8.2f}"
        mark = f"  [suspect: {', '.join(segment.suspect)}]" if segment.suspect else ""
        typer.echo(f"{place}  {segment.text.strip()}{mark}")
    if transcript.is_empty:
        typer.echo("No speech was found.", err=True)


def _print_summary(summary: "Summary", redacted: "RedactedTranscript") -> None:
    typer.echo(f"{summary.headline}\n")
    for line in _summary_lines(summary, redacted):
        typer.echo(line)
    if summary.fallback_reason:
        typer.echo(
            f"Quoted, because the written summary failed: {summary.fallback_reason}", err=True
        )


def _summary_lines(summary: "Summary", redacted: "RedactedTranscript") -> Iterator[str]:
    previous = ""
    for place, sentence in summary.sentences():
        part = place.partition("[")[0]
        if part != previous:
            yield f"\n{part.replace('_', ' ').capitalize()}"
            previous = part
        found = (redacted.segment(citation) for citation in sentence.citations)
        times = [s.location or f"{s.start:.0f} s" for s in found if s is not None]
        yield f"- {sentence.text} ({', '.join(times)})"
