"""A receiver of SMS that is not ours: Python's own HTTP server, which verifies what it is posted by itself.

Prints one line, `ready at URL`, then one line of JSON for each post. Posts to /webhook are signed after Standard Webhooks
with the secret in RECEIVER_SECRET; any other path is taken for Twilio's Messages API with the token RECEIVER_TOKEN. The
first RECEIVER_HOLD posts are never answered, and the next RECEIVER_FAIL are answered 503.
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

held = int(os.environ.get("RECEIVER_HOLD", "0"))
failing = int(os.environ.get("RECEIVER_FAIL", "0"))
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        global held, failing
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/webhook":
            post = self.webhook(body)
        else:
            post = self.twilio(body)
        with lock:
            if held > 0:
                held -= 1
                post["answer"] = None
            elif failing > 0:
                failing -= 1
                post["answer"] = 503
            else:
                post["answer"] = 204 if post["verified"] else 401
        print(json.dumps({name: str(value) for name, value in post.items()}), flush=True)
        if post["answer"] is None:
            threading.Event().wait()
        self.send_response(post["answer"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def webhook(self, body):
        secret = base64.b64decode(os.environ["RECEIVER_SECRET"].removeprefix("whsec_"))
        message = self.headers["webhook-id"]
        sent = self.headers["webhook-timestamp"]
        signed = f"{message}.{sent}.".encode() + body
        mac = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        offered = self.headers["webhook-signature"].split(" ")
        verified = any(hmac.compare_digest(f"v1,{mac}", one) for one in offered) and abs(time.time() - int(sent)) < 300
        data = json.loads(body)["data"]
        return {"id": message, "verified": verified, "to": data["to"], "text": data["text"], "kind": data["kind"]}

    def twilio(self, body):
        account = self.path.split("/")[3]
        wanted = base64.b64encode(f"{account}:{os.environ.get('RECEIVER_TOKEN', '')}".encode()).decode()
        fields = {name: values[0] for name, values in parse_qs(body.decode(), strict_parsing=True).items()}
        return {
            "id": self.headers["Idempotency-Key"],
            "verified": self.headers["Authorization"] == f"Basic {wanted}",
            "to": fields["To"],
            "text": fields["Body"],
            "kind": fields["From"],
        }

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(f"ready at http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
