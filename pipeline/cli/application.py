"""`demo`, `serve`, `web`, `worker`: the application's processes."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.console import JsonOption, UsageProblem, existing_file, say, show

HostOption = Annotated[str | None, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (demo, serve, web, worker):
        app.command()(command)


def demo(
    approve: Annotated[
        bool, typer.Option("--approve", help="Approve and publish it too, then stop.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(metavar="F", help="Your recording instead of the bundled one.")
    ] = None,
    host: HostOption = None,
    port: PortOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a recording to the review page, showing each step; --approve publishes it too."""
    from pipeline.cli import demonstration

    if as_json and not approve:
        raise UsageProblem("--json needs --approve: without it the demo runs until it is stopped.")
    recording = demonstration.bundled_recording() if file is None else existing_file(file)
    document = demonstration.run(recording, approve=approve, host=host, port=port)
    show(document, as_json, lambda: None)


def serve(host: HostOption = None, port: PortOption = None) -> None:
    """Run web, worker and the embedded stores until stopped (Ctrl-C)."""
    from pipeline.cli.processes import Service

    with Service(host=host, port=port) as service:
        say(f"Kikigaki is ready: {service.url}")
        service.wait()


def web(host: HostOption = None, port: PortOption = None) -> None:
    """Run the web process alone."""
    from pipeline.cli.processes import run_web

    run_web(host, port)


def worker(
    resources: Annotated[
        str | None, typer.Option(metavar="asr,redact,llm", help="Heavy work to take (all).")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Heavy steps of each kind at a time.")
    ] = None,
) -> None:
    """Run a worker process: it takes work until it is stopped."""
    from configs.settings import load_settings
    from pipeline.runtime import RESOURCES
    from pipeline.worker import run_worker

    chosen = None if resources is None else {name.strip() for name in resources.split(",")}
    if chosen is not None and (unknown := chosen - set(RESOURCES)):
        raise UsageProblem(
            f"There is no resource {', '.join(sorted(unknown))}; use {', '.join(RESOURCES)}."
        )
    settings = load_settings()
    if concurrency is not None:
        per_resource = settings.worker.model_copy(update=dict.fromkeys(RESOURCES, concurrency))
        settings = settings.model_copy(update={"worker": per_resource})
    run_worker(settings, chosen)
