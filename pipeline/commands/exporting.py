"""export: the files of a publication, into a folder."""

from pathlib import Path, PurePosixPath

from configs.errors import ConflictError, NotFoundError
from pipeline.commands.context import Actor, App, visible_run
from storage import publications
from storage.database import reading


def export(app: App, actor: Actor, run_id: str, folder: Path) -> list[Path]:
    """Write the files of the newest publication to a folder, each checked against its hash.

    Raises:
        NotFoundError: nothing is published (not retryable).
        ConflictError: the folder holds other files (not retryable).
    """
    with reading(app.database) as session:
        visible_run(session, actor, run_id)
        publication = publications.latest_publication(session, run_id)
    if publication is None:
        raise NotFoundError("Nothing of this run is published.")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConflictError("The folder is not empty; choose a new one.")
    paths = []
    for name in sorted(publication.files):
        path = folder / PurePosixPath(name).name
        path.write_bytes(app.store.read_published(publication.prefix, name))
        paths.append(path)
    return paths
