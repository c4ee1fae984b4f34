"""`eval`: measured tables over a folder of evaluation data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from configs.errors import NotFoundError
from pipeline.cli.console import ExitCode, JsonOption, existing_folder, progress, show, table

if TYPE_CHECKING:
    from models.evaluation import AsrRow, SetTotal
    from models.evaluation_pii import PiiRow

Progress = Callable[[int, int, str], None]
DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="A folder laid out like the evaluation data.")
]


def add_to(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Measure a stage on evaluation data.", no_args_is_help=True)
    for command in (asr, media, pii, summary, checks, documents):
        group.command()(command)
    app.add_typer(group, name="eval")


def asr(
    data: DataOption,
    model: Annotated[str | None, typer.Option(help="Name or folder of a Whisper model.")] = None,
    detect_language: Annotated[
        bool, typer.Option("--detect-language", help="Do not say which language is spoken.")
    ] = False,
    bare: Annotated[bool, typer.Option(help="Measure faster-whisper alone beside it.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Word and character error rates on clips whose text is known, set by set."""
    from configs.settings import load_settings
    from models.evaluation import asr_totals, evaluate_asr
    from pipeline.runtime import load_transcriber

    _listing(data, "audio/audio.json")
    settings = load_settings()
    if model is not None:
        settings = settings.with_overrides({"asr.model": model})
    with _telling("Recognizing") as tell:
        rows = evaluate_asr(
            data,
            load_transcriber(settings),
            detect_language=detect_language,
            bare=bare,
            progress=tell,
        )
    totals = [_total(total) for total in asr_totals(rows)]
    document: dict[str, object] = {
        "model": settings.asr.model,
        "sets": totals,
        "clips": [_clip(row) for row in rows],
    }
    columns = ("set", "clips", "audio_s", "error_rate", "bare_error_rate", "real_time_factor")
    show(document, as_json, lambda: _print(columns, totals))


def media(data: DataOption, as_json: JsonOption = False) -> None:
    """Whether odd, damaged and hostile files and names get the outcome that is expected."""
    from configs.settings import load_settings
    from models.evaluation import evaluate_media
    from pipeline.evaluation.names import score_names
    from pipeline.runtime import load_transcriber

    _listing(data, "media_odd/media_odd.json")
    with _telling("Reading") as tell:
        rows = evaluate_media(data, load_transcriber(load_settings()), progress=tell)
    files: list[dict[str, object]] = [asdict(row) for row in rows]
    names = [score.as_dict() for score in score_names(data)]
    ok = all(line["ok"] for line in [*files, *names])
    columns = ("file", "expect", "outcome", "ok")
    show(
        {"ok": ok, "files": files, "names": names},
        as_json,
        lambda: _print(columns, [*files, *names]),
    )
    if not ok:
        raise typer.Exit(ExitCode.FAILED)


def pii(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder laid out like the evaluation data."),
    ] = None,
    generated: Annotated[
        int,
        typer.Option(
            min=0, help="Also measure on this many fictional sentences per class and language."
        ),
    ] = 200,
    spoken: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Measure only what is left of speech: recordings and spoken.json (tests/eval).",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recall and precision of redaction on annotated and on generated texts, class by class."""
    from configs.settings import load_settings
    from models.evaluation_pii import evaluate_generated, evaluate_pii
    from pipeline.runtime import load_redactor

    if spoken is not None:
        _end_to_end(spoken, as_json)
        return
    if data is not None and not list((existing_folder(data) / "pii").glob("*.jsonl")):
        raise NotFoundError(f"There are no files pii/*.jsonl in {data}.")
    redactor = load_redactor(load_settings())
    with _telling("Redacting") as tell:
        rows = [] if data is None else evaluate_pii(data, redactor, progress=tell)
    if generated:
        with _telling("Redacting") as tell:
            rows += evaluate_generated(redactor, per_class=generated, progress=tell)
    document: dict[str, object] = {
        "rows": [_pii(row) for row in rows],
        "missed": [{**_pii(row), "goal": row.goal} for row in rows if row.is_missed],
    }
    show(document, as_json, lambda: _print_pii(document))


def _end_to_end(folder: Path, as_json: bool) -> None:
    """Transcribe, redact, and show of each class how much of what was said is still usable."""
    from configs.settings import load_settings
    from models.evaluation_spoken import LISTING, evaluate_spoken, spoken_totals
    from pipeline.runtime import load_redactor, load_transcriber

    _listing(folder, LISTING)
    settings = load_settings()
    with _telling("Listening and redacting") as tell:
        rows = evaluate_spoken(
            folder, load_transcriber(settings), load_redactor(settings), progress=tell
        )
    totals = [
        {name: _rounded(value) for name, value in asdict(total).items()}
        for total in spoken_totals(rows)
    ]
    document: dict[str, object] = {"totals": totals, "values": [asdict(row) for row in rows]}
    show(document, as_json, lambda: _print(tuple(totals[0]) if totals else (), totals))


def _print_pii(document: dict[str, object]) -> None:
    columns = ("file", "entity_type", "gold", "found", "recall", "recall_interval")
    more = ("precision", "precision_interval", "covered")
    _print((*columns, *more), document["rows"])  # type: ignore[arg-type]
    typer.echo("Below the goal:")
    _print((*columns, "goal"), document["missed"])  # type: ignore[arg-type]


def summary(
    data: DataOption,
    language: Annotated[str | None, typer.Option(help="Only this language.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Overlap of summaries with reference summaries, beside baselines, and their evidence."""
    from configs.settings import load_settings
    from pipeline.evaluation import summary as measure
    from pipeline.runtime import load_redactor
    from pipeline.summarizers import load_summarizer

    settings = load_settings()
    meetings = measure.meetings_of(existing_folder(data), language)
    redactor, summarizer = load_redactor(settings), load_summarizer(settings)
    scores = []
    with progress("Summarizing", len(meetings)) as bar:
        for meeting in meetings:
            scores.append(measure.score_meeting(meeting, redactor, summarizer))
            bar.advance(note=meeting.id)
    lines = [score.as_dict() for score in scores]
    means = measure.language_means(scores)
    document = {"model": summarizer.name, "languages": means, "meetings": lines}
    show(document, as_json, lambda: _print_summary(lines, means))


def _print_summary(lines: list[dict[str, object]], means: list[dict[str, object]]) -> None:
    rest = ("lead_rouge_1", "random_rouge_1", "exact_ratio", "reach_ratio", "took_s")
    columns = ("rouge_1", "rouge_2", "rouge_l", *rest)
    _print(("id", "language", *columns), lines)
    _print(("language", "meetings", *columns), means)


def checks(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder laid out like the evaluation data."),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, help="How many faults of each class to draw for a sentence.")
    ] = 2,
    as_json: JsonOption = False,
) -> None:
    """Which planted faults the checks find, and how often they block what is right."""
    from configs.settings import load_settings
    from models.evaluation_cases import invented_cases, meeting_cases
    from models.evaluation_checks import evaluate_checks
    from models.quality import CheckOptions
    from pipeline.summarizers import load_embedder, load_entailment

    meetings = [] if data is None else meeting_cases(existing_folder(data))
    if data is not None and not meetings:
        raise NotFoundError(f"There are no files meetings/*.json in {data}.")
    entailment = load_entailment(load_settings())
    options = CheckOptions(embedder=load_embedder(), entailment=entailment)
    with _telling("Checking") as tell:
        right, faults = evaluate_checks(
            [*invented_cases(), *meetings], options, rounds=rounds, progress=tell
        )
    lines = [{**asdict(row), "recall": row.recall, "interval": row.interval} for row in faults]
    planted = [{name: _rounded(value) for name, value in line.items()} for line in lines]
    passed = [asdict(row) for row in right]
    below = [f"{row.source} {row.language} {row.fault}" for row in faults if row.is_below_goal]
    document = {
        "entailment_model": entailment.name if entailment else None,
        "right": passed,
        "faults": planted,
        "below_goal": below,
    }
    show(document, as_json, lambda: _print_checks(passed, planted))


def _print_checks(right: list[dict[str, object]], faults: list[dict[str, object]]) -> None:
    columns = ("source", "language", "summaries", "blocked", "sentences", "sentences_blocked")
    _print((*columns, "sentences_warned"), right)
    _print(("source", "language", "fault", "planted", "found", "blocked", "interval"), faults)


def documents(data: DataOption, as_json: JsonOption = False) -> None:
    """Whether readable, scanned, damaged and hostile documents get the outcome that is expected."""
    from models.evaluation_documents import evaluate_documents, listed_documents

    _listing(data, "documents/documents.json")
    with _telling("Reading") as tell:
        rows = evaluate_documents(data, listed_documents(data), progress=tell)
    files: list[dict[str, object]] = [
        {**asdict(row), "took_s": round(row.took_s, 2)} for row in rows
    ]
    ok = all(row.ok for row in rows)
    columns = ("file", "expect", "outcome", "ok", "paragraphs", "warnings", "took_s")
    show({"ok": ok, "files": files}, as_json, lambda: _print(columns, files))
    if not ok:
        raise typer.Exit(ExitCode.FAILED)


@contextmanager
def _telling(title: str) -> Iterator[Progress]:
    """Show a progress bar that is told "done of total, and this comes next"."""
    with progress(title, 1.0) as bar:
        shown = 0.0

        def tell(done: int, total: int, name: str) -> None:
            nonlocal shown
            bar.advance(done / total - shown, f"{name} ({done + 1} of {total})")
            shown = done / total

        yield tell


def _listing(data: Path, name: str) -> None:
    if not (existing_folder(data) / name).is_file():
        raise NotFoundError(f"There is no file {data / name}.")


def _total(total: "SetTotal") -> dict[str, object]:
    return {
        "set": total.name,
        "clips": total.clips,
        "audio_s": round(total.audio_s, 1),
        "error_rate": round(total.errors.rate, 4),
        "bare_error_rate": None if total.bare is None else round(total.bare.rate, 4),
        "real_time_factor": round(total.elapsed_s / total.audio_s, 3) if total.audio_s else None,
    }


def _clip(row: "AsrRow") -> dict[str, object]:
    return {
        **{name: value for name, value in asdict(row).items() if name not in {"errors", "bare"}},
        "error_rate": round(row.errors.rate, 4),
        "bare_error_rate": None if row.bare is None else round(row.bare.rate, 4),
    }


def _pii(row: "PiiRow") -> dict[str, object]:
    return {name: _rounded(value) for name, value in asdict(row).items()}


def _rounded(value: object) -> object:
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def _print(columns: tuple[str, ...], lines: list[dict[str, object]]) -> None:
    table(columns, [[line.get(name) for name in columns] for line in lines], empty="Nothing.")
