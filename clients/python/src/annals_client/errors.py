"""What a call may raise."""

from __future__ import annotations

from typing import Optional

from .types import Problem


class AnnalsError(Exception):
    """What all of them are."""


class AnnalsRefused(AnnalsError):
    """The service refused a request: what it said, as ``application/problem+json``.

    ``problem`` is None where something before the service answered, such as a proxy; ``retry_after_s`` is what
    ``Retry-After`` asks to wait, in seconds.
    """

    def __init__(self, status: int, problem: Optional[Problem], retry_after_s: Optional[float] = None) -> None:
        said = f"answered with {status}" if problem is None else f"{problem['code']}: {problem['detail']}"
        super().__init__(said)
        self.status = status
        self.problem = problem
        self.retry_after_s = retry_after_s


class AnnalsUnreachable(AnnalsError):
    """There was no answer for as long as the client is patient. ``__cause__`` is the last failure."""


class CallbackRefused(AnnalsError):
    """A callback that is not to be believed: its signature is wrong, or it is too old."""


class ConnectionLost(AnnalsError):
    """One attempt got no answer, or one that broke off."""


#: Statuses of a service, or of a proxy before it, that may answer in a while.
_PASSING = frozenset({408, 425, 429, 502, 503, 504})


def may_pass(error: AnnalsError) -> bool:
    """Whether the same request may be answered later."""
    if isinstance(error, AnnalsRefused):
        return error.status in _PASSING
    return isinstance(error, ConnectionLost)
