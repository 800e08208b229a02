"""Stands between the wallets and one authorization server, passes everything on, counts refreshes and makes faults.

A journey is what begins with one authorization code: the test names it by that code and asks for a fault of this journey
alone, so that tests run at the same time against the same server. Its refresh tokens are known by the answers that carry them.

    POST /-/journey?code=C   {"expired": true}   the code's answer says `expires_in: 0`: the next command has to renew
                             {"fault": NAME}     a refresh is answered by this fault; null ends that
    GET  /-/journey?code=C   {"sent": refreshes of the wallet, "reached": refreshes that the server got,
                              "access_tokens": [...], "refresh_tokens": [...]}, all that the server has given out
    GET  /-/held?code=C      answers once a refresh is held
    POST /-/release?code=C   ends the holding: the answer is thrown away

Faults: `error` is 500, `limit` 429 and `portal` a network's own page with 200; these do not reach the server. `lost` lets the
server act and closes the connection, once. `held` lets the server act and keeps its answer until it is released, once.
"""

import http.client
import json
import threading
from urllib.parse import parse_qs, parse_qsl, urlsplit

from listener import Handler, Listener

PORTAL = b"<!doctype html><title>Free Wi-Fi</title><p>Accept the terms to go on."
HELD_AT_MOST = 240
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "content-length"}


class Journey:
    def __init__(self):
        self.expired, self.fault = False, None
        self.sent = self.reached = 0
        self.access_tokens, self.refresh_tokens = [], []
        self.held, self.released = threading.Event(), threading.Event()

    def learn(self, tokens):
        if "access_token" in tokens:
            self.access_tokens.append(tokens["access_token"])
        if "refresh_token" in tokens:
            self.refresh_tokens.append(tokens["refresh_token"])

    def told(self):
        return {name: getattr(self, name) for name in ("sent", "reached", "access_tokens", "refresh_tokens")}


class Proxy:
    """Listens on a free port from the beginning; `serve` begins to answer once the server's own port is known."""

    def __init__(self):
        self.lock, self.journeys = threading.Lock(), {}
        self.turn = threading.Lock()
        self.backend = 0
        proxy = self

        class Passing(Handler):
            def do(self):
                body = self.read_body()
                parts = urlsplit(self.path)
                if parts.path.startswith("/-/"):
                    proxy.control(self, parts.path[3:], parse_qs(parts.query)["code"][0], body)
                else:
                    proxy.pass_on(self, body)

            do_GET = do_POST = do_PUT = do_DELETE = do

        self.listener = Listener(Passing)
        self.url = f"http://127.0.0.1:{self.listener.server_port}"

    def serve(self, backend):
        self.backend = backend
        self.listener.serve_forever()

    def journey(self, code):
        with self.lock:
            return self.journeys.setdefault(code, Journey())

    def journey_of_refresh(self, token):
        with self.lock:
            return next((journey for journey in self.journeys.values() if token in journey.refresh_tokens), Journey())

    def control(self, handler, order, code, body):
        journey = self.journey(code)
        status, answer = 204, b""
        if order == "journey" and handler.command == "POST":
            for name, value in json.loads(body).items():
                setattr(journey, name, value)
        elif order == "journey":
            status, answer = 200, json.dumps(journey.told()).encode()
        elif order == "held":
            status = 204 if journey.held.wait(HELD_AT_MOST) else 504
        elif order == "release":
            journey.released.set()
        else:
            status = 404
        handler.answer(status, [("Content-Type", "application/json")], answer)

    def pass_on(self, handler, body):
        form = {}
        if handler.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
            form = dict(parse_qsl(body.decode("latin-1")))
        if form.get("grant_type") == "refresh_token":
            return self.refresh(handler, body, self.journey_of_refresh(form.get("refresh_token")))
        status, headers, answer = self.ask(handler, body)
        if form.get("grant_type") == "authorization_code" and status == 200:
            journey = self.journey(form.get("code"))
            tokens = json.loads(answer)
            journey.learn(tokens)
            if journey.expired:
                answer = json.dumps({**tokens, "expires_in": 0}).encode()
        handler.answer(status, headers, answer)

    def refresh(self, handler, body, journey):
        with self.lock:
            journey.sent += 1
            fault = journey.fault
            if fault in ("lost", "held"):
                journey.fault = None
        if fault == "error":
            return handler.answer(500, [("Content-Type", "text/plain")], b"Internal Server Error")
        if fault == "limit":
            return handler.answer(429, [("Content-Type", "text/plain")], b"Too Many Requests")
        if fault == "portal":
            return handler.answer(200, [("Content-Type", "text/html")], PORTAL)
        status, headers, answer = self.ask(handler, body)
        with self.lock:
            journey.reached += 1
            if status == 200:
                journey.learn(json.loads(answer))
        if fault == "lost":
            return
        if fault == "held":
            journey.held.set()
            journey.released.wait(HELD_AT_MOST)
            return
        handler.answer(status, headers, answer)

    def ask(self, handler, body):
        # One at a time: the server's own 500 at busy times, as glewlwyd's with SQLite, is no fault that a test asked for.
        with self.turn:
            return self.response(handler, body)

    def response(self, handler, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.backend, timeout=120)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in HOP_BY_HOP}
        # The Host stays the proxy's: that is where the server says it is.
        connection.request(handler.command, handler.path, body=body or None, headers=headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        kept = [(name, value) for name, value in response.getheaders() if name.lower() not in HOP_BY_HOP]
        return response.status, kept, answer
