"""What listens on a free port of the loopback address, for the proxy and the scripted server."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # many wallets come at once

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)


class Handler(BaseHTTPRequestHandler):
    """One request a connection, and no log of it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        self.close_connection = True
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, headers, body):
        """Answers with these headers alone, and what HTTP itself needs."""
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
