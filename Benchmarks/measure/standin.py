"""An identity provider that answers from memory, as a process of its own: what it computes, it computes before a round.

    standin.py FOLDER GUESTS

Prints its URL on one line. `POST /control` with JSON {"do": …} is for the measurement: `fill` makes the answers to the guests' codes and
gives the identity tokens that their phones would have got, `roll` takes a new signing key into use, `state` tells how often the keys
were fetched, and the last form. A guest's code is `guest-NUMBER-ANYTHING`. The client secret is not checked.
"""

import json
import os
import re
import select
import socket
import sys
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from client import base64url

TEAM, KEY_ID, CLIENT = "LOADTEAM01", "LOADKEY001", "com.example.loyalty"
KEY_FILE = f"AuthKey_{KEY_ID}.p8"
CODE = re.compile(rb"(?:^|&)code=guest-([0-9]+)-")
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *([0-9]+)")


def http(status, body):
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Provider:
    def __init__(self, folder, guests):
        self.guests, self.url, self.keys, self.fetches, self.last = guests, "", [], 0, b""
        self.refused = http("400 Bad Request", b'{"error":"invalid_grant"}')
        self.answers, self.key_set = [], b""
        developer = ec.generate_private_key(ec.SECP256R1())
        with open(os.path.join(folder, KEY_FILE), "wb") as file:
            file.write(
                developer.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
        self.roll()

    def roll(self):
        self.keys.append((f"key{len(self.keys)}", rsa.generate_private_key(65537, 2048)))
        published = []
        for name, key in self.keys[-2:]:
            numbers = key.public_key().public_numbers()
            published.append({
                "kty": "RSA", "kid": name, "use": "sig", "alg": "RS256", "n": base64url(numbers.n.to_bytes(256, "big")),
                "e": base64url(numbers.e.to_bytes(3, "big")),
            })  # fmt: skip
        self.key_set = http("200 OK", json.dumps({"keys": published}).encode())

    def token(self, guest):
        name, key = self.keys[-1]
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "exp": now + 86_400, "iat": now, "sub": f"000001.{guest:032x}.0001",
            "email": f"guest{guest}@privaterelay.example", "email_verified": "true", "is_private_email": "true",
            "auth_time": now, "nonce_supported": True,
        }  # fmt: skip
        signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": name}, claims))
        return signed + "." + base64url(key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))

    def fill(self):
        self.answers = []
        for guest in range(self.guests):
            answer = {
                "access_token": "a" * 64, "token_type": "Bearer", "expires_in": 3600, "refresh_token": f"r{guest:063d}",
                "id_token": self.token(guest),
            }  # fmt: skip
            self.answers.append(http("200 OK", json.dumps(answer).encode()))
        return {"tokens": [self.token(guest) for guest in range(self.guests)]}

    def control(self, body):
        what = json.loads(body)["do"]
        if what == "fill":
            return self.fill()
        if what == "roll":
            self.roll()
        return {"keyFetches": self.fetches, "lastForm": self.last.decode()}

    def answer(self, head, body):
        if head.startswith(b"POST /auth/token "):
            self.last = body
            code = CODE.search(body)
            guest = int(code[1]) if code else self.guests
            return self.answers[guest] if guest < len(self.answers) else self.refused
        if head.startswith(b"GET /auth/keys "):
            self.fetches += 1
            return self.key_set
        if head.startswith(b"POST /control "):
            return http("200 OK", json.dumps(self.control(body)).encode())
        return http("404 Not Found", b"{}")


class Connection:
    """A connection, and what came over it that is no whole request yet."""

    def __init__(self, accepted):
        self.socket, self.buffer = accepted, b""

    def answer(self, provider):
        """Answers what has come; whether the connection goes on."""
        try:
            data = self.socket.recv(65_536)
        except ConnectionError:
            return False
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            length = LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < whole:
                break
            body, self.buffer = self.buffer[end + 4 : whole], self.buffer[whole:]
            self.socket.sendall(provider.answer(head, body))
        return bool(data)


def main(folder, guests):
    provider = Provider(folder, guests)
    # A loop of its own: the least that a connection for each request can take in Python.
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener, select.epoll() as poll:
        provider.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        print(provider.url, flush=True)
        connections = {}
        poll.register(listener, select.EPOLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == listener.fileno():
                    accepted, _ = listener.accept()
                    connections[accepted.fileno()] = Connection(accepted)
                    poll.register(accepted, select.EPOLLIN)
                elif not connections[descriptor].answer(provider):
                    connections.pop(descriptor).socket.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
