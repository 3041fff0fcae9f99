# Receives callbacks, checks their signatures, drops what it has already. Needs Python 3.8 or later and nothing else.
#   WEBHOOK_SECRET=whsec_… PORT=4000 python3 docs/examples/callback_receiver.py
import base64
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_AGE_S = 300
secret = os.environ.get("WEBHOOK_SECRET", "")
key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
if not key:
    raise SystemExit("WEBHOOK_SECRET must be whsec_ and base64")

# Of each run the highest annals-sequence that was taken. Keep it where you keep the events: it must outlive you.
taken = {}
lock = threading.Lock()


def is_genuine(headers, body):
    """Standard Webhooks: HMAC-SHA256 of id.timestamp.body; the header may hold several signatures."""
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > MAX_AGE_S:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), b"v1," + expected) for one in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        run = self.headers["annals-run"]
        sequence = int(self.headers["annals-sequence"])
        with lock:
            if sequence > taken.get(run, 0):
                taken[run] = sequence
                event = json.loads(body)
                print(f"{run} {sequence} {event['type']} {event.get('content') or ''}".rstrip(), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Requests are not logged one by one."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
