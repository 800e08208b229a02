"""The website of a partner that signs people in at the server: it takes logout tokens (OpenID Connect Back-Channel Logout 1.0)."""

import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from narrator import Failed
from programs import PATIENCE


class Website(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.callback, self.goodbye, self.back_channel = (f"{self.url}/{path}" for path in ("callback", "goodbye", "backchannel"))
        self.logout_tokens, self.said = [], threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def logout_token(self):
        """The first that arrives."""
        with self.said:
            if not self.said.wait_for(lambda: self.logout_tokens, PATIENCE):
                raise Failed("no logout token arrived at the partner's website")
            return self.logout_tokens[0]

    def stop(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A connection that the client has dropped is nothing to print a traceback about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())
        found = form.get("logout_token") if self.path == "/backchannel" else None
        if found:
            with self.server.said:
                self.server.logout_tokens.append(found[0])
                self.server.said.notify_all()
        self.send_response(200 if found else 400)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", "0")
        self.end_headers()
