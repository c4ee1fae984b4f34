"""Tells a receiver of a publication: one signed POST to an address that is safe to call.

The receiver's host is resolved first, every address it has is judged, and the connection is made to
the judged address, so a name that resolves differently a moment later changes nothing. Redirects
are not followed and proxies of the environment are not used.

Headers follow Standard Webhooks: `webhook-id`, `webhook-timestamp` (Unix seconds) and
`webhook-signature: v1,{base64 of HMAC-SHA256 over "{id}.{timestamp}.{body}"}`, with the id repeated
as `Idempotency-Key`. A secret that begins with `whsec_` is base64, any other is used as it is.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from configs.clock import utc_now
from configs.errors import AppError, PolicyError, TransientError, WebhookRefusedError
from models.documents import canonical_json
from pipeline.addresses import Address, is_private, is_public

Resolver = Callable[[str, int], Awaitable[Sequence[Address]]]

_MAX_RESPONSE_BYTES = 64 * 1024
_MAX_RETRY_AFTER_S = 24 * 3600.0


@dataclass(frozen=True)
class WebhookPolicy:
    """What may be called, and how long it may take.

    With `allow_private` the receiver may be on this machine or in a private network, and there
    plain http is accepted; link-local and metadata addresses are refused all the same.
    """

    allow_private: bool = False
    connect_s: float = 5.0
    total_s: float = 30.0
    tls: ssl.SSLContext | None = None


@dataclass(frozen=True)
class Delivery:
    """The receiver accepted the call."""

    host: str
    status: int


def notify(
    url: str,
    secret: str,
    payload: Mapping[str, object],
    idempotency_key: str,
    policy: WebhookPolicy | None = None,
) -> Delivery:
    """Send one webhook and wait for its answer; see `deliver`. Not for use inside an event loop."""
    return asyncio.run(deliver(url, secret, payload, idempotency_key, policy or WebhookPolicy()))


async def system_resolver(host: str, port: int) -> Sequence[Address]:
    """Resolve a host name as the operating system does."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return [ipaddress.ip_address(text) for text in texts]


async def deliver(
    url: str,
    secret: str,
    payload: Mapping[str, object],
    idempotency_key: str,
    policy: WebhookPolicy,
    *,
    resolve: Resolver = system_resolver,
) -> Delivery:
    """Send one webhook and wait for its answer.

    Args:
        url: where to; https unless the policy allows private receivers.
        secret: the shared secret of the signature.
        payload: JSON-able; sent as canonical JSON, so a repeated call has the same body.
        idempotency_key: the same for every attempt of the same notification.
        policy: which addresses may be called, and time limits.
        resolve: how host names become addresses.

    Raises:
        TransientError: 408, 425, 429, 5xx, a time-out or no connection (retryable; `Retry-After` is
            in the details).
        WebhookRefusedError: any other answer than 2xx, redirects included (not retryable).
        PolicyError: the address may not be called (not retryable).
    """
    target = _target(url, policy)
    request = _signed(secret, payload, idempotency_key)
    try:
        async with asyncio.timeout(policy.total_s):
            addresses = _judged(target, await resolve(_host(target), _port(target)), policy)
            return await _post_to_first(target, addresses, request, policy)
    except TimeoutError:
        raise _no_answer(target, "timeout") from None
    except (OSError, UnicodeError) as error:  # the resolver's; a label can be too long for it
        raise _no_answer(target, type(error).__name__) from None


@dataclass(frozen=True)
class _Request:
    body: bytes
    headers: dict[str, str]


def _target(url: str, policy: WebhookPolicy) -> httpx.URL:
    try:
        target = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise PolicyError("The webhook's URL is malformed.") from None
    if target.scheme not in {"https", "http"} or not target.host:
        raise PolicyError("The webhook's URL must begin with https:// and name a host.")
    if target.scheme == "http" and not policy.allow_private:
        raise PolicyError("The webhook's URL must begin with https://.")
    if target.userinfo:
        raise PolicyError("The webhook's URL must not hold a user name or password.")
    return target


def _host(target: httpx.URL) -> str:
    return target.raw_host.decode()


def _port(target: httpx.URL) -> int:
    return target.port or (443 if target.scheme == "https" else 80)


def _signed(secret: str, payload: Mapping[str, object], key: str) -> _Request:
    if not secret:
        raise PolicyError("A webhook needs a secret to sign with.")
    body = canonical_json(dict(payload))
    timestamp = str(int(utc_now().timestamp()))
    headers = {
        "content-type": "application/json",
        "user-agent": "kikigaki",
        "idempotency-key": key,
        "webhook-id": key,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(secret, key, timestamp, body),
    }
    return _Request(body, headers)


def signature(secret: str, key: str, timestamp: str, body: bytes) -> str:
    """Return the value of `webhook-signature`.

    Source: Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks).
    """
    message = f"{key}.{timestamp}.".encode() + body
    digest = hmac.new(_secret_bytes(secret), message, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _secret_bytes(secret: str) -> bytes:
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            pass  # a secret that only looks like one; taken as it is
    return secret.encode()


def _judged(
    target: httpx.URL, addresses: Sequence[Address], policy: WebhookPolicy
) -> Sequence[Address]:
    """Return the addresses if *all* may be called: a mixed answer is an attack or an error."""
    if not addresses:
        raise _no_answer(target, "no address")
    for address in addresses:
        private = not is_public(address)
        if private and not (policy.allow_private and is_private(address)):
            raise PolicyError(
                "The webhook's host has an address that may not be called (private, link-local or "
                "a metadata service). Allow private receivers in the settings if it is yours.",
                {"host": target.host},
            )
        if target.scheme == "http" and not private:
            raise PolicyError("The webhook's URL must begin with https://.", {"host": target.host})
    return addresses


async def _post_to_first(
    target: httpx.URL, addresses: Sequence[Address], request: _Request, policy: WebhookPolicy
) -> Delivery:
    """Post to the first address that takes the connection; nothing was sent to one that did not."""
    limits = httpx.Timeout(policy.total_s, connect=policy.connect_s)
    tls: ssl.SSLContext | bool = policy.tls or True
    async with httpx.AsyncClient(verify=tls, timeout=limits, trust_env=False) as client:
        for address in addresses:
            try:
                return await _post(client, target, address, request)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
            except httpx.TransportError as error:
                raise _no_answer(target, type(error).__name__) from None
    raise _no_answer(target, "no connection")


async def _post(
    client: httpx.AsyncClient, target: httpx.URL, address: Address, request: _Request
) -> Delivery:
    async with client.stream(
        "POST",
        target.copy_with(host=str(address)),
        content=request.body,
        headers={**request.headers, "host": target.netloc.decode()},
        # the certificate is checked against the name, not the address
        extensions={"sni_hostname": _host(target)},
        follow_redirects=False,
    ) as response:
        if not response.is_success:
            raise _refusal(target, response)
        await _drain(response)
        return Delivery(target.host, response.status_code)


async def _drain(response: httpx.Response) -> None:
    """Read a little of the body, undecoded, so that a small answer ends cleanly; never all of it.

    What happens after the status has come changes nothing: the call was accepted.
    """
    received = 0
    try:
        async for chunk in response.aiter_raw():
            received += len(chunk)
            if received > _MAX_RESPONSE_BYTES:
                return
    except httpx.TransportError:
        return


def _refusal(target: httpx.URL, response: httpx.Response) -> AppError:
    status = response.status_code
    details: dict[str, object] = {"host": target.host, "status": status}
    if status in {408, 425, 429} or status >= 500:
        wait = _retry_after_s(response.headers.get("retry-after"))
        if wait is not None:
            details["retry_after_s"] = wait
        return TransientError(f"The webhook's receiver answered {status}.", details)
    return WebhookRefusedError(f"The webhook's receiver answered {status}.", details)


def _retry_after_s(value: str | None) -> float | None:
    if value is None:
        return None
    if value.strip().isdecimal():
        return min(float(value), _MAX_RETRY_AFTER_S)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return min(max(_seconds_until(moment), 0.0), _MAX_RETRY_AFTER_S)


def _seconds_until(moment: datetime) -> float:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - utc_now()).total_seconds()


def _no_answer(target: httpx.URL, reason: str) -> TransientError:
    return TransientError(
        "The webhook's receiver did not answer.", {"host": target.host, "reason": reason}
    )
