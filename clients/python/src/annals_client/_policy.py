"""What both clients do alike, without a connection of their own: requests, refusals, and how long to try again."""

from __future__ import annotations

import json
import random
import time
import uuid
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Optional, cast
from urllib.parse import quote

import httpx

from .errors import AnnalsError, AnnalsRefused, AnnalsUnreachable, ConnectionLost, may_pass
from .types import StreamEvent, Problem, RunRequest

#: Each stream holds a connection for as long as it is followed: a bound, httpx's is 100, would hold up everything else.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)
JSON = {"accept": "application/json"}
_ENDS = frozenset({"agent_completed", "agent_error", "agent_cancelled"})
_NEVER_SENT = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 10.0


def is_end(event: StreamEvent) -> bool:
    """Whether it is the last event of its run."""
    return event["type"] in _ENDS


def session_of(run_id: str) -> str:
    """A run's id holds that of its session."""
    return run_id[len("run_") :].rpartition("_")[0]


def action_path(action_id: str) -> str:
    return f"/actions/{quote(action_id, safe='')}"


def actions_query(
    session: Optional[str], run: Optional[str], kind: Optional[str], status: Optional[str]
) -> dict[str, str]:
    named = {"session": session, "run": run, "kind": kind, "status": status}
    return {name: value for name, value in named.items() if value is not None}


def stream_headers(after: Optional[str]) -> dict[str, str]:
    resume = {} if after is None else {"last-event-id": after}
    return {"accept": "text/event-stream", **resume}


def start_call(request: RunRequest, session: Optional[str], idempotency_key: Optional[str]) -> dict[str, Any]:
    """What a start is asked with. Without a key one is made, so that a lost answer starts nothing twice."""
    return {
        "params": {} if session is None else {"session": session},
        "headers": {**JSON, "idempotency-key": idempotency_key or str(uuid.uuid4())},
        "json": {**request, "background": True},
    }


class Patience:
    """How long to try again.

    Owns the moment of the first failure since something last came, and the number of attempts since. What went before
    that failure does not count: a quiet stream, a caller that takes its time, a computer that slept.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._since: Optional[float] = None
        self.renew()

    def renew(self) -> None:
        """Something came: it begins anew."""
        self._attempts = 0
        self._since = None

    def wait_s(self, cause: Optional[AnnalsError], wished_s: Optional[float] = None) -> float:
        """How long to wait before the next attempt.

        Raises ``cause`` where it does not pass, and AnnalsUnreachable when patience is over.
        """
        if cause is not None and not may_pass(cause):
            raise cause
        asked = cause.retry_after_s if isinstance(cause, AnnalsRefused) else wished_s
        # 0, as caches put it into their errors, is no wait: nobody is to be asked a thousand times a second.
        wait_s = asked or self._backoff_s()
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if now + wait_s - self._since > self._patience_s:
            if isinstance(cause, AnnalsRefused):
                raise cause
            raise AnnalsUnreachable(f"no answer for {self._patience_s} s") from cause
        return wait_s

    def _backoff_s(self) -> float:
        """Doubles with each attempt; by chance up to half shorter, so that not all clients come back at once."""
        longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(self._attempts, 16))
        self._attempts += 1
        return longest * (1 - random.random() / 2)


def lost(error: httpx.HTTPError) -> AnnalsError:
    """As what a failed attempt is told. An address or a key that is none, or such, is the caller's to mend."""
    if not isinstance(error, httpx.TransportError) or isinstance(error, _NEVER_SENT):
        raise error
    failure = ConnectionLost(f"the connection was lost: {error!r}")
    failure.__cause__ = error
    return failure


def refusal(answer: httpx.Response) -> AnnalsRefused:
    """Of an answer that was read."""
    is_problem = answer.headers.get("content-type", "").startswith("application/problem+json")
    problem = cast(Problem, answer.json()) if is_problem else None
    return AnnalsRefused(answer.status_code, problem, _retry_after_s(answer.headers.get("retry-after")))


def value_of(answer: httpx.Response) -> Any:
    if not answer.is_success:
        raise refusal(answer)
    return json.loads(answer.text) if answer.content else None


def _retry_after_s(value: Optional[str]) -> Optional[float]:
    """Seconds or a date (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None
