"""A standard authorization server, to the letter of OAuth 2.0 and OpenID Connect, but for one oddity that is asked for.

Each oddity is an issuer of its own, `http://127.0.0.1:PORT/ODDITY`, or `/ODDITY.LABEL` where several tests want the same one.
Its person is signed in there already, so the authorization endpoint answers at once. Refresh tokens are for one use; a spent
one is `invalid_grant` and ends what it belongs to.

    POST ISSUER/control   {"expired": true}  the first token says `expires_in: 0`: the next command has to renew
                          {"mended": true}   from now on there is no oddity
                          {"ahead": 61}      its answers are dated so many seconds later
    GET  ISSUER/control   what happened: see `Issuer.told`

Every oddity is a function below, found by its name in ODDITIES.
"""

import base64
import hashlib
import http.client
import json
import secrets
import threading
import time
from email.utils import formatdate
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey
from listener import Handler, Listener

http.client._MAXLINE = 1 << 20  # a header with a token of 64 KiB
KIB = 1024
SLOW_AFTER = 22
BROKEN = 0  # no answer: the connection breaks
HTML = "<!doctype html><title>Welcome</title><p>Nothing of OAuth."
KEY = ECKey.generate_key("P-256", {"kid": "first", "use": "sig", "alg": "ES256"}, private=True)


class Answer:
    """A status, a body (text, or what becomes JSON) and headers. No body at all where it is None."""

    def __init__(self, status, body=None, **headers):
        self.status, self.headers = status, {name.replace("_", "-"): value for name, value in headers.items()}
        if body is None or isinstance(body, str):
            self.body = (body or "").encode()
            if body is not None:
                self.headers.setdefault("Content-Type", "text/html" if body.startswith("<") else "application/json")
        else:
            self.body = json.dumps(body).encode()
            self.headers.setdefault("Content-Type", "application/json")


def error(code, status=400, **more):
    return Answer(status, {"error": code, "error_description": "so says the server: " + code.replace("_", "-"), **more})


class Grant:
    def __init__(self, request):
        self.request, self.over = request, False
        self.refresh_tokens, self.access_tokens = [], []


class Issuer:
    def __init__(self, url, oddity):
        self.url, self.oddity = url, ODDITIES[oddity]
        self.expired = self.mended = False
        self.codes, self.grants, self.revoked, self.served, self.pages = {}, [], [], [], []
        self.refreshes = self.spent = self.redirected = self.revocations = self.ahead = 0
        self.changed = threading.Condition()

    def odd(self, hook, *arguments):
        """What the oddity has to say here; None where it says nothing."""
        found = None if self.mended else self.oddity.get(hook)
        return found(self, *arguments) if callable(found) else found

    def told(self):
        return {
            "refreshes": self.refreshes,
            "spent": self.spent,  # how often a refresh token came a second time
            "redirected": self.redirected,  # how often a redirect was followed
            "revoked": len(self.revoked),
            "revocations": self.revocations,  # how often a revocation was asked for
            "foreign": sum(token.startswith("foreign") for token in self.served),
            "alive": sum(not grant.over for grant in self.grants),
            "prompts": [page.get("prompt", "") for page in self.pages],
        }

    def metadata(self):
        document = {
            "issuer": self.url,
            "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token",
            "userinfo_endpoint": self.url + "/userinfo",
            "jwks_uri": self.url + "/keys",
            "revocation_endpoint": self.url + "/revoke",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "scopes_supported": ["openid", "offline_access"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
        }
        document.update(self.odd("metadata") or {})
        return {name: value for name, value in document.items() if value is not None}

    def authorize(self, query):
        self.pages.append(query)
        refused = self.odd("authorize", query)
        if isinstance(refused, str):
            return self.back(query, {"error": refused, "error_description": "so says the server: " + refused})
        if query.get("code_challenge_method") != "S256" or not query["redirect_uri"].startswith("http://127.0.0.1:"):
            return self.back(query, {"error": "invalid_request"})
        code = self.odd("code") or secrets.token_urlsafe(16)
        self.codes[code] = query
        return self.back(query, {"code": code})

    @staticmethod
    def back(query, fields):
        fields = urlencode({**fields, "state": query.get("state", "")}, quote_via=quote)
        return Answer(302, Location=query["redirect_uri"] + "?" + fields)

    def token(self, form):
        if form.get("grant_type") == "authorization_code":
            return self.redeem(form)
        if form.get("grant_type") == "refresh_token":
            return self.refresh(form)
        return error("unsupported_grant_type")

    def redeem(self, form):
        odd = self.odd("redeem")
        if odd is not None:
            return odd
        request = self.codes.pop(form.get("code"), None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode()
        if (
            request is None
            or request["code_challenge"] != proof.rstrip("=")
            or request["redirect_uri"] != form.get("redirect_uri")
            or request["client_id"] != form.get("client_id")
        ):
            return error("invalid_grant")
        grant = Grant(request)
        self.grants.append(grant)
        tokens = self.tokens(grant, request.get("nonce"))
        if self.expired:
            tokens["expires_in"] = 0
        return self.answered(tokens, "first")

    def refresh(self, form):
        with self.changed:
            self.refreshes += 1
            self.changed.notify_all()
        odd = self.odd("refresh")
        if odd is not None:
            return odd
        presented = form.get("refresh_token")
        grant = next((grant for grant in self.grants if presented in grant.refresh_tokens), None)
        if grant is None or grant.over:
            return error("invalid_grant")
        if presented != grant.refresh_tokens[-1]:
            self.spent += 1
            grant.over = True
            return error("invalid_grant")
        return self.answered(self.tokens(grant), "renewed")

    def answered(self, tokens, which):
        for hook in (which, "tokens"):
            tokens.update(self.odd(hook, tokens) or {})
        tokens = {name: value for name, value in tokens.items() if value is not None}
        return self.odd("raw_tokens", tokens) or Answer(200, tokens, Cache_Control="no-store")

    def tokens(self, grant, nonce=None):
        size = self.odd("token_size") or 32
        access, refresh = secrets.token_urlsafe(size)[:size], secrets.token_urlsafe(size)[:size]
        grant.access_tokens.append(access)
        if self.odd("rotates") is not False or not grant.refresh_tokens:
            grant.refresh_tokens.append(refresh)
        tokens = {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": 3600,
            "refresh_token": grant.refresh_tokens[-1],
            "scope": grant.request["scope"],
        }
        if "openid" in grant.request["scope"].split():
            tokens["id_token"] = self.id_token(**({"nonce": nonce} if nonce else {}), **(self.odd("claims") or {}))
        return tokens

    def id_token(self, **claims):
        now = int(time.time())
        claims = {"iss": self.url, "sub": "ada", "aud": "wallet", "iat": now, "exp": now + 3600, **claims}
        return jwt.encode({"alg": "ES256", "kid": KEY.kid}, claims, KEY)

    def grant_of(self, token):
        found = (grant for grant in self.grants if token in grant.access_tokens + grant.refresh_tokens)
        return next(found, None)

    def userinfo(self, token):
        self.served.append(token)
        grant = self.grant_of(token)
        if grant is None or grant.over or token not in grant.access_tokens:
            return Answer(401, {"error": "invalid_token"}, WWW_Authenticate='Bearer error="invalid_token"')
        odd = self.odd("userinfo")
        return Answer(200, {"sub": "ada"}) if odd is None else odd

    def revoke(self, form):
        with self.changed:
            self.revocations += 1
        odd = self.odd("revoke")
        if odd is not None:
            return odd
        grant = self.grant_of(form.get("token"))
        if grant:
            grant.over = True
            self.revoked.append(form["token"])
        return Answer(200)

    def well_known(self, place):
        odd = self.odd(place)
        return Answer(200, self.metadata()) if odd is None else odd

    def control(self, method, body):
        if method == "POST":
            for name, value in json.loads(body).items():
                setattr(self, name, value)
        return Answer(200, self.told())


def slow(issuer):
    """Answers after 22 seconds, or at once when the wallet asks a second time, which it must not."""
    with issuer.changed:
        issuer.changed.wait_for(lambda: issuer.refreshes > 1, timeout=SLOW_AFTER)


def offline(dropped):
    """OpenID Connect Core, section 11: offline access goes with prompt=consent, or not at all."""

    def authorize(issuer, query):
        if "offline_access" in query["scope"].split() and "consent" not in query.get("prompt", "").split():
            if not dropped:
                return "invalid_request"
            query["scope"] = " ".join(word for word in query["scope"].split() if word != "offline_access")

    def first(issuer, tokens):
        return None if "offline_access" in tokens["scope"].split() else {"refresh_token": None}

    return {"authorize": authorize, "first": first}


def foreign(issuer, tokens):
    return {"access_token": "foreign-" + secrets.token_hex(16), "id_token": issuer.id_token(sub="eve")}


def doubled(issuer, tokens):
    return Answer(200, json.dumps(tokens)[:-1] + ', "access_token": "another"}')


def revocation(status, **headers):
    return {"revoke": lambda issuer: Answer(status, None, **headers)}


def refresh(make):
    return {"refresh": lambda issuer: make()}


def place(answer):
    return {"oauth_place": lambda issuer: answer()}


ODDITIES = {
    "plain": {},
    "unrotating": {"rotates": False},
    # How a refresh is answered. The refresh token is not looked at.
    "refresh-invalid-request": refresh(lambda: error("invalid_request")),
    "refresh-invalid-token": refresh(lambda: error("invalid_token", 401)),
    "refresh-access-denied": refresh(lambda: error("access_denied")),
    # As a gateway that does not let the device through.
    "refresh-403-access-denied": refresh(lambda: error("access_denied", 403)),
    "refresh-unauthorized-client": refresh(lambda: error("unauthorized_client")),
    "refresh-invalid-client": refresh(lambda: error("invalid_client", 401)),
    "refresh-html": refresh(lambda: Answer(200, HTML)),
    "refresh-error-with-200": refresh(lambda: error("invalid_grant", 200)),
    "refresh-400-without-body": refresh(lambda: Answer(400)),
    "refresh-500-invalid-grant": refresh(lambda: error("invalid_grant", 500)),
    "refresh-429": refresh(lambda: Answer(429)),
    "refresh-429-seconds": refresh(lambda: Answer(429, None, Retry_After="3600")),
    "refresh-429-date": refresh(lambda: Answer(429, None, Retry_After=formatdate(time.time() + 3600, usegmt=True))),
    "refresh-503": refresh(lambda: Answer(503, HTML)),
    "refresh-slow": {"refresh": slow},
    # What is odd about tokens. `tokens` is for the first ones and the renewed ones.
    "expires-in-text": {"tokens": lambda issuer, tokens: {"expires_in": str(tokens["expires_in"])}},
    "expires-in-decimal": {"tokens": lambda issuer, tokens: {"expires_in": float(tokens["expires_in"])}},
    "scope-with-two-spaces": {"tokens": lambda issuer, tokens: {"scope": tokens["scope"].replace(" ", "  ")}},
    "scope-array": {"tokens": lambda issuer, tokens: {"scope": tokens["scope"].split()}},
    "tokens-of-64-kib": {"token_size": 64 * KIB},
    "renewed-without-token-type": {"renewed": lambda issuer, tokens: {"token_type": None}},
    "renewed-with-expired-id-token": {
        "renewed": lambda issuer, tokens: {"id_token": issuer.id_token(exp=int(time.time()) - 86400)}
    },
    "renewed-for-another-person": {"renewed": foreign},
    "claims-of-other-types": {
        "claims": lambda issuer: {"sid": 5, "amr": "pwd", "acr": 1, "email_verified": "yes", "updated_at": "today"}
    },
    # As a server that shows no page for max_age.
    "old-sign-in": {"claims": lambda issuer: {"auth_time": int(time.time()) - 86400}},
    # As glewlwyd: it does not know when the person signed in.
    "zero-auth-time": {"claims": lambda issuer: {"auth_time": 0}},
    # As glewlwyd, to which a max_age of 0 is no number.
    "max-age-refused": {"authorize": lambda issuer, query: "invalid_request" if "max_age" in query else None},
    # One session in the browser, and a grant for each sign-in.
    "one-sid": {"claims": lambda issuer: {"sid": "of-the-browser"}},
    "confirmed-class": {"claims": lambda issuer: {"acr": "urn:x"}},
    # What a client has to refuse.
    "wrong-nonce": {"first": lambda issuer, tokens: {"id_token": issuer.id_token(nonce="of-another-sign-in")}},
    "wrong-issuer": {"claims": lambda issuer: {"iss": "https://attacker.example"}},
    "wrong-audience": {"claims": lambda issuer: {"aud": "another-client"}},
    "doubled-member": {"raw_tokens": doubled},
    # Codes.
    "code-with-space": {"code": lambda issuer: "a code with spaces " + secrets.token_hex(8)},
    "code-invalid-client": {"redeem": lambda issuer: error("invalid_client", 401)},
    "code-lost": {"redeem": lambda issuer: Answer(BROKEN)},
    "no-id-token": {"first": lambda issuer, tokens: {"id_token": None}},
    "no-refresh-token": {"first": lambda issuer, tokens: {"refresh_token": None}},
    "offline-refused-without-consent": offline(dropped=False),
    "offline-dropped-without-consent": offline(dropped=True),
    # Discovery: what is at the place of RFC 8414, where OpenID Connect's document is right.
    "oauth-place-html": place(lambda: Answer(404, HTML)),
    "oauth-place-catch-all": place(lambda: Answer(200, HTML)),
    "oauth-place-other-json": place(lambda: Answer(200, {"status": "ok"})),
    "oauth-place-500": place(lambda: Answer(500, HTML)),
    "oauth-place-503": place(lambda: Answer(503, HTML)),
    "both-places-html": {**place(lambda: Answer(200, HTML)), "openid_place": lambda issuer: Answer(200, HTML)},
    "metadata-redirected": {
        "oauth_place": lambda issuer: Answer(302, None, Location=issuer.url + "/elsewhere"),
        "openid_place": lambda issuer: Answer(302, None, Location=issuer.url + "/elsewhere"),
    },
    "relative-jwks-uri": {"metadata": lambda issuer: {"jwks_uri": "/keys"}},
    "plain-http-end-session": {"metadata": lambda issuer: {"end_session_endpoint": "http://www.example.com/out"}},
    "end-session-with-fragment": {"metadata": lambda issuer: {"end_session_endpoint": issuer.url + "/app#/out"}},
    "numeric-acr-values": {"metadata": lambda issuer: {"acr_values_supported": [1, 2]}},
    # A resource that wants another sign-in (RFC 9470).
    "userinfo-step-up": {
        "userinfo": lambda issuer: Answer(
            401, None,
            WWW_Authenticate='Bearer error="insufficient_user_authentication", acr_values="urn:x urn:y", max_age="5"',
        )
    },
    # Revocation.
    "no-revocation": {"metadata": lambda issuer: {"revocation_endpoint": None}},
    "revocation-302": {"revoke": lambda issuer: Answer(302, None, Location=issuer.url + "/elsewhere")},
    "revocation-400": {"revoke": lambda issuer: error("unsupported_token_type")},
    "revocation-401": revocation(401),
    "revocation-403": revocation(403),
    "revocation-404": revocation(404),
    "revocation-405": revocation(405),
    "revocation-503": revocation(503),
    "revocation-html": {"revoke": lambda issuer: Answer(200, HTML)},
}

WELL_KNOWN = {
    "/.well-known/oauth-authorization-server/": "oauth_place",
    "/.well-known/openid-configuration": "openid_place",
}


class Server:
    def __init__(self):
        self.lock, self.issuers = threading.Lock(), {}
        server = self

        class Answering(Handler):
            def do(self):
                answer = server.asked(self, self.read_body())
                if answer.status != BROKEN:
                    headers = {"Date": formatdate(usegmt=True), **answer.headers}
                    self.answer(answer.status, headers.items(), answer.body)

            do_GET = do_POST = do_DELETE = do

        self.listener = Listener(Answering)

    def issuer(self, host, name):
        oddity = name.split(".")[0]
        if oddity not in ODDITIES:
            return None
        with self.lock:
            return self.issuers.setdefault(name, Issuer(f"http://{host}/{name}", oddity))

    def asked(self, handler, body):
        parts = urlsplit(handler.path)
        host, path = handler.headers["Host"], parts.path
        first, second = WELL_KNOWN
        if path.startswith(first):
            issuer, call = self.issuer(host, path.removeprefix(first)), WELL_KNOWN[first]
        else:
            name, _, call = path[1:].partition("/")
            issuer = self.issuer(host, name)
            call = WELL_KNOWN.get("/" + call, call)
        if issuer is None:
            return Answer(404)
        answer = self.respond(issuer, call, handler, body)
        answer.headers.setdefault("Date", formatdate(time.time() + issuer.ahead, usegmt=True))
        return answer

    @staticmethod
    def respond(issuer, call, handler, body):
        parts = urlsplit(handler.path)
        form = dict(parse_qsl(body.decode("latin-1"), keep_blank_values=True))
        token = handler.headers.get("Authorization", "").removeprefix("Bearer ")
        match handler.command, call:
            case "GET", "oauth_place" | "openid_place":
                return issuer.well_known(call)
            case "GET", "keys":
                return Answer(200, {"keys": [KEY.as_dict(private=False)]})
            case "GET", "authorize":
                return issuer.authorize(dict(parse_qsl(parts.query)))
            case "POST", "token":
                return issuer.token(form)
            case "POST", "revoke":
                return issuer.revoke(form)
            case "GET", "userinfo":
                return issuer.userinfo(token)
            case ("GET", "balance" | "payees") | ("DELETE", "payees/Dune%20Bakery"):
                # Not what a wallet's backend says.
                return Answer(200, {"hello": "world"})
            case _, "elsewhere":
                issuer.redirected += 1
                return Answer(200, issuer.metadata())
            case "GET" | "POST", "control":
                return issuer.control(handler.command, body)
        return Answer(404)


if __name__ == "__main__":
    server = Server()
    print(f"ready at http://127.0.0.1:{server.listener.server_port}", flush=True)
    server.listener.serve_forever()
