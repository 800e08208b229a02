"""What the load needs before it starts: clients, sessions, DPoP proofs and client assertions."""

import base64
import hashlib
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

APP = "com.example.wallet"
REDIRECT = "com.example.wallet:/callback"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def verifier_and_challenge():
    """PKCE (RFC 7636)."""
    verifier = secrets.token_urlsafe(48)
    return verifier, base64url(hashlib.sha256(verifier.encode()).digest())


def post(url, form, **headers):
    """The answer to a form, whatever its status, and its headers."""
    request = urllib.request.Request(url, data=urllib.parse.urlencode(form).encode(), headers=headers)
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    return json.load(answer), answer.headers


def nonce_of(url, form, key):
    """The server's present nonce, which every proof must carry; a request without it is refused and told."""
    return post(url, form, DPoP=key.proof(url))[1]["DPoP-Nonce"]


class Key:
    """A P-256 key that makes DPoP proofs (RFC 9449) and client assertions (RFC 7523)."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {
            "kty": "EC",
            "crv": "P-256",
            "x": base64url(numbers.x.to_bytes(32, "big")),
            "y": base64url(numbers.y.to_bytes(32, "big")),
        }

    def proof(self, url, nonce=None, method="POST", token=None):
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url, "iat": int(time.time())}
        if nonce:
            claims["nonce"] = nonce
        if token:
            claims["ath"] = base64url(hashlib.sha256(token.encode()).digest())
        return self.signed({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}, claims)

    def assertion(self, client, audience):
        """It authenticates the client once."""
        now = int(time.time())
        claims = {
            "iss": client, "sub": client, "aud": audience, "jti": secrets.token_urlsafe(16), "iat": now, "exp": now + 300
        }  # fmt: skip
        return self.signed({"alg": "ES256"}, claims)

    def signed(self, header, claims):
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        r, s = decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(SHA256())))
        return signed + "." + base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


class App:
    """A public client; with a key, its sessions are bound to it."""

    def __init__(self, issuer, key=None):
        self.issuer, self.key, self.nonce = issuer, key, None
        self.token_url = issuer + "/oauth2/token"

    def proof(self):
        return self.key.proof(self.token_url, self.nonce) if self.key else None

    def token(self, **form):
        answer = self.post(form)
        if answer.get("error") == "use_dpop_nonce":
            answer = self.post(form)
        return answer

    def post(self, form):
        headers = {"DPoP": self.proof()} if self.key else {}
        answer, fields = post(self.token_url, form, **headers)
        self.nonce = fields.get("DPoP-Nonce") or self.nonce
        return answer

    def sessions(self, count, person):
        """Refresh tokens of as many sessions: the first sign-in is by password, the browser makes the others silent."""
        return [self.sign_in(person)["refresh_token"] for _ in range(count)]

    def sign_in(self, person, client=APP, redirect=REDIRECT, scope="offline_access"):
        """The tokens of a new session."""
        verifier, challenge = verifier_and_challenge()
        query = {
            "response_type": "code", "client_id": client, "redirect_uri": redirect, "scope": scope,
            "state": secrets.token_urlsafe(16), "code_challenge": challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        callback = person.sign_in(f"{self.issuer}/oauth2/authorize?{urllib.parse.urlencode(query)}", redirect)
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(callback).query)["code"][0]
        answer = self.token(
            grant_type="authorization_code", code=code, redirect_uri=redirect, code_verifier=verifier, client_id=client
        )
        if "refresh_token" not in answer:
            raise SystemExit(f"no session: {answer}")
        return answer
