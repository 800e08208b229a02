"""python-fido2's client, unmodified, with a CTAP 2 authenticator beneath it, at the hosted pages of the server under test.

    fido2_device.py register ISSUER USERNAME STATE       the password on standard input
    fido2_device.py newcomer ISSUER AUTHORIZATION_URL ADDRESS USERNAME REDIRECT_URI STATE
    fido2_device.py use ISSUER AUTHORIZATION_URL REDIRECT_URI STATE
    fido2_device.py agree ISSUER LINK RETURN_URL STATE

What the authenticator holds lies in the file STATE. Prints one JSON object of what was seen; a step that fails ends the
program with a traceback and status 1.
"""

import json
import secrets
import sys
from hashlib import sha256

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.client import DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.cose import ES256
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY
from fido2.webauthn import AttestedCredentialData, AuthenticatorData, PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions

from page_visit import Visit

FLAG = AuthenticatorData.FLAG


class Authenticator(CtapDevice):
    """A CTAP 2 authenticator with a built-in look at its person, whose one discoverable key lies in a file."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, encoding="utf-8") as file:
                self.held = json.load(file)
        except FileNotFoundError:
            self.held = None

    @property
    def capabilities(self):
        return CAPABILITY.CBOR

    @classmethod
    def list_devices(cls):
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        command, body = data[0], data[1:]
        parameters = cbor.decode(body) if body else {}
        try:
            if command == Ctap2.CMD.GET_INFO:
                answer = {1: ["FIDO_2_0"], 3: bytes(16), 4: {"rk": True, "up": True, "uv": True}, 6: [1]}
            elif command == Ctap2.CMD.MAKE_CREDENTIAL:
                answer = self.make(parameters)
            elif command == Ctap2.CMD.GET_ASSERTION:
                answer = self.sign(parameters)
            else:
                raise CtapError(CtapError.ERR.INVALID_COMMAND)
        except CtapError as error:
            return bytes([error.code])
        return b"\0" + cbor.encode(answer)

    def make(self, parameters):
        options = parameters[7]
        assert options == {"rk": True, "uv": True}, options
        assert {"type": "public-key", "alg": ES256.ALGORITHM} in parameters[4]
        if self.held and self.held["id"] in [key["id"].hex() for key in parameters.get(5, [])]:
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        key = ec.generate_private_key(ec.SECP256R1())
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self.held = {
            "id": secrets.token_bytes(32).hex(),
            "key": pem.decode(),
            "party": parameters[2]["id"],
            "user": parameters[3]["id"].hex(),
            "counter": 1,
        }
        credential = AttestedCredentialData.create(
            bytes(16), bytes.fromhex(self.held["id"]), ES256.from_cryptography_key(key.public_key())
        )
        data = AuthenticatorData.create(self.party_hash, FLAG.UP | FLAG.UV | FLAG.AT, 1, credential)
        self.store()
        signature = key.sign(bytes(data) + parameters[1], ec.ECDSA(hashes.SHA256()))
        return {1: "packed", 2: bytes(data), 3: {"alg": ES256.ALGORITHM, "sig": signature}}

    def sign(self, parameters):
        if not self.held or parameters[1] != self.held["party"]:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        assert parameters[5] == {"uv": True}, parameters
        assert 3 not in parameters, "the page names a key"
        self.held["counter"] += 1
        data = AuthenticatorData.create(self.party_hash, FLAG.UP | FLAG.UV, self.held["counter"])
        self.store()
        key = serialization.load_pem_private_key(self.held["key"].encode(), None)
        return {
            1: {"id": bytes.fromhex(self.held["id"]), "type": "public-key"},
            2: bytes(data),
            3: key.sign(bytes(data) + parameters[2], ec.ECDSA(hashes.SHA256())),
            4: {"id": bytes.fromhex(self.held["user"])},
        }

    @property
    def party_hash(self):
        return sha256(self.held["party"].encode()).digest()

    def store(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.held, file)


class Person(UserInteraction):
    """Lets the authenticator look at them."""

    def request_uv(self, permissions, rp_id):
        return True


def client(issuer, state):
    return Fido2Client(Authenticator(state), DefaultClientDataCollector(issuer), Person())


def register(issuer, username, state):
    password = sys.stdin.readline().rstrip("\n")
    visit = Visit(issuer)
    visit.open(issuer + "/account")
    visit.sign_in(username, password)
    visit.press("manage_passkeys")
    options = PublicKeyCredentialCreationOptions.from_dict(json.loads(visit.passkey_options()))
    made = client(issuer, state).make_credential(options)
    page = visit.press("add_passkey", passkey=json.dumps(dict(made)), name="Security key")
    again = visit.passkey_options()
    return {
        "status": page.status_code,
        "added": "The passkey was added." in page.text,
        "user_handle": options.user.id.hex(),
        "excluded": [key["id"] for key in json.loads(again)["excludeCredentials"]] == [dict(made)["id"]],
    }


def newcomer(issuer, url, address, username, redirect_uri, state):
    visit = Visit(issuer)
    visit.open(url)
    visit.press("register")
    visit.press("send_registration_code", address=address)
    visit.press("check_registration_code", registration_code=visit.sent_code(8))
    visit.press("register_by_passkey", username=username)
    options = PublicKeyCredentialCreationOptions.from_dict(json.loads(visit.passkey_options()))
    made = json.dumps(dict(client(issuer, state).make_credential(options)))
    page = visit.page
    answer = visit.press("finish_registration_by_passkey", passkey=made)
    callback = answer.headers.get("Location", "")
    assert callback.startswith(redirect_uri), f"no callback: {answer.status_code} {answer.text[:400]}"
    visit.page = page
    replayed = visit.press("finish_registration_by_passkey", passkey=made)
    return {"callback": callback, "replayed": replayed.status_code, "again": replayed.headers.get("Location", "")}


def use(issuer, url, redirect_uri, state):
    visit = Visit(issuer)
    visit.open(url)
    page = visit.page
    options = PublicKeyCredentialRequestOptions.from_dict(json.loads(visit.passkey_options()))
    used = client(issuer, state).get_assertion(options).get_response(0)
    answer = visit.press("use_passkey", passkey=json.dumps(dict(used)))
    callback = answer.headers.get("Location", "")
    assert callback.startswith(redirect_uri), f"no callback: {answer.status_code} {answer.text[:400]}"
    visit.page = page
    replayed = visit.press("use_passkey", passkey=json.dumps(dict(used)))
    return {"callback": callback, "replayed": replayed.status_code, "again": replayed.headers.get("Location", "")}


def agree(issuer, link, return_url, state):
    visit = Visit(issuer)
    visit.open(link)
    shown = visit.page.text
    options = PublicKeyCredentialRequestOptions.from_dict(json.loads(visit.passkey_options()))
    used = json.dumps(dict(client(issuer, state).get_assertion(options).get_response(0)))
    answer = visit.press("use_passkey", passkey=used)
    back = answer.headers.get("Location", "")
    assert back.startswith(return_url), f"it does not lead back: {answer.status_code} {answer.text[:400]}"
    return {"shown": shown, "back": back, "signature": json.loads(used)["response"]["signature"]}


print(json.dumps({"register": register, "newcomer": newcomer, "use": use, "agree": agree}[sys.argv[1]](*sys.argv[2:])))
