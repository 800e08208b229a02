"""A wallet's backend in Python: it lets requests in, asks for the person's consent before money moves, keeps the evidence, and sells by QR code.

    pip install flask requests joserfc
    export ISSUER=https://id.example.com CLIENT_ID=shop CLIENT_SECRET=… URL=https://api.example.com AUDIT_KEYS=audit-keys.json
    python3 backend.py 8801              GET /me, POST /payments, GET /payments/{id}/evidence
    python3 backend.py sell order-0042   prints a QR code's content, and waits until someone has signed

docs/backend.md explains each call. The dictionaries below stand for your database: with more than one process, and in production, use one.
"""

import base64
import hashlib
import json
import os
import sys
import threading
import time

import requests
from flask import Flask, request
from joserfc import jws, jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError
from joserfc.jwk import ECKey, KeySet
from werkzeug.serving import make_server


def need(*names):
    """Ends the program where a setting is missing, and not at the first request."""
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        sys.exit(f"set {', '.join(missing)}, as the first lines of backend.py show")


need("ISSUER", "CLIENT_ID", "CLIENT_SECRET")
ISSUER = os.environ["ISSUER"]
URL = os.environ.get("URL", "")  # Where apps reach this backend: the audience of their tokens, and the start of the address in their proofs.
CLIENT = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
LEEWAY = 30  # Seconds that clocks may differ.
PROOF_AGE = 240  # Seconds for which a proof counts.

app = Flask(__name__)


class Refused(Exception):
    def __init__(self, status, code, **members):
        self.status, self.code, self.members = status, code, members


@app.errorhandler(Refused)
def refused(error):
    problem = {"type": "about:blank", "title": "", "status": error.status, "code": error.code, **error.members}
    headers = {"Content-Type": "application/problem+json"}
    if error.code in TOKEN_ERRORS:
        headers["WWW-Authenticate"] = challenges(error)
    return json.dumps(problem), error.status, headers


TOKEN_ERRORS = ("missing_token", "invalid_token", "invalid_dpop_proof", "insufficient_scope")


def challenges(error):
    """What to send instead, and what was wrong (RFC 6750 section 3, RFC 9449 section 7.1). A request without a token gets no error."""
    reason = "" if error.code == "missing_token" else f'error="{error.code}", error_description="{error.members["detail"]}"'
    if error.code == "insufficient_scope":
        reason += f', scope="{error.members["scope"]}"'
    return [f'DPoP algs="ES256"{reason and ", "}{reason}', f"Bearer {reason}".strip()]


def invalid_token(detail):
    return Refused(401, "invalid_token", detail=detail)


def invalid_proof(detail):
    return Refused(401, "invalid_dpop_proof", detail=detail)


# Letting requests in


class Keys:
    """The issuer's public keys: fetched again after ten minutes, or where a token names a key that is new."""

    def __init__(self):
        self.keys, self.lock = KeySet([]), threading.Lock()
        self.asked = self.fetched = -3600.0

    def of(self, token):
        try:
            kid = jws.extract_compact(token.encode()).headers().get("kid")
        except JoseError:
            raise invalid_token("The access token is malformed.") from None
        with self.lock:
            age = time.monotonic() - self.asked
            if age > 600 or (age > 30 and not any(key.kid == kid for key in self.keys.keys)):
                self.asked = time.monotonic()  # Also where it fails: an issuer that is down is asked twice a minute.
                try:
                    answer = requests.get(f"{ISSUER}/.well-known/jwks.json", timeout=10)
                    answer.raise_for_status()
                    self.keys, self.fetched = KeySet.import_key_set(answer.json()), time.monotonic()
                except requests.RequestException as error:
                    print(error, file=sys.stderr)
            if time.monotonic() - self.fetched > 3600:  # A key that was withdrawn counts for an hour at most.
                raise Refused(503, "temporarily_unavailable")
            return self.keys


class Proofs:
    """Each proof counts once. Several processes share this, in Redis for example (SET NX EX)."""

    def __init__(self):
        self.seen, self.lock = {}, threading.Lock()

    def spend(self, proof):
        now = time.time()
        with self.lock:
            self.seen = {name: until for name, until in self.seen.items() if until > now}
            if proof in self.seen:
                raise invalid_proof("The DPoP proof was used before.")
            self.seen[proof] = now + PROOF_AGE + 2 * LEEWAY


keys, proofs = Keys(), Proofs()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def require_token(scope):
    """Who calls: the claims of a valid access token (RFC 9068) with its proof (RFC 9449), or a refusal."""
    authorization, sent = request.headers.getlist("Authorization"), request.headers.getlist("DPoP")
    scheme, _, token = authorization[0].partition(" ") if len(authorization) == 1 else ("", "", "")
    if scheme.lower() not in ("dpop", "bearer") or not token:
        raise Refused(401, "missing_token", detail="Send one access token: Authorization: DPoP TOKEN, with a proof in DPoP.")
    try:
        verified = jwt.decode(token, keys.of(token), algorithms=["ES256"])
        jwt.JWTClaimsRegistry(
            leeway=LEEWAY, iss={"essential": True, "value": ISSUER}, aud={"essential": True, "value": URL},
            exp={"essential": True}, sub={"essential": True},
        ).validate(verified.claims)  # fmt: skip
    # The issuer has signed it where its claims are at fault, so its sender may know.
    except ExpiredTokenError:
        raise invalid_token("The access token has expired.") from None
    except (InvalidClaimError, MissingClaimError):
        raise invalid_token("The access token is for another audience, or from another issuer.") from None
    except (JoseError, ValueError):
        raise invalid_token("The access token is malformed, or signed by no key of the issuer.") from None
    claims = verified.claims
    if verified.header.get("typ") != "at+jwt":
        raise invalid_token("This is no access token.")
    bound = claims.get("cnf", {}).get("jkt")
    # A bound token is worthless as a bearer token, and the other way round.
    if bound and scheme.lower() == "bearer":
        raise invalid_token("The access token is bound to a key: send it as DPoP, with a proof of that key.")
    if not bound and scheme.lower() == "dpop":
        raise invalid_token("The access token is bound to no key: send it as Bearer.")
    if bound:
        if len(sent) != 1:
            raise invalid_proof("The request needs one DPoP proof.")
        require_proof(sent[0], token, bound)
    if scope not in claims.get("scope", "").split():
        raise Refused(403, "insufficient_scope", detail=f"The access token lacks the scope {scope}.", scope=scope)
    if "sid" not in claims:
        raise Refused(403, "person_required", detail="This is a client's own token: one from a person's sign-in is needed.")
    return claims


def require_proof(proof, token, bound):
    try:
        header = jws.extract_compact(proof.encode()).headers()
        key = ECKey.import_key(header["jwk"])
        said = jwt.decode(proof, key, algorithms=["ES256"], registry=jws.JWSRegistry(algorithms=["ES256"])).claims
    except (JoseError, ValueError, KeyError, TypeError):
        raise invalid_proof("The DPoP proof is malformed, or its signature is wrong.") from None
    address = URL + request.environ.get("RAW_URI", request.full_path).split("?")[0]
    age = time.time() - said["iat"] if type(said.get("iat")) is int else None
    members = {
        "typ": header.get("typ") == "dpop+jwt",
        "jwk": not key.is_private and key.thumbprint() == bound,
        "htm": said.get("htm") == request.method,
        "htu": said.get("htu") == address,
        "ath": said.get("ath") == base64url(hashlib.sha256(token.encode()).digest()),
        "iat": age is not None and -LEEWAY <= age <= PROOF_AGE + LEEWAY,
        "jti": isinstance(said.get("jti"), str),
    }
    wrong = ", ".join(name for name, is_right in members.items() if not is_right)
    if wrong:
        came = [str(said.get(name)).split("?")[0][:200] for name in ("htm", "htu")]
        print(f"refused a DPoP proof by its {wrong}: {came}, expected {[request.method, address]}", file=sys.stderr, flush=True)
        raise invalid_proof(f"The DPoP proof is for another request, token or key, or too old: see its {wrong}.")
    proofs.spend(f"{bound} {said['jti']}")


# Calling the server

CHECK_CREDENTIALS = f"Check ISSUER, CLIENT_ID and CLIENT_SECRET, and the client's scopes: walletauth client show {CLIENT[0]}"


class Server:
    """The authorization server's calls for backends, with a token from client credentials that is renewed before it expires."""

    def __init__(self):
        self.http, self.token, self.until, self.lock = requests.Session(), "", 0.0, threading.Lock()

    def access_token(self):
        with self.lock:
            if time.monotonic() > self.until - 30:
                form = {"grant_type": "client_credentials", "scope": "wallet_operations transactions"}
                answer = self.http.post(f"{ISSUER}/oauth2/token", data=form, auth=CLIENT, timeout=10)
                if 400 <= answer.status_code < 500 and answer.status_code != 429:  # For good: no repetition changes it.
                    print(f"no token: {answer.status_code} {answer.text.strip()}. {CHECK_CREDENTIALS}", file=sys.stderr, flush=True)
                    raise Refused(500, "credential_refused")
                answer.raise_for_status()
                self.token, self.until = answer.json()["access_token"], time.monotonic() + answer.json()["expires_in"]
            return self.token

    def call(self, method, path, key=None, wait=0, **body):
        """Every call may be repeated, so one whose answer was lost is: with the same id, key and content it gets the same answer."""
        headers = {"Idempotency-Key": key} if key else {}
        for last in (False, False, True):
            try:
                headers["Authorization"] = f"Bearer {self.access_token()}"
                answer = self.http.request(method, ISSUER + path, headers=headers, json=body or None, timeout=10 + wait)
            except requests.RequestException as error:
                print(error, file=sys.stderr)
                answer = None
            if answer is not None and answer.status_code == 401:
                self.until = 0.0  # Withdrawn, or the server's keys have changed.
            elif answer is not None and answer.status_code < 500 and answer.status_code != 429:
                return answer
            if not last:
                time.sleep(0.3)
        raise Refused(503, "temporarily_unavailable")


server = Server()


# Asking for consent before money moves

payments, paying = {}, threading.Lock()  # By operation id: who paid what, and the authentication code. Your ledger's table.
ENDED = {"FAILED": "operation_locked", "EXPIRED": "operation_expired", "CANCELLED": "operation_cancelled"}


@app.get("/me")
def me():
    claims = require_token("payments")
    return {"account": claims["sub"], "session": claims["sid"], "scope": claims["scope"]}


def has_texts(value, *names):
    return isinstance(value, dict) and value.keys() == set(names) and all(isinstance(text, str) for text in value.values())


def is_payment(wanted):
    return (
        isinstance(wanted, dict)
        and wanted.keys() | {"scaDetails"} == {"amount", "payee", "scaDetails"}
        and has_texts(wanted["amount"], "value", "currency")
        and has_texts(wanted["payee"], "name", "account")
        and ("scaDetails" not in wanted or has_texts(wanted["scaDetails"], "eventId", "walletOperationId"))
    )


@app.post("/payments")
def pay():
    claims = require_token("payments")
    wanted, key = request.get_json(silent=True), request.headers.get("Idempotency-Key", "")
    if len(key) < 16 or not is_payment(wanted):
        raise Refused(400, "bad_request", detail="An Idempotency-Key of 16 characters, amount and payee are needed.")
    # One id for one payment, however often it is requested: the server refuses the same id with another amount or payee.
    payment = hashlib.sha256(f"{claims['sub']} {key}".encode()).hexdigest()
    operation = {"type": "TRANSFER", "amount": wanted["amount"], "payee": wanted["payee"]}
    # Your own record comes first: an app that starts over, or in another session, hears that it has paid.
    if paid := payments.get(payment):
        if paid[1] != operation:
            raise Refused(422, "idempotency_mismatch")
        return {"payment": payment, "status": "PAID"}, 200
    agreed = wanted.get("scaDetails", {})
    event = agreed.get("eventId")
    if not agreed:
        who = {"accountId": claims["sub"], "sessionId": claims["sid"], "walletOperationId": payment}
        answer = server.call("POST", "/v1/wallet-operations", **who, **operation)
        asked = answer.json()
        if answer.status_code != 201:
            raise Refused(answer.status_code, asked["code"], detail=asked.get("detail", ""))
        if asked["status"] == "SCA_REQUIRED":
            members = ("eventId", "walletOperationId", "availableVerifications")
            raise Refused(403, "sca_required", **{name: asked[name] for name in members})
        if asked["status"] in ENDED:
            raise Refused(409, ENDED[asked["status"]], detail="Start another payment, with another Idempotency-Key.")
        event = asked.get("eventId")  # EXEMPT has none. At VERIFIED the person has agreed; at AUTHORIZED an answer was lost.
    elif agreed.get("walletOperationId") != payment:
        raise Refused(409, "operation_changed")
    # It succeeds once, for this account and exactly this operation. The key makes it repeatable where the answer is lost.
    consumed = server.call(
        "POST", f"/v1/wallet-operations/{payment}/consume", key=payment, accountId=claims["sub"], **operation,
        **({"eventId": event} if event else {}),
    )  # fmt: skip
    if consumed.status_code != 200:
        raise Refused(consumed.status_code, consumed.json()["code"], detail=consumed.json().get("detail", ""))
    with paying:  # In one transaction of your database: move the money, and keep the code with it.
        payments.setdefault(payment, (claims["sub"], operation, consumed.json()["authenticationCode"]))
    return {"payment": payment, "status": "PAID"}, 201


@app.get("/payments/<payment>/evidence")
def evidence(payment):
    claims = require_token("payments")
    # Another person's is not found either: the evidence names its account, devices and addresses.
    if payments.get(payment, (None,))[0] != claims["sub"]:
        raise Refused(404, "payment_not_found")
    answer = server.call("GET", f"/v1/wallet-operations/{payment}/evidence")
    return answer.content, answer.status_code, {"Content-Type": answer.headers["Content-Type"]}


# Selling by QR code

EXPORT_AGAIN = (
    "Run `walletauth audit key` on your own server again, compare that the keys you have are among its keys unchanged, and use the new file."
)


def sell(order):
    """Creates a transaction that the first person who scans its code signs, waits for its end, and returns the proof."""
    # AUDIT_KEYS is what `walletauth audit key` printed, over a channel of your own: on the first day, and after `keys rotate audit`.
    with open(os.environ["AUDIT_KEYS"], encoding="utf-8") as file:
        audit = KeySet.import_key_set(json.load(file))
    offer = {
        "type": "PURCHASE", "reference": order, "amount": {"value": "1250", "currency": "EUR"},
        "payee": {"name": "Café Zürich", "account": "DE02120300000000202051"},
    }  # fmt: skip
    # Store the key in the order's own row before the call: a repetition gets the same transaction.
    created = server.call("POST", "/v1/transactions", key=hashlib.sha256(order.encode()).hexdigest(), **offer)
    if created.status_code != 201:
        sys.exit(f"{created.status_code} {created.json()['code']}: {created.json().get('detail', '')}")
    transaction = created.json()["transactionId"]
    print(created.json()["qrData"], flush=True)  # For the buyer alone: anyone who has it can sign.
    while True:
        answer = server.call("GET", f"/v1/transactions/{transaction}?wait=30", wait=30)
        answer.raise_for_status()
        status = answer.json()["status"]
        print(status, flush=True)
        if status not in ("CREATED", "CLAIMED", "CONFIRMED"):
            break
    if status != "SIGNED":
        sys.exit(f"nothing is delivered: {order} was not signed ({status})")
    proof = server.call("GET", f"/v1/transactions/{transaction}/evidence").text
    try:
        kid = jws.extract_compact(proof.encode()).headers()["kid"]
        if all(key.kid != kid for key in audit.keys):
            sys.exit(f"nothing is delivered: {order} is signed by the audit key {kid}, which AUDIT_KEYS lacks. {EXPORT_AGAIN}")
        said = json.loads(jws.deserialize_compact(proof, audit, algorithms=["ES256"]).payload)
    except (JoseError, ValueError, KeyError) as fault:
        sys.exit(f"nothing is delivered: {order} has no valid proof ({type(fault).__name__})")
    content = json.loads(base64.urlsafe_b64decode(said["payload"] + "==")) if "payload" in said else {}
    ours = {"iss": ISSUER, "clientId": CLIENT[0], "transactionId": transaction, "status": "SIGNED"}
    if any(said.get(name) != value for name, value in ours.items()) or any(content.get(name) != offer[name] for name in offer):
        sys.exit(f"nothing is delivered: {order} was not signed ({said['status']})")
    return proof  # Keep it byte for byte. `walletauth transaction verify` checks the device's signature in it as well.


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["sell", order]:
            need("AUDIT_KEYS")
            try:
                print(sell(order))
            except Refused as refusal:
                sys.exit(f"{order} was not sold: {refusal.code}")
        case [port] if port.isdecimal():
            need("URL")
            listener = make_server("127.0.0.1", int(port), app, threaded=True)  # In production: gunicorn backend:app
            print(f"ready at http://127.0.0.1:{listener.port}", flush=True)
            listener.serve_forever()
        case _:
            sys.exit(__doc__)
