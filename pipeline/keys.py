"""Where the installation's keys come from: secret values, or files made once."""

import base64
import binascii
import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from configs.clock import new_id, new_secret
from configs.errors import InputError, NotFoundError
from pipeline.provenance import PublicKey, SigningKey, public_pem

_PRIVATE = "signing.pem"
_PUBLIC = "signing.pub"
_MAX_KEY_BYTES = 16_384


def signing_key(home: Path, secret: str | None = None) -> SigningKey:
    """Return the installation's key pair; without a secret it is made in `home/keys` on first use.

    Several processes may call this at the same moment: one key wins and all return it.

    Args:
        home: the installation's folder.
        secret: the key as PKCS #8 PEM or as base64 of the 32-byte seed; overrides the file.

    Raises:
        InputError: secret or file is no Ed25519 private key (not retryable).
    """
    if secret:
        return _key_from_secret(secret)
    folder = home / "keys"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / _PRIVATE
    if not path.exists():
        _write_once(path, SigningKey.generate().private_pem())
    key = _key_from_pem(path.read_bytes(), str(path))
    _write_once(folder / _PUBLIC, public_pem(key.public), mode=0o644)
    return key


def trusted_key(home: Path, secret: str | None = None, key_file: Path | None = None) -> PublicKey:
    """Return the key that publications are checked against; never makes one.

    Args:
        home: the installation's folder, for its own key.
        secret: the installation's key where it comes from a secret.
        key_file: a public key in PEM form that is trusted instead.

    Raises:
        NotFoundError: no file was given and the installation has no key yet (not retryable).
        InputError: the file holds no Ed25519 public key (not retryable).
    """
    if key_file is not None:
        return read_public_key(key_file)
    if secret:
        return _key_from_secret(secret).public
    path = home / "keys" / _PRIVATE
    if path.exists():
        return _key_from_pem(path.read_bytes(), str(path)).public
    if (home / "keys" / _PUBLIC).exists():
        return read_public_key(home / "keys" / _PUBLIC)
    raise NotFoundError(
        f"There is no key in {home / 'keys'} to trust. Give the publisher's public key: --key FILE."
    )


def secret_key(home: Path, name: str, secret: str | None = None) -> bytes:
    """Return a symmetric secret; without one it is made in `home/keys/{name}` on first use.

    Raises:
        InputError: the file is empty (not retryable).
    """
    if secret:
        return secret.encode()
    folder = home / "keys"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_once(folder / name, new_secret().encode())
    key = (folder / name).read_bytes()
    if not key:
        raise InputError(f"{folder / name} is empty; remove it, and a new key is made.")
    return key


def read_public_key(path: Path) -> PublicKey:
    """Read an Ed25519 public key in PEM form.

    Raises:
        NotFoundError: there is no such file (not retryable).
        InputError: it holds something else, a private key included (not retryable).
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_KEY_BYTES)
        key = serialization.load_pem_public_key(data)
    except FileNotFoundError:
        raise NotFoundError(f"There is no key file {path}.") from None
    except (OSError, ValueError, UnsupportedAlgorithm):
        raise InputError(f"{path} is no public key in PEM form.") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(f"{path} is no Ed25519 key.")
    return key


def _key_from_secret(secret: str) -> SigningKey:
    text = secret.strip()
    if text.startswith("-----BEGIN"):
        return _key_from_pem(text.encode(), "the signing key's secret")
    try:
        return SigningKey(
            Ed25519PrivateKey.from_private_bytes(base64.b64decode(text, validate=True))
        )
    except (binascii.Error, ValueError):
        raise InputError(
            "The signing key's secret is neither PEM nor base64 of a 32-byte Ed25519 seed."
        ) from None


def _key_from_pem(data: bytes, where: str) -> SigningKey:
    try:
        key = serialization.load_pem_private_key(data, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        raise InputError(f"{where} holds no unencrypted private key in PEM form.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{where} holds no Ed25519 key.")
    return SigningKey(key)


def _write_once(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Create the file whole or leave the one that is there: a link never replaces."""
    if path.exists():
        return
    draft = path.with_name(f".{new_id('draft')}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass  # another process made it first; its key counts
    finally:
        draft.unlink()
