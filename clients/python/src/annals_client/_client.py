"""The client that waits."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from types import TracebackType
from typing import Any, Callable, Literal, Optional, cast
from urllib.parse import quote

import httpx

from ._policy import JSON, LIMITS, Patience, action_path, actions_query, is_end, lost, refusal, session_of, start_call, stream_headers, value_of
from ._sse import SseParser, SseRecord
from .errors import AnnalsError, ConnectionLost
from .types import (
    AcceptedRun,
    Action,
    ActionPage,
    Decision,
    RecordedEvent,
    Run,
    RunRequest,
    StreamEvent,
)


class Annals:
    """A service, as one key sees it. Close it, or use it in a ``with``.

    While there is no answer it is tried again for ``patience_s``. A connection that says nothing for ``quiet_s`` is
    dead: on a stream the service sends a comment every 10 s.
    """

    def __init__(self, url: str, key: str, *, patience_s: float = 120.0, quiet_s: float = 30.0) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=quiet_s, limits=LIMITS)
        self._patience_s = patience_s

    def start(
        self, request: RunRequest, *, session: Optional[str] = None, idempotency_key: Optional[str] = None
    ) -> RunHandle:
        """Starts a run, which goes on whoever listens.

        Without ``session`` in a new one. The same ``idempotency_key`` and the same request are the same run; without one
        a key is made, so that a lost answer starts nothing twice. Raises AnnalsRefused, AnnalsUnreachable.
        """
        call = start_call(request, session, idempotency_key)
        accepted = cast(AcceptedRun, self._json("POST", "/", **call))
        return RunHandle(self, accepted["run_id"], accepted["session"], accepted["task_ids"])

    def run(self, run_id: str) -> RunHandle:
        """A run that was started elsewhere or before. It is not asked whether it exists."""
        return RunHandle(self, run_id, session_of(run_id), [])

    def follow_session(self, session: str, *, after: Optional[str] = None) -> Generator[RecordedEvent, None, None]:
        """The events of all of a session's runs, and of those to come."""
        return self._follow(f"/sessions/{quote(session, safe='')}/events", after, lambda _: False)

    def actions(
        self,
        *,
        session: Optional[str] = None,
        run: Optional[str] = None,
        kind: Optional[Literal["approval", "tool", "budget", "tool_servers", "input"]] = None,
        status: Optional[Literal["open", "resolved", "expired", "cancelled"]] = None,
    ) -> Generator[Action, None, None]:
        """What runs wait for, or have waited for, newest first, page by page."""
        query = actions_query(session, run, kind, status)
        while True:
            page = cast(ActionPage, self._json("GET", "/actions", params=query))
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def action(self, action_id: str) -> Action:
        """An action by its id, as soon as its ``agent_action_required`` was shown."""
        return cast(Action, self._json("GET", action_path(action_id)))

    def resolve(self, action_id: str, decision: Decision) -> Action:
        """Decides on an action. The first decision holds: the same again changes nothing.

        Raises AnnalsRefused: 409 where another one was first, its time is over, or its run has ended; 422 where the
        decision does not fit what is asked.
        """
        return cast(Action, self._json("POST", f"{action_path(action_id)}/resolve", json=decision))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Annals:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _json(self, method: str, path: str, **more: Any) -> Any:
        """The answer's JSON, however often it has to be asked: only for requests that may be repeated."""
        patience = Patience(self._patience_s)
        while True:
            try:
                return value_of(self._http.request(method, path, **{"headers": JSON, **more}))
            except httpx.HTTPError as error:
                failure = lost(error)
            except AnnalsError as error:
                failure = error
            time.sleep(patience.wait_s(failure))

    def _follow(
        self, path: str, after: Optional[str], is_last: Callable[[StreamEvent], bool]
    ) -> Generator[RecordedEvent, None, None]:
        """The events at ``path``, each once and in order, over lost connections and restarts of the service."""
        patience = Patience(self._patience_s)
        while True:
            parser = SseParser()
            failure: AnnalsError = ConnectionLost("the stream was cut")
            records = self._records(path, after, parser, patience)
            try:
                for record in records:
                    event = cast(StreamEvent, json.loads(record.data))
                    after = record.id
                    yield {"id": record.id, "data": event}
                    if is_last(event):
                        return
            except _NothingLeft:
                return
            except httpx.HTTPError as error:
                failure = lost(error)
            except AnnalsError as error:
                failure = error
            finally:
                records.close()
            time.sleep(patience.wait_s(failure, parser.retry_s))

    def _records(
        self, path: str, after: Optional[str], parser: SseParser, patience: Patience
    ) -> Generator[SseRecord, None, None]:
        with self._http.stream("GET", path, headers=stream_headers(after)) as answer:
            if answer.status_code == 204:
                raise _NothingLeft
            if not answer.is_success:
                answer.read()
                raise refusal(answer)
            for text in answer.iter_text():
                # A comment, too, says that the service is there.
                patience.renew()
                yield from parser.push(text)


class _NothingLeft(Exception):
    """The service says that the stream has ended."""


class RunHandle:
    """One run. ``task_ids`` are the tasks that its ``schedules`` have made, in their order."""

    def __init__(self, annals: Annals, run_id: str, session: str, task_ids: list[str]) -> None:
        self._annals = annals
        self._path = f"/runs/{quote(run_id, safe='')}"
        self.id = run_id
        self.session = session
        self.task_ids = task_ids

    def events(self, *, after: Optional[str] = None) -> Generator[RecordedEvent, None, None]:
        """Its events, from the first or from after ``after`` (an event's id), to its end."""
        return self._annals._follow(f"{self._path}/events", after, is_end)

    def get(self) -> Run:
        """What it is now."""
        return cast(Run, self._annals._json("GET", self._path))

    def wait(self) -> Run:
        """The run when it has ended, whatever its end."""
        patience = Patience(self._annals._patience_s)
        run = self.get()
        while run["ended_at"] is None:
            for _ in self.events(after=run["last_event_id"]):
                patience.renew()
            run = self.get()
            # Another replica may say of the run what it was a moment ago.
            if run["ended_at"] is None:
                time.sleep(patience.wait_s(None))
        return run

    def cancel(self) -> Run:
        """Ends it. Where it has ended, nothing happens."""
        return cast(Run, self._annals._json("POST", f"{self._path}/cancel"))
