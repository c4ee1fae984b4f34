"""The embedded object store: closed on every port, hard to kill, gone with its parent."""

import json
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import httpx
import psutil
import pytest

from configs.errors import AppError, StoreRefusedError
from storage import weed
from storage.artifacts import ArtifactRef, ArtifactStore
from storage.embedded_s3 import EmbeddedS3, known_config
from storage.refs import Area
from tests.waiting import wait_until

SECRET = b"personal data of a fictional person " * 100
HTTP_PORTS = ("s3", "filer", "master", "volume")
GRPC_PORTS = ("s3_grpc", "filer_grpc", "master_grpc", "volume_grpc")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def server(home: Path) -> Iterator[EmbeddedS3]:
    with EmbeddedS3(home, reclaim_every_s=0.5) as started:
        yield started


def store_of(server: EmbeddedS3) -> ArtifactStore:
    store = ArtifactStore(server.config)
    store.ensure_buckets()
    return store


def put(store: ArtifactStore, data: bytes = SECRET) -> ArtifactRef:
    return store.put_bytes("default", "run_1", "source", data, ext="bin", media_type="x/y")


def process(server: EmbeddedS3) -> psutil.Process:
    assert server.pid is not None
    return psutil.Process(server.pid)


# --- closed on every port


@pytest.fixture(scope="module")
def stored(s3_server: EmbeddedS3) -> tuple[ArtifactStore, ArtifactRef]:
    store = ArtifactStore(replace(s3_server.config, bucket_prefix="closed"))
    store.ensure_buckets()
    return store, put(store)


@pytest.fixture(scope="module")
def volume_file(s3_server: EmbeddedS3, stored: tuple[ArtifactStore, ArtifactRef]) -> str:
    """The id of the object's bytes inside the volume server, as an attacker might guess it."""
    ref = stored[1]
    path = f"/buckets/{ref.bucket}/{ref.key}.versions"
    script = f"fs.meta.cat {path}/v_{ref.version_id}\n"
    done = subprocess.run(
        [weed.find_weed(), "shell", f"-master={address(s3_server, 'master')}"],
        input=script,
        capture_output=True,
        text=True,
        cwd=s3_server._folder,  # with the server's own certificate
        check=True,
        timeout=60,
    )
    found = re.search(r'"fileId":\s*"([^"]+)"', done.stdout)
    assert found, done.stdout + done.stderr
    return found.group(1)


def address(server: EmbeddedS3, name: str) -> str:
    ports = asdict(server.ports)
    return f"127.0.0.1:{ports[name]}.{ports[f'{name}_grpc']}"


def paths(ref: ArtifactRef, volume_file: str) -> dict[str, list[str]]:
    """What a stranger would ask each server for."""
    return {
        "s3": [f"/{ref.bucket}/{ref.key}?versionId={ref.version_id}", f"/{ref.bucket}", "/"],
        "filer": [
            f"/buckets/{ref.bucket}/{ref.key}",
            f"/buckets/{ref.bucket}/{ref.key}.versions/v_{ref.version_id}",
            f"/buckets/{ref.bucket}/?recursive=true",
            "/buckets/?pretty=y",
            "/metrics",
        ],
        "master": [
            f"/col/delete?collection={ref.bucket}",
            f"/dir/lookup?volumeId={volume_file.partition(',')[0]}",
            f"/{volume_file}",
            f"/vol/status?collection={ref.bucket}",
            "/dir/assign",
        ],
        "volume": [f"/{volume_file}", "/status", "/ui/index.html"],
    }


def strangers_context(folder: Path, *, certificate: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if certificate:  # of another installation
        context.load_cert_chain(folder / "weed.crt", folder / "weed.key")
    return context


@pytest.fixture(scope="module")
def other_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return weed.prepare(tmp_path_factory.mktemp("other")).folder


@pytest.fixture(params=["plain", "tls", "tls with another's certificate"])
def stranger(request: pytest.FixtureRequest, other_folder: Path) -> Iterator[httpx.Client]:
    if request.param == "plain":
        base, context = "http", strangers_context(other_folder, certificate=False)
    else:
        base = "https"
        context = strangers_context(other_folder, certificate="certificate" in request.param)
    with httpx.Client(verify=context, base_url=f"{base}://127.0.0.1", trust_env=False) as client:
        yield client


def ask(client: httpx.Client, method: str, port: int, path: str) -> httpx.Response | None:
    """Return the answer, or None where the connection was refused on the way."""
    url = client.base_url.copy_with(port=port)
    headers = {"X-Forwarded-For": "127.0.0.1"}
    try:
        return client.request(
            method, f"{str(url).rstrip('/')}{path}", content=b"forged", headers=headers
        )
    except httpx.TransportError:
        return None


@pytest.mark.parametrize("name", HTTP_PORTS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE"])
def test_http_port_when_asked_without_credentials_then_it_refuses_everything(
    s3_server: EmbeddedS3,
    stored: tuple[ArtifactStore, ArtifactRef],
    volume_file: str,
    stranger: httpx.Client,
    name: str,
    method: str,
) -> None:
    store, ref = stored
    for path in paths(ref, volume_file)[name]:
        answer = ask(stranger, method, asdict(s3_server.ports)[name], path)
        if answer is not None:
            assert answer.status_code in (400, 401, 403, 404, 405), (path, answer.text)
            assert SECRET[:20] not in answer.content
            assert ref.key in path or ref.key not in answer.text
    assert store.read_bytes(ref) == SECRET


@pytest.mark.parametrize("name", ["filer", "master", "volume"])
def test_inner_port_when_asked_over_tls_without_the_servers_certificate_then_no_connection(
    s3_server: EmbeddedS3, other_folder: Path, name: str
) -> None:
    for certificate in (False, True):
        context = strangers_context(other_folder, certificate=certificate)
        with httpx.Client(verify=context, base_url="https://127.0.0.1") as client:
            assert ask(client, "GET", asdict(s3_server.ports)[name], "/") is None


@pytest.mark.parametrize("name", ["filer", "volume"])
def test_inner_port_when_asked_with_the_servers_certificate_then_a_token_is_needed_too(
    s3_server: EmbeddedS3,
    stored: tuple[ArtifactStore, ArtifactRef],
    volume_file: str,
    name: str,
) -> None:
    context = strangers_context(s3_server._folder, certificate=True)
    with httpx.Client(verify=context, base_url="https://127.0.0.1") as client:
        for path in paths(stored[1], volume_file)[name][:1]:
            for method in ("GET", "DELETE"):
                answer = ask(client, method, asdict(s3_server.ports)[name], path)
                assert answer is not None
                assert answer.status_code == 401
    assert stored[0].read_bytes(stored[1]) == SECRET


@pytest.mark.parametrize("name", GRPC_PORTS)
def test_grpc_port_when_spoken_to_without_tls_then_no_http2_answer(
    s3_server: EmbeddedS3, name: str
) -> None:
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    with socket.create_connection(("127.0.0.1", asdict(s3_server.ports)[name]), 10) as plain:
        plain.sendall(preface)
        try:
            answer = plain.recv(1024)
        except ConnectionResetError:
            answer = b""
    assert answer == b"" or answer[0] == 0x15  # closed, or a TLS alert; never a SETTINGS frame


@pytest.mark.parametrize("name", GRPC_PORTS)
@pytest.mark.parametrize("certificate", [False, True], ids=["none", "another's"])
def test_grpc_port_when_the_certificate_is_not_the_servers_then_refused(
    s3_server: EmbeddedS3, other_folder: Path, name: str, certificate: bool
) -> None:
    with pytest.raises(ssl.SSLError, match=r"alert|unknown ca"):
        first_bytes(strangers_context(other_folder, certificate=certificate), s3_server, name)


@pytest.mark.parametrize("name", GRPC_PORTS)
def test_grpc_port_when_the_certificate_is_the_servers_then_it_answers(
    s3_server: EmbeddedS3, name: str
) -> None:
    context = strangers_context(s3_server._folder, certificate=True)
    assert first_bytes(context, s3_server, name)[3] == 0x04  # a SETTINGS frame


def first_bytes(context: ssl.SSLContext, server: EmbeddedS3, name: str) -> bytes:
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection(("127.0.0.1", asdict(server.ports)[name]), 10) as plain,
        context.wrap_socket(plain) as secure,
    ):
        return secure.recv(1024)  # TLS 1.3 tells about the client's certificate only here


def test_shell_when_it_is_a_strangers_then_it_cannot_list_or_delete(
    s3_server: EmbeddedS3, stored: tuple[ArtifactStore, ArtifactRef], tmp_path: Path
) -> None:
    store, ref = stored
    with pytest.raises(subprocess.TimeoutExpired) as refused:  # it tries until it is stopped
        subprocess.run(
            [weed.find_weed(), "shell", f"-master={address(s3_server, 'master')}"],
            input=f"fs.ls /buckets\nfs.rm -rf /buckets/{ref.bucket}\n",
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"HOME": str(tmp_path)},
            check=False,
            timeout=5,
        )
    assert ref.bucket.encode() not in (refused.value.stdout or b"")
    assert store.read_bytes(ref) == SECRET


def test_sockets_when_listed_then_all_are_the_known_ports_on_loopback(
    s3_server: EmbeddedS3,
) -> None:
    listening = [
        c.laddr for c in process(s3_server).net_connections("inet") if c.status == "LISTEN"
    ]
    assert {address.ip for address in listening} == {"127.0.0.1"}
    assert sorted(address.port for address in listening) == sorted(asdict(s3_server.ports).values())


def test_sockets_when_in_the_file_system_then_only_the_owner_may_connect(
    s3_server: EmbeddedS3,
) -> None:
    names = {c.laddr for c in process(s3_server).net_connections("unix") if c.laddr}
    files = [s3_server._folder / str(name) for name in names]
    assert len(files) >= 2
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_files_when_made_then_only_the_owner_can_read_them(s3_server: EmbeddedS3) -> None:
    folder = s3_server._folder
    for name in ("config.json", "security.toml", "weed.key", "weed.log", "lock"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(folder.glob("ca.key"))


def test_command_line_when_seen_by_others_then_it_has_no_secret(s3_server: EmbeddedS3) -> None:
    line = " ".join(process(s3_server).cmdline())
    assert s3_server.config.secret_key not in line
    assert "-master.telemetry=false" in line
    log = (s3_server._folder / "weed.log").read_text()
    assert s3_server.config.secret_key not in log


# --- hard to kill


def test_server_when_killed_then_it_starts_again_and_nothing_acknowledged_is_lost(
    server: EmbeddedS3,
) -> None:
    store, first = store_of(server), server.pid
    refs: list[ArtifactRef] = []
    errors: list[AppError] = []
    stop = threading.Event()

    def put_on() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                refs.append(put(store, f"text {number}".encode()))
            except AppError as error:
                errors.append(error)

    thread = threading.Thread(target=put_on)
    thread.start()
    wait_until(lambda: len(refs) > 20)
    process(server).kill()
    wait_until(lambda: server.pid != first)
    count = len(refs)
    wait_until(lambda: len(refs) > count + 5)
    stop.set()
    thread.join()
    assert all(error.retryable for error in errors)
    assert {store.read_bytes(ref)[:5] for ref in refs} == {b"text "}


def test_server_when_stopped_then_it_is_gone_and_the_next_start_finds_everything(
    home: Path,
) -> None:
    with EmbeddedS3(home) as first:
        ref = put(store_of(first))
        old = process(first)
    assert not old.is_running()
    with EmbeddedS3(home) as second:
        assert second.config == first.config
        assert store_of(second).read_bytes(ref) == SECRET


def test_server_when_a_port_has_been_taken_then_it_moves(home: Path) -> None:
    with EmbeddedS3(home) as first:
        ref, ports = put(store_of(first)), first.ports
    with socket.create_server(("127.0.0.1", ports.s3)), EmbeddedS3(home) as second:
        assert second.ports.s3 != ports.s3
        assert store_of(second).read_bytes(ref) == SECRET
        assert known_config(home) == second.config


def test_server_when_the_program_is_missing_then_it_says_what_to_do(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(StoreRefusedError, match="KIKIGAKI_S3__ENDPOINT_URL"):
        EmbeddedS3(home).start()


# --- gone with its parent, shared by several

_OTHER = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from storage.artifacts import ArtifactStore
from storage.embedded_s3 import EmbeddedS3

server = EmbeddedS3(Path(sys.argv[1]))
store = ArtifactStore(server.start())
store.ensure_buckets()
ref = store.put_bytes("default", "run_1", "source", b"from another", ext="bin", media_type="x/y")
print(json.dumps({"weed": server.pid, "ref": asdict(ref)}), flush=True)
sys.stdin.read()
server.stop()
"""


class Other:
    """Another process of the installation."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OTHER, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        told = json.loads(self.process.stdout.readline())
        self.weed: int | None = told["weed"]
        self.ref = ArtifactRef(**told["ref"])

    def kill(self) -> None:
        self.process.kill()
        assert self.process.wait() == -signal.SIGKILL


@pytest.fixture
def start_other(home: Path) -> Iterator[Callable[[], Other]]:
    started: list[Other] = []

    def start() -> Other:
        started.append(Other(home))
        return started[-1]

    yield start
    for other in started:
        other.process.kill()
        other.process.communicate()


def test_server_when_its_parent_is_killed_then_it_is_gone_too(
    start_other: Callable[[], Other], home: Path
) -> None:
    other = start_other()
    assert other.weed is not None
    weed_process = psutil.Process(other.weed)
    other.kill()
    wait_until(lambda: not weed_process.is_running())
    with EmbeddedS3(home) as server:
        assert store_of(server).read_bytes(other.ref) == b"from another"


def test_server_when_another_process_runs_it_then_it_is_shared(
    server: EmbeddedS3, start_other: Callable[[], Other]
) -> None:
    other = start_other()
    assert other.weed is None
    assert store_of(server).read_bytes(other.ref) == b"from another"


def test_server_when_the_process_that_runs_it_is_killed_then_another_takes_over(
    start_other: Callable[[], Other], home: Path
) -> None:
    other = start_other()
    with EmbeddedS3(home) as server:
        assert server.pid is None
        store = ArtifactStore(server.config)
        other.kill()
        wait_until(lambda: server.pid is not None)
        wait_until(lambda: is_readable(store, other.ref))
        assert store.read_bytes(other.ref) == b"from another"


def is_readable(store: ArtifactStore, ref: ArtifactRef) -> bool:
    try:
        return store.exists(ref)
    except AppError:
        return False


# --- deleted means gone


def test_deleted_when_a_while_has_passed_then_the_bytes_are_not_on_the_disk(
    server: EmbeddedS3, home: Path
) -> None:
    store = store_of(server)
    stays = put(store, b"something that stays")
    ref = put(store)
    assert holds(home, SECRET)
    store.delete_all_versions(ref)
    wait_until(lambda: not holds(home, SECRET))
    assert store.read_bytes(stays) == b"something that stays"


def holds(home: Path, data: bytes) -> bool:
    for folder, _, names in os.walk(home):
        for name in names:
            path = Path(folder) / name
            try:
                if path.is_file() and data[:200] in path.read_bytes():
                    return True
            except FileNotFoundError:  # replaced while we look
                continue
    return False


def test_area_when_named_then_the_buckets_are_apart(s3_server: EmbeddedS3) -> None:
    store = ArtifactStore(s3_server.config)
    assert len({store.bucket(area) for area in Area}) == 3
