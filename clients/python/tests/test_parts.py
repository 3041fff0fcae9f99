"""What needs no service: `python -m unittest discover clients/python/tests`."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import http.server
import random
import socket
import threading
import time
import unittest
import unittest.mock
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Callable

import httpx
from annals_client import Annals, AnnalsRefused, AnnalsUnreachable, AsyncAnnals, CallbackRefused, RecordedEvent, verify_callback
from annals_client import _sse
from annals_client._policy import Patience, session_of
from annals_client._sse import SseParser, SseRecord
from annals_client.errors import ConnectionLost

SECRET = "whsec_" + base64.b64encode(b"\x07" * 32).decode()
BODY = '{"type":"agent_response","session":"ses_1","content":"6 × 7 = 42 🚀"}'
NOW = 1_700_000_000


def signed(body: str = BODY, secret: str = SECRET, at: int = NOW) -> dict[str, str]:
    key = base64.b64decode(secret[len("whsec_") :])
    mac = hmac.new(key, f"dlv_1.{at}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    ours = {"Annals-Run": "run_1", "annals-sequence": "3"}
    return {"Webhook-Id": "dlv_1", "webhook-timestamp": str(at), "webhook-signature": signature, **ours}


class Sse(unittest.TestCase):
    def test_reads_the_same_however_the_text_is_cut_and_whatever_ends_its_lines(self) -> None:
        seed = random.randrange(2**32)
        dice = random.Random(seed)
        for end in ("\n", "\r\n", "\r"):
            wanted = [SseRecord(str(n), "".join(dice.choices("a: \u2028\x85é🚀", k=9))) for n in range(20)]
            text = "".join(f": x{end}{end}id: {r.id}{end}data: {r.data}{end}{end}" for r in wanted) + ":\n"
            for _ in range(200):
                cuts = sorted(dice.choices(range(len(text)), k=3))
                parser = SseParser()
                pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
                self.assertEqual([r for piece in pieces for r in parser.push(piece)], wanted, f"seed {seed}")

    def test_looks_at_each_piece_once_however_long_a_line_is(self) -> None:
        pieces = ["x" * 100] * 200
        with unittest.mock.patch.object(_sse, "_LINE_END", unittest.mock.Mock(wraps=_sse._LINE_END)) as end:
            parser = SseParser()
            told = [record for piece in ("data: ", *pieces, "\n\n") for record in parser.push(piece)]
        self.assertEqual(told, [("", "".join(pieces))])
        self.assertLess(sum(len(call.args[0]) for call in end.split.call_args_list), 2 * 100 * 200)

    def test_tells_nothing_of_a_record_that_was_cut_and_notes_the_wait(self) -> None:
        parser = SseParser()
        self.assertEqual(parser.push("retry: 1500\nid: 1\ndata: whole\n\nid: 2\ndata: cut\n"), [("1", "whole")])
        self.assertEqual(parser.retry_s, 1.5)


class Callbacks(unittest.TestCase):
    def test_gives_what_was_signed(self) -> None:
        for body in (BODY, BODY.encode()):
            callback = verify_callback(SECRET, signed(), body, now=NOW)
            self.assertEqual((callback.id, callback.run, callback.sequence), ("dlv_1", "run_1", 3))
            self.assertEqual(callback.event["type"], "agent_response")

    def test_takes_any_of_several_signatures(self) -> None:
        headers = signed()
        headers["webhook-signature"] = f"v1a,x v1,é {headers['webhook-signature']}"
        self.assertEqual(verify_callback(SECRET, headers, BODY, now=NOW).sequence, 3)

    def test_refuses_what_is_changed_late_or_incomplete(self) -> None:
        other = "whsec_" + base64.b64encode(b"\x08" * 32).decode()
        for headers, body, now in (
            (signed(), BODY + " ", NOW),
            (signed(secret=other), BODY, NOW),
            ({**signed(), "Webhook-Id": "dlv_2"}, BODY, NOW),
            ({**signed(), "webhook-timestamp": str(NOW + 1)}, BODY, NOW),
            ({**signed(), "webhook-timestamp": "now"}, BODY, NOW),
            ({**signed(), "webhook-signature": ""}, BODY, NOW),
            (signed(), BODY, NOW + 301),
            (signed(), BODY, NOW - 301),
        ):
            with self.assertRaises(CallbackRefused):
                verify_callback(SECRET, headers, body, now=now)


def told(id: int, type: str) -> bytes:
    return f'id: {id}\ndata: {{"type": "{type}", "session": "ses_1"}}\n\n'.encode()


class Streams(unittest.TestCase):
    """Each connection is told of by a function, and cut then."""

    patience_s, longer_s = 0.3, 0.4

    def quiet(self) -> Iterator[bytes]:
        yield told(1, "agent_started")
        time.sleep(self.longer_s)

    def comments(self) -> Iterator[bytes]:
        time.sleep(self.longer_s)
        yield b":\n\n"

    def end(self) -> Iterator[bytes]:
        yield told(2, "agent_completed")

    def test_are_taken_up_after_a_quiet_that_was_longer_than_the_patience(self) -> None:
        cases = (([self.quiet, self.end], ["1", "2"]), ([self.comments, self.comments, self.end], ["2"]))
        for tellings, wanted in cases:
            left = iter(tellings)
            transport = httpx.MockTransport(lambda _: httpx.Response(200, content=next(left)()))
            with Annals("http://annals", "k", patience_s=self.patience_s) as annals:
                annals._http = httpx.Client(base_url="http://annals", transport=transport)
                self.assertEqual([event["id"] for event in annals.run("run_ses_1_1").events()], wanted)
            asyncio.run(self.taken_up_async(tellings, wanted))

    async def taken_up_async(self, tellings: list[Callable[[], Iterator[bytes]]], wanted: list[str]) -> None:
        async def pieces(told: Iterator[bytes]) -> AsyncIterator[bytes]:
            for piece in told:
                yield piece

        left = iter(tellings)
        transport = httpx.MockTransport(lambda _: httpx.Response(200, content=pieces(next(left)())))
        async with AsyncAnnals("http://annals", "k", patience_s=self.patience_s) as annals:
            annals._http = httpx.AsyncClient(base_url="http://annals", transport=transport)
            self.assertEqual([event["id"] async for event in annals.run("run_ses_1_1").events()], wanted)


class Quiet(http.server.BaseHTTPRequestHandler):
    """Streams tell of their beginning, and no more until `ended`."""

    ended = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        if not self.path.endswith("/events"):
            self.wfile.write(b"{}")
            return
        self.wfile.write(told(1, "agent_started"))
        self.ended.wait()

    def log_message(self, format: str, *args: object) -> None:
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    request_queue_size = 256


class ManyStreams(unittest.TestCase):
    streams = 120

    def test_do_not_hold_up_what_else_is_asked(self) -> None:
        server = QuietServer(("127.0.0.1", 0), Quiet)
        url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with Annals(url, "k", patience_s=1, quiet_s=5) as annals:
                run = annals.run("run_ses_1_1")
                streams = [run.events() for _ in range(self.streams)]
                self.assertEqual({next(stream)["id"] for stream in streams}, {"1"})
                self.assertEqual(run.get(), {})
                for stream in streams:
                    stream.close()
            asyncio.run(self.asked_async(url))
        finally:
            Quiet.ended.set()
            server.shutdown()
            thread.join()
            server.server_close()

    async def asked_async(self, url: str) -> None:
        async with AsyncAnnals(url, "k", patience_s=1, quiet_s=5) as annals:
            run = annals.run("run_ses_1_1")
            streams = [run.events() for _ in range(self.streams)]
            self.assertEqual({event["id"] for event in await asyncio.gather(*map(anext_of, streams))}, {"1"})
            self.assertEqual(await run.get(), {})
            for stream in streams:
                await stream.aclose()


async def anext_of(stream: AsyncGenerator[RecordedEvent, None]) -> RecordedEvent:
    return await stream.__anext__()


class Patient(unittest.TestCase):
    def test_waits_as_it_is_asked_to_and_not_for_what_does_not_pass(self) -> None:
        patience = Patience(60)
        self.assertEqual(patience.wait_s(AnnalsRefused(503, None, 7.0)), 7.0)
        self.assertGreater(patience.wait_s(AnnalsRefused(503, None, 0.0)), 0.1)
        with self.assertRaises(AnnalsRefused):
            patience.wait_s(AnnalsRefused(404, None))
        with self.assertRaises(AnnalsRefused):
            patience.wait_s(AnnalsRefused(429, None, 61.0))

    def test_does_not_wait_for_what_cannot_be_sent(self) -> None:
        # It has to be there: httpx looks at a key when it is connected.
        with socket.create_server(("127.0.0.1", 0)) as server:
            there = f"http://127.0.0.1:{server.getsockname()[1]}"
            for url, key, error in (
                ("localhost:3000", "k", httpx.UnsupportedProtocol),
                (there, "k\n", httpx.LocalProtocolError),
            ):
                with Annals(url, key, patience_s=0.3) as annals:
                    self.assertRaises(error, annals.run("run_ses_1_1").get)
                    self.assertRaises(error, next, annals.run("run_ses_1_1").events())

    def test_waits_longer_each_time_and_ends(self) -> None:
        waits = [Patience(60)] * 4
        seconds = [patience.wait_s(ConnectionLost("cut")) for patience in waits]
        for n, second in enumerate(seconds):
            self.assertTrue(0.125 * 2**n <= second <= 0.25 * 2**n, seconds)
        with self.assertRaises(AnnalsUnreachable):
            Patience(0.01).wait_s(ConnectionLost("cut"))

    def test_finds_the_session_of_a_run(self) -> None:
        self.assertEqual(session_of("run_ses_a1_b2"), "ses_a1")


if __name__ == "__main__":
    unittest.main()
