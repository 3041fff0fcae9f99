"""The same client for asyncio."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
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


class AsyncAnnals:
    """A service, as one key sees it. Close it, or use it in an ``async with``.

    While there is no answer it is tried again for ``patience_s``. A connection that says nothing for ``quiet_s`` is
    dead: on a stream the service sends a comment every 10 s.
    """

    def __init__(self, url: str, key: str, *, patience_s: float = 120.0, quiet_s: float = 30.0) -> None:
        headers = {"authorization": f"Bearer {key}"}
        self._http = httpx.AsyncClient(base_url=url, headers=headers, timeout=quiet_s, limits=LIMITS)
        self._patience_s = patience_s

    async def start(
        self, request: RunRequest, *, session: Optional[str] = None, idempotency_key: Optional[str] = None
    ) -> AsyncRunHandle:
        """Starts a run, which goes on whoever listens.

        Without ``session`` in a new one. The same ``idempotency_key`` and the same request are the same run; without one
        a key is made, so that a lost answer starts nothing twice. Raises AnnalsRefused, AnnalsUnreachable.
        """
        call = start_call(request, session, idempotency_key)
        accepted = cast(AcceptedRun, await self._json("POST", "/", **call))
        return AsyncRunHandle(self, accepted["run_id"], accepted["session"], accepted["task_ids"])

    def run(self, run_id: str) -> AsyncRunHandle:
        """A run that was started elsewhere or before. It is not asked whether it exists."""
        return AsyncRunHandle(self, run_id, session_of(run_id), [])

    def follow_session(self, session: str, *, after: Optional[str] = None) -> AsyncGenerator[RecordedEvent, None]:
        """The events of all of a session's runs, and of those to come."""
        return self._follow(f"/sessions/{quote(session, safe='')}/events", after, lambda _: False)

    async def actions(
        self,
        *,
        session: Optional[str] = None,
        run: Optional[str] = None,
        kind: Optional[Literal["approval", "tool", "budget", "tool_servers", "input"]] = None,
        status: Optional[Literal["open", "resolved", "expired", "cancelled"]] = None,
    ) -> AsyncGenerator[Action, None]:
        """What runs wait for, or have waited for, newest first, page by page."""
        query = actions_query(session, run, kind, status)
        while True:
            page = cast(ActionPage, await self._json("GET", "/actions", params=query))
            for action in page["items"]:
                yield action
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def action(self, action_id: str) -> Action:
        """An action by its id, as soon as its ``agent_action_required`` was shown."""
        return cast(Action, await self._json("GET", action_path(action_id)))

    async def resolve(self, action_id: str, decision: Decision) -> Action:
        """Decides on an action. The first decision holds: the same again changes nothing.

        Raises AnnalsRefused: 409 where another one was first, its time is over, or its run has ended; 422 where the
        decision does not fit what is asked.
        """
        return cast(Action, await self._json("POST", f"{action_path(action_id)}/resolve", json=decision))

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncAnnals:
        return self

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def _json(self, method: str, path: str, **more: Any) -> Any:
        """The answer's JSON, however often it has to be asked: only for requests that may be repeated."""
        patience = Patience(self._patience_s)
        while True:
            try:
                return value_of(await self._http.request(method, path, **{"headers": JSON, **more}))
            except httpx.HTTPError as error:
                failure = lost(error)
            except AnnalsError as error:
                failure = error
            await asyncio.sleep(patience.wait_s(failure))

    async def _follow(
        self, path: str, after: Optional[str], is_last: Callable[[StreamEvent], bool]
    ) -> AsyncGenerator[RecordedEvent, None]:
        """The events at ``path``, each once and in order, over lost connections and restarts of the service."""
        patience = Patience(self._patience_s)
        while True:
            parser = SseParser()
            failure: AnnalsError = ConnectionLost("the stream was cut")
            records = self._records(path, after, parser, patience)
            try:
                async for record in records:
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
                # Whoever breaks off leaves the connection now, not when memory is tidied.
                await records.aclose()
            await asyncio.sleep(patience.wait_s(failure, parser.retry_s))

    async def _records(
        self, path: str, after: Optional[str], parser: SseParser, patience: Patience
    ) -> AsyncGenerator[SseRecord, None]:
        async with self._http.stream("GET", path, headers=stream_headers(after)) as answer:
            if answer.status_code == 204:
                raise _NothingLeft
            if not answer.is_success:
                await answer.aread()
                raise refusal(answer)
            async for text in answer.aiter_text():
                # A comment, too, says that the service is there.
                patience.renew()
                for record in parser.push(text):
                    yield record


class _NothingLeft(Exception):
    """The service says that the stream has ended."""


class AsyncRunHandle:
    """One run. ``task_ids`` are the tasks that its ``schedules`` have made, in their order."""

    def __init__(self, annals: AsyncAnnals, run_id: str, session: str, task_ids: list[str]) -> None:
        self._annals = annals
        self._path = f"/runs/{quote(run_id, safe='')}"
        self.id = run_id
        self.session = session
        self.task_ids = task_ids

    def events(self, *, after: Optional[str] = None) -> AsyncGenerator[RecordedEvent, None]:
        """Its events, from the first or from after ``after`` (an event's id), to its end."""
        return self._annals._follow(f"{self._path}/events", after, is_end)

    async def get(self) -> Run:
        """What it is now."""
        return cast(Run, await self._annals._json("GET", self._path))

    async def wait(self) -> Run:
        """The run when it has ended, whatever its end."""
        patience = Patience(self._annals._patience_s)
        run = await self.get()
        while run["ended_at"] is None:
            async for _ in self.events(after=run["last_event_id"]):
                patience.renew()
            run = await self.get()
            # Another replica may say of the run what it was a moment ago.
            if run["ended_at"] is None:
                await asyncio.sleep(patience.wait_s(None))
        return run

    async def cancel(self) -> Run:
        """Ends it. Where it has ended, nothing happens."""
        return cast(Run, await self._annals._json("POST", f"{self._path}/cancel"))
