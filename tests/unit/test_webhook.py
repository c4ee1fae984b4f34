"""Webhooks: signed, idempotent, and never a way into the private network."""

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import socket
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from configs.errors import AppError, PolicyError, TransientError, WebhookRefusedError
from pipeline.addresses import Address
from pipeline.webhook import WebhookPolicy, deliver, notify, signature
from tests.receivers import Receiver, receiving

LOCAL = WebhookPolicy(allow_private=True)
SECRET = "kikigaki-test-secret"
PAYLOAD = {"run": "run_1", "title": "週次"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as running:
        yield running


def resolving_to(*addresses: str) -> "FixedResolver":
    return FixedResolver([ipaddress.ip_address(a) for a in addresses])


class FixedResolver:
    def __init__(self, addresses: Sequence[Address]) -> None:
        self.addresses = addresses
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append(f"{host}:{port}")
        return self.addresses


def call(url: str, policy: WebhookPolicy, *addresses: str) -> None:
    asyncio.run(deliver(url, SECRET, PAYLOAD, "key-1", policy, resolve=resolving_to(*addresses)))


def test_notify_when_receiver_accepts_then_delivered_once(receiver: Receiver) -> None:
    delivery = notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert (delivery.host, delivery.status) == ("127.0.0.1", 200)
    assert len(receiver.received) == 1
    assert receiver.received[0].body == '{"run":"run_1","title":"週次"}'.encode()


def test_notify_when_sent_then_signature_covers_id_time_and_body(receiver: Receiver) -> None:
    notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    request = receiver.received[0]
    message = f"key-1.{request.headers['webhook-timestamp']}.".encode() + request.body
    expected = hmac.new(SECRET.encode(), message, hashlib.sha256).digest()
    assert request.headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"
    assert request.headers["idempotency-key"] == request.headers["webhook-id"] == "key-1"


def test_signature_when_computed_then_equals_the_specifications_example() -> None:
    # Source: the test vector of the Standard Webhooks reference libraries
    assert (
        signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            b'{"test": 2432232314}',
        )
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_notify_when_secret_is_empty_then_refused_before_anything_is_sent(
    receiver: Receiver,
) -> None:
    with pytest.raises(PolicyError):
        notify(receiver.url, "", PAYLOAD, "key-1", LOCAL)
    assert receiver.received == []


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503])
def test_notify_when_receiver_is_busy_then_transient(receiver: Receiver, status: int) -> None:
    receiver.status = status
    with pytest.raises(TransientError):
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
def test_notify_when_receiver_refuses_then_not_retryable(receiver: Receiver, status: int) -> None:
    receiver.status = status
    receiver.body = b"the receiver's text is not repeated"
    with pytest.raises(WebhookRefusedError) as refused:
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert refused.value.retryable is False
    assert "repeated" not in str(refused.value.body())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_notify_when_redirected_then_not_followed(receiver: Receiver, status: int) -> None:
    receiver.status = status
    receiver.headers = {"location": receiver.url}
    with pytest.raises(WebhookRefusedError):
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert len(receiver.received) == 1


def test_notify_when_told_to_wait_seconds_then_error_carries_them(receiver: Receiver) -> None:
    receiver.status, receiver.headers = 429, {"retry-after": "90"}
    with pytest.raises(TransientError) as busy:
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert busy.value.retry_after_s == 90


def test_notify_when_told_to_wait_until_a_date_then_error_carries_seconds(
    receiver: Receiver,
) -> None:
    moment = datetime.now(UTC) + timedelta(minutes=10)
    receiver.status, receiver.headers = 503, {"retry-after": format_datetime(moment, usegmt=True)}
    with pytest.raises(TransientError) as busy:
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert busy.value.retry_after_s is not None
    assert 0 < busy.value.retry_after_s <= 600


@pytest.mark.parametrize("value", ["soon", "-5", "", "Mon, 99 Nov 2026"])
def test_notify_when_retry_after_is_malformed_then_ignored(receiver: Receiver, value: str) -> None:
    receiver.status, receiver.headers = 503, {"retry-after": value}
    with pytest.raises(TransientError) as busy:
        notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL)
    assert busy.value.retry_after_s is None


def test_notify_when_receiver_never_answers_then_transient(receiver: Receiver) -> None:
    receiver.silent = True
    with pytest.raises(TransientError):
        notify(
            receiver.url, SECRET, PAYLOAD, "key-1", WebhookPolicy(allow_private=True, total_s=0.3)
        )


def test_notify_when_nobody_listens_then_transient() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(TransientError):
            notify(url, SECRET, PAYLOAD, "key-1", LOCAL)


@pytest.mark.parametrize("host", ["receiver.invalid", f"{'a' * 70}.invalid"])
def test_notify_when_name_cannot_be_resolved_then_transient(host: str) -> None:
    with pytest.raises(TransientError):
        notify(f"https://{host}/", SECRET, PAYLOAD, "key-1")


def test_notify_when_answer_is_large_then_delivered_without_reading_it_all(
    receiver: Receiver,
) -> None:
    receiver.body = b"x" * (16 * 1024 * 1024)
    assert notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL).status == 200


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254",
        "0.0.0.0", "255.255.255.255", "224.0.0.1", "168.63.129.16", "192.0.0.192",  # noqa: S104
        "100.100.100.200", "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_deliver_when_address_is_not_public_then_refused(address: str) -> None:
    with pytest.raises(PolicyError):
        call("https://receiver.example/", WebhookPolicy(), address)


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "0.0.0.0", "0.1.2.3", "224.0.0.1",  # noqa: S104
     "fe80::1", "fd00:ec2::254", "100.100.100.200", "::ffff:169.254.169.254", "::",
     "64:ff9b::a9fe:a9fe"],
)  # fmt: skip
def test_deliver_when_private_is_allowed_then_metadata_and_link_local_are_still_refused(
    address: str,
) -> None:
    with pytest.raises(PolicyError):
        call("https://receiver.example/", LOCAL, address)


@pytest.mark.parametrize(
    "url",
    ["http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://[::1]/", "http://0/",
     "https://localhost/", "https://127.0.0.1/", "https://[::ffff:127.0.0.1]/"],
)  # fmt: skip
def test_notify_when_url_disguises_a_local_address_then_refused(url: str) -> None:
    with pytest.raises(AppError) as refused:
        notify(url, SECRET, PAYLOAD, "key-1")
    assert isinstance(refused.value, PolicyError)


def test_deliver_when_one_of_several_addresses_is_private_then_refused() -> None:
    with pytest.raises(PolicyError):
        call("https://receiver.example/", WebhookPolicy(), "93.184.215.14", "10.0.0.1")


@pytest.mark.parametrize(
    "url",
    ["ftp://receiver.example/", "file:///etc/passwd", "receiver.example", "https://", "http://[",
     "https://user:password@receiver.example/", "http://receiver.example/"],
)  # fmt: skip
def test_deliver_when_url_is_not_plain_https_then_refused(url: str) -> None:
    with pytest.raises(PolicyError) as refused:
        call(url, WebhookPolicy(), "93.184.215.14")
    assert "password@" not in refused.value.message


def test_deliver_when_private_is_allowed_then_http_to_a_public_address_is_still_refused() -> None:
    with pytest.raises(PolicyError):
        call("http://receiver.example/", LOCAL, "93.184.215.14")


def test_deliver_when_name_is_resolved_then_asked_once_and_that_address_is_called(
    receiver: Receiver,
) -> None:
    resolver = resolving_to("127.0.0.1")
    url = f"http://receiver.example:{receiver.port}/hook?a=1"
    asyncio.run(deliver(url, SECRET, PAYLOAD, "key-1", LOCAL, resolve=resolver))
    assert resolver.asked == [f"receiver.example:{receiver.port}"]
    assert receiver.received[0].headers["host"] == f"receiver.example:{receiver.port}"
    assert receiver.received[0].path == "/hook?a=1"


def test_deliver_when_first_address_takes_no_connection_then_next_is_called(
    receiver: Receiver,
) -> None:
    call(f"http://receiver.example:{receiver.port}/", LOCAL, "127.0.0.2", "127.0.0.1")
    assert len(receiver.received) == 1


def test_notify_when_environment_names_a_proxy_then_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert notify(receiver.url, SECRET, PAYLOAD, "key-1", LOCAL).status == 200


def server_certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return a server's context with a self-signed certificate, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(certificate.public_bytes(encoding))
    (folder / "key.pem").write_bytes(
        key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return server, ssl.create_default_context(cafile=str(folder / "cert.pem"))


def test_deliver_when_https_then_certificate_is_checked_against_the_name(tmp_path: Path) -> None:
    server, client = server_certificate(tmp_path, "receiver.example")
    policy = WebhookPolicy(allow_private=True, tls=client)
    with receiving(Receiver(), server) as receiver:
        call(f"https://receiver.example:{receiver.port}/", policy, "127.0.0.1")
        with pytest.raises(TransientError):
            call(f"https://other.example:{receiver.port}/", policy, "127.0.0.1")
    assert len(receiver.received) == 1
