from pathlib import Path

from storage.database import create_database


def test_database_file_when_made_then_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "home" / "kikigaki.sqlite"
    with create_database(f"sqlite:///{path}").begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (a)")
    assert {p.stat().st_mode & 0o077 for p in (path.parent, *path.parent.iterdir())} == {0}
