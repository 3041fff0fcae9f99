"""Whether a callback is the service's (Standard Webhooks, https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import NamedTuple, Optional, Union, cast

from .errors import CallbackRefused
from .types import StreamEvent


class VerifiedCallback(NamedTuple):
    #: The same in every attempt and resend.
    id: str
    run: str
    #: 1, 2, 3 … within the run: what is not above the last one that was taken comes again.
    sequence: int
    event: StreamEvent


def verify_callback(
    secret: str,
    headers: Mapping[str, str],
    body: Union[bytes, str],
    *,
    tolerance_s: float = 300.0,
    now: Optional[float] = None,
) -> VerifiedCallback:
    """What a callback says, once its signature is found to be right. Raises CallbackRefused.

    ``secret`` is the key's ``webhook_secret``; ``body`` as it came, before it is parsed; ``now`` seconds since 1970.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = _header(named, "webhook-id"), _header(named, "webhook-timestamp")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise CallbackRefused("webhook-timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_s:
        raise CallbackRefused(f"it was sent more than {tolerance_s} s before or after now")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + raw
    mac = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    # Of several signatures (a secret that is being changed) one is enough.
    if not any(_is(mac, one) for one in _header(named, "webhook-signature").split(" ")):
        raise CallbackRefused("no signature is of this secret and this body")
    event = cast(StreamEvent, json.loads(raw))
    return VerifiedCallback(message_id, _header(named, "annals-run"), int(_header(named, "annals-sequence")), event)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret is not whsec_ and base64")
    return key


def _is(mac: bytes, signature: str) -> bool:
    version, _, text = signature.partition(",")
    expected = base64.b64encode(mac)
    return version == "v1" and hmac.compare_digest(expected, text.encode())


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if value == "":
        raise CallbackRefused(f"{name} is missing")
    return value
