"""A stand-in for Apple's push service by Python's own HTTP server: the requests of Apple's, without HTTP/2.

Prints one line, `ready at URL`, then one line of JSON for each push. The first PUSH_HOLD pushes are never answered, and those to the token
PUSH_GONE are answered 410.
"""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

held = int(os.environ.get("PUSH_HOLD", "0"))
lock = threading.Lock()


class PushService(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global held
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with lock:
            is_held = held > 0
            held -= is_held
            names = ["apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"]
            told = {name: self.headers[name] for name in names}
            told |= {"token": self.path.removeprefix("/3/device/"), "body": body, "held": str(is_held)}
            print(json.dumps(told), flush=True)
        if is_held:
            threading.Event().wait()
        gone = told["token"] == os.environ.get("PUSH_GONE")
        reason = {"reason": "Unregistered", "timestamp": int(time.time() * 1000) + 60_000}
        answer = json.dumps(reason).encode() if gone else b""
        self.send_response(410 if gone else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), PushService)
print(f"ready at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
