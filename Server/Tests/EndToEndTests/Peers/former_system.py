"""A system that people move in from: it checks passwords and answers about its refresh tokens, by Python's own HTTP server.

Prints one line, `ready at URL`, then one line of JSON for each request, except for questions whether it answers at all, whose number
depends on the time. A password says how the check of it goes wrong:

    hang      there is no answer
    drip      the answer never ends
    redirect  it is elsewhere
    large     it is longer than anyone wants to read
"""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote_plus

PEOPLE = {"Ada": ("correct horse battery", "7")}
TOKEN = "former-refresh-token"
CLIENT = ("wallet-server", "an introspection secret")


class FormerSystem(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/verify" or json.loads(body)["username"] != "walletauth-check":
            print(json.dumps({"path": self.path}), flush=True)
        if self.path == "/verify":
            self.verify(json.loads(body))
        elif self.path == "/introspect":
            self.introspect(parse_qs(body.decode()))
        else:
            self.answer({"verified": True, "subject": "7"})

    def do_GET(self):
        self.answer({}, 405)

    def verify(self, question):
        password, subject = PEOPLE.get(question["username"], (None, None))
        match question["password"]:
            case "hang":
                threading.Event().wait()
            case "drip":
                self.drip()
            case "redirect":
                self.send_response(307)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
            case "large":
                self.answer({"requestId": question["requestId"], "verified": True, "subject": "7", "more": "x" * (1 << 20)})
            case typed:
                answer = {"requestId": question["requestId"], "verified": typed == password}
                self.answer(answer | ({"subject": subject} if typed == password else {}))

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def client(self):
        """Form-encoded (RFC 6749 §2.3.1)."""
        scheme, _, pair = self.headers.get("Authorization", "").partition(" ")
        name, _, secret = base64.b64decode(pair).decode().partition(":") if scheme == "Basic" else ("", "", "")
        return unquote_plus(name), unquote_plus(secret)

    def introspect(self, form):
        if self.client() != CLIENT:
            return self.answer({"error": "invalid_client"}, 401)
        if form["token"] != [TOKEN]:
            return self.answer({"active": False})
        return self.answer({"active": True, "sub": "7", "client_id": "old-app", "typ": "Refresh"})

    def answer(self, content, status=200):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), FormerSystem)
print(f"ready at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
