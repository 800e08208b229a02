"""The network between app and server, for the demo: it passes everything on, can lose an answer, and keeps a copy.

The wallet knows the server by this address alone, as it would know one behind a reverse proxy. Losing an answer after
the server has acted, and reading along, are exactly what a bad network and a thief do; nothing in the wallet or the
server knows that it is being watched.
"""

import http.client
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection"}


class Exchange:
    """One request to the token endpoint and its answer."""

    def __init__(self, form, proof, status, answer):
        self.form, self.proof, self.status, self.answer = form, proof, status, answer


class Gateway(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificate=None):
        """`certificate` is the file of one for localhost, for TLS; its key is next to it."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, certificate + ".key")
            self.socket = context.wrap_socket(self.socket, server_side=True)
            self.url = f"https://localhost:{self.server_address[1]}"
        self.upstream = None
        self.exchanges = []
        # What an attacker in the middle does to a request's headers and body, while it is set.
        self.alter = None
        # The request that paid: its headers and its body.
        self.paid = None
        self.lose = 0
        self.lost = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def lose_next_token_answer(self):
        with self.lock:
            self.lose = 1

    def handle_error(self, request, client_address):
        """A connection that the client has dropped is nothing to print a traceback about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def forward(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        if self.server.alter is not None and body is not None:
            headers, body = self.server.alter(headers, body)
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.upstream, timeout=120)
        try:
            upstream.request(self.command, self.path, body=body, headers=headers)
            answer = upstream.getresponse()
            data = answer.read()
        except OSError:
            self.close_connection = True
            return
        finally:
            upstream.close()
        if self.path == "/transfers" and answer.status == 201 and b"scaDetails" in (body or b""):
            self.server.paid = (headers, body)
        if self.path == "/oauth2/token" and self.remember(body, answer.status, data):
            # The server has acted, and its answer is lost.
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP | {"content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def remember(self, body, status, data):
        """Keeps a copy; says whether this answer is the one to lose."""
        form = {name: values[0] for name, values in parse_qs((body or b"").decode("utf-8", "replace")).items()}
        gateway = self.server
        with gateway.lock:
            gateway.exchanges.append(Exchange(form, self.headers.get("DPoP"), status, data))
            # A demand for a nonce carries no tokens: losing it would show nothing.
            if status != 200 or gateway.lose == 0:
                return False
            gateway.lose -= 1
            gateway.lost += 1
            return True

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = forward
