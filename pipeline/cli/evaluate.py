"""`eval`: measured tables over a folder of evaluation data."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.console import ExitCode, JsonOption, existing_folder, progress, show, table

if TYPE_CHECKING:
    from configs.settings import Settings
    from pipeline.steps.services import TranscriberPort

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="A folder laid out like the evaluation data.")
]
LanguageOption = Annotated[str | None, typer.Option(help="Only this language.")]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Measure a stage on evaluation data.", no_args_is_help=True)
    for command in (asr, media, pii, summary):
        group.command()(command)
    app.add_typer(group, name="eval")


def asr(
    data: DataOption,
    language: LanguageOption = None,
    max_seconds: Annotated[float | None, typer.Option(help="Leave longer clips out.")] = None,
    model: Annotated[str | None, typer.Option(help="Name or folder of a Whisper model.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Word and character error rates on clips whose text is known."""
    from pipeline.evaluation import asr as measure
    from pipeline.stages import transcribe_file

    settings, load = _recognizer(model)
    clips = measure.clips_of(existing_folder(data), language, max_seconds)
    scores = []
    with progress("Recognizing", len(clips)) as bar:
        for clip in clips:
            scores.append(
                measure.score_clip(
                    clip, lambda path, told: transcribe_file(path, load, language=told)
                )
            )
            bar.advance(note=clip.path.name)
    totals = [score.as_dict() for score in measure.by_language(scores)]
    document: dict[str, object] = {
        "model": settings.asr.model,
        "languages": totals,
        "clips": [score.as_dict() for score in scores],
    }
    columns = ("language", "clips", "duration_s", "error_rate", "real_time_factor")
    show(document, as_json, lambda: _print(columns, totals))


def media(data: DataOption, as_json: JsonOption = False) -> None:
    """Whether odd, damaged and hostile files get the outcome that their list expects."""
    from pipeline.evaluation import media as measure
    from pipeline.evaluation.names import score_names
    from pipeline.stages import read_source

    _, load = _recognizer(None)
    files = measure.files_of(existing_folder(data))
    scores = []
    with progress("Reading", len(files)) as bar:
        for file in files:
            scores.append(measure.score_file(file, partial(read_source, transcriber=load)))
            bar.advance(note=file.path.name)
    lines = [score.as_dict() for score in scores]
    names = [score.as_dict() for score in score_names(data)]
    ok = all(line["ok"] for line in [*lines, *names])
    show(
        {"ok": ok, "files": lines, "names": names},
        as_json,
        lambda: _print(("file", "expected", "outcome", "ok"), [*lines, *names]),
    )
    if not ok:
        raise typer.Exit(ExitCode.FAILED)


def pii(
    data: DataOption,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recall and precision of redaction on annotated texts, class by class."""
    from configs.settings import load_settings
    from models.redactor import Redactor
    from pipeline.evaluation import pii as measure
    from pipeline.runtime import pseudonym_key

    files = [
        path
        for path in measure.files_of(existing_folder(data))
        if language is None or path.name.startswith(f"pii_{language}_")
    ]
    redactor = Redactor(pseudonym_key(load_settings()))
    total = sum(1 for path in files for _ in measure.read_gold(path))
    with progress("Redacting", total) as bar:
        scores = [measure.score_file(path, redactor.detect, bar.advance) for path in files]
    files_found = [score.as_dict() for score in scores]
    show({"files": files_found}, as_json, lambda: _print_labels(files_found))


def summary(data: DataOption, language: LanguageOption = None, as_json: JsonOption = False) -> None:
    """Overlap of summaries with reference summaries, evidence and the verdict of the checks."""
    from configs.settings import load_settings
    from pipeline.evaluation import summary as measure
    from pipeline.runtime import load_redactor, load_summarizer

    settings = load_settings()
    meetings = measure.meetings_of(existing_folder(data), language)
    redactor, summarizer = load_redactor(settings), load_summarizer(settings)
    scores = []
    with progress("Summarizing", len(meetings)) as bar:
        for meeting in meetings:
            scores.append(measure.score_meeting(meeting, redactor, summarizer))
            bar.advance(note=meeting.id)
    lines = [score.as_dict() for score in scores]
    columns = ("id", "language", "rouge_1", "rouge_2", "rouge_l", "cited_ratio", "took_s")
    show({"model": summarizer.name, "meetings": lines}, as_json, lambda: _print(columns, lines))


def _recognizer(model: str | None) -> "tuple[Settings, Callable[[], TranscriberPort]]":
    """Return settings, and a function that loads the model once, when it is first needed."""
    from functools import cache

    from configs.settings import load_settings
    from pipeline.runtime import load_transcriber

    settings = load_settings()
    if model is not None:
        settings = settings.with_overrides({"asr.model": model})
    return settings, cache(partial(load_transcriber, settings))


def _print(columns: tuple[str, ...], lines: list[dict[str, object]]) -> None:
    table(columns, [[line.get(name) for name in columns] for line in lines], empty="Nothing.")


def _print_labels(files: list[dict[str, object]]) -> None:
    columns = ("gold", "recall", "found", "precision")
    for score in files:
        labels = score["labels"]
        assert isinstance(labels, dict)  # noqa: S101 - as `as_dict` makes it
        rows = {**labels, "all": score["total"], "all with optional": score["total_with_optional"]}
        typer.echo(f"\n{score['file']}")
        table(
            ("label", *columns),
            [[name, *(row[column] for column in columns)] for name, row in rows.items()],
            empty="Nothing is annotated.",
        )
