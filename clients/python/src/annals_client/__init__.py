"""A client of Annals: start a run, stream its events over lost connections and restarts, verify callbacks."""

from ._async_client import AsyncAnnals, AsyncRunHandle
from ._client import Annals, RunHandle
from ._policy import is_end
from .callbacks import VerifiedCallback, verify_callback
from .errors import AnnalsError, AnnalsRefused, AnnalsUnreachable, CallbackRefused
from .types import Action, Decision, RecordedEvent, Run, RunRequest, StreamEvent

__all__ = [
    "Action",
    "Annals",
    "AnnalsError",
    "AnnalsRefused",
    "AnnalsUnreachable",
    "AsyncAnnals",
    "AsyncRunHandle",
    "CallbackRefused",
    "Decision",
    "RecordedEvent",
    "Run",
    "RunHandle",
    "RunRequest",
    "VerifiedCallback",
    "StreamEvent",
    "is_end",
    "verify_callback",
]
