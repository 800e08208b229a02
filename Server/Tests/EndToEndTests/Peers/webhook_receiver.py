"""A receiver of webhooks that is not ours: Python's own HTTP server, which verifies events with PyPI's `standardwebhooks`.

Prints one line, `ready at URL`, then one line of JSON for each post. The secret is the first line of the file RECEIVER_SECRET, read at
each post. The first RECEIVER_HOLD posts are never answered.
"""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

held = int(os.environ.get("RECEIVER_HOLD", "0"))
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global held
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(os.environ["RECEIVER_SECRET"], encoding="utf-8") as file:
            webhook = Webhook(file.readline().strip())
        try:
            event = webhook.verify(body, dict(self.headers.items()))
            verified = True
        except WebhookVerificationError:
            event = json.loads(body)
            verified = False
        with lock:
            is_held = held > 0
            held -= is_held
            told = {"id": self.headers["webhook-id"], "type": event["type"], "verified": str(verified)}
            told |= {"timestamp": self.headers["webhook-timestamp"], "signature": self.headers["webhook-signature"]}
            told |= {"body": body.decode(), "held": str(is_held)}
            print(json.dumps(told), flush=True)
        if is_held:
            threading.Event().wait()
        self.send_response(204 if verified else 401)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(f"ready at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
