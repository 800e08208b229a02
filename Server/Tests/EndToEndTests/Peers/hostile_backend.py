"""A wallet's backend that means ill: whatever it says would steer the terminal of whoever reads it.

Prints one line, `ready at URL`, and answers GET of payees with a payee, and of anything else with a refusal.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Sets the title, clears the screen, begins the line anew, and once more by the one character of C1.
STEER = "\x1b]0;taken\x07\x1b[2J\r\n\x9b2J"


class Backend(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/payees":
            status, kind = 200, "application/json"
            body = {"payees": [{"name": f"Dune{STEER}Bakery", "account": f"DE02{STEER}"}]}
        else:
            status, kind = 409, "application/problem+json"
            body = {"status": status, "code": "odd", "title": f"Not{STEER}now", "detail": f"Ask{STEER}later"}
        content = json.dumps(body).encode()
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
