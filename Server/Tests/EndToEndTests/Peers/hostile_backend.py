"""A wallet's backend that means ill: whatever it says would steer the reader's terminal.

Prints one line, `ready at URL`. It answers GET of payees with a payee, of `/raw` with that text itself, and of anything else
with a refusal; POST with ways to agree.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Sets the title, clears the screen, returns to the start of the line, and once more by the one character of C1.
STEER = "\x1b]0;taken\x07\x1b[2J\r\n\x9b2J"


# Hides whatever is written after it, and turns it around.
HIDE = "\x1b[8m\x9b8m\u202e"


class Backend(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/raw":
            self.answer(200, "text/plain; charset=utf-8", f"one{STEER}two".encode())
            return
        if self.path == "/payees":
            status, kind = 200, "application/json"
            body = {"payees": [{"name": f"Dune{STEER}Bakery", "account": f"DE02{STEER}"}]}
        else:
            status, kind = 409, "application/problem+json"
            body = {"status": status, "code": "odd", "title": f"Not{STEER}now", "detail": f"Ask{STEER}later"}
        self.answer(status, kind, json.dumps(body).encode())

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        ways = [
            {"method": "OTP", "channel": channel, "destination": f"you agree to pay 1.00 EUR{HIDE}"}
            for channel in ("EMAIL", "SMS")
        ]
        body = {
            "status": 403, "code": "sca_required", "title": f"Agree{STEER}", "availableVerifications": ways,
            "eventId": "5b1d1c2e-6a0e-4d0c-9f0b-3f5a3f0e9d11", "walletOperationId": "op-1",
        }
        self.answer(403, "application/problem+json", json.dumps(body).encode())

    def answer(self, status, kind, content):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
print(f"ready at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
