"""Reads an event stream piece by piece: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

# A CR at the very end may still become CRLF. Not str.splitlines: it ends lines where event streams do not.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


class SseRecord(NamedTuple):
    id: str
    data: str


class SseParser:
    """Owns the record that is not complete yet."""

    def __init__(self) -> None:
        #: What the service asks to wait before the next connection, in seconds.
        self.retry_s: Optional[float] = None
        self._rest = ""
        self._id = ""
        self._data: list[str] = []

    def push(self, text: str) -> list[SseRecord]:
        """The records that are complete with this text."""
        *lines, self._rest = _LINE_END.split(self._rest + text)
        return [record for line in lines if (record := self._take(line)) is not None]

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
