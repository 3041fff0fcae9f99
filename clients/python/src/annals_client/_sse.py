"""Reads an event stream piece by piece: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

# Not str.splitlines: it ends lines where event streams do not.
_LINE_END = re.compile(r"\r\n|\n|\r")


class SseRecord(NamedTuple):
    id: str
    data: str


class SseParser:
    """Owns the record that is not complete yet."""

    def __init__(self) -> None:
        #: What the service asks to wait before the next connection, in seconds.
        self.retry_s: Optional[float] = None
        #: Of a line that has not ended. Pieces are only looked at when they come: an event may be megabytes.
        self._rest: list[str] = []
        #: A CR at the very end, which may still become CRLF.
        self._held = ""
        self._id = ""
        self._data: list[str] = []

    def push(self, text: str) -> list[SseRecord]:
        """The records that are complete with this text."""
        piece = self._held + text
        self._held = "\r" if piece.endswith("\r") else ""
        *lines, begun = _LINE_END.split(piece[: len(piece) - len(self._held)])
        records = [record for line in lines if (record := self._take(self._whole(line))) is not None]
        self._rest.append(begun)
        return records

    def _whole(self, end: str) -> str:
        line = "".join((*self._rest, end))
        self._rest.clear()
        return line

    def _take(self, line: str) -> Optional[SseRecord]:
        if line == "":
            data, self._data = self._data, []
            return SseRecord(self._id, "\n".join(data)) if data else None
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry_s = int(value) / 1000
        return None
