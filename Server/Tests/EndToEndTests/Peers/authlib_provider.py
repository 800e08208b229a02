"""An OpenID provider that is not ours: Authlib with Flask, in memory. Code + PKCE, ID tokens by ES256, keys that change.

Prints one line, `ready at URL`, and serves until it is ended. Its one account is `ada`, password in PEER_PASSWORD; its one
client is `wallet-server`, secret in PEER_SECRET.

PEER_HOST is the name that it goes by, 127.0.0.1 unless it is given. With PEER_RESPONSE_MODE=form_post it answers by a form that its page
posts, as Apple does; with PEER_NAMES_ISSUER=1 each answer names its issuer (RFC 9207), and with PEER_TELLS_EMAIL=1 its ID tokens
tell an address. Its person can also decline.
"""

import os
import secrets
import time
from html import escape
from urllib.parse import parse_qsl, urlencode, urlsplit

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from authlib.oidc.core.models import AuthorizationCodeMixin
from flask import Flask, jsonify, redirect, request
from joserfc.jwk import ECKey, KeySet
from werkzeug.serving import make_server

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # loopback

REDIRECT_URI = os.environ["PEER_REDIRECT_URI"]
HOST = os.environ.get("PEER_HOST", "127.0.0.1")
POSTS_FORM = os.environ.get("PEER_RESPONSE_MODE") == "form_post"
NAMES_ISSUER = os.environ.get("PEER_NAMES_ISSUER") == "1"
TELLS_EMAIL = os.environ.get("PEER_TELLS_EMAIL") == "1"


def new_key():
    return ECKey.generate_key("P-256", {"kid": secrets.token_hex(4), "use": "sig", "alg": "ES256"}, private=True)


class Person:
    def __init__(self, name):
        self.name = name

    def get_user_id(self):
        return self.name


class Client(ClientMixin):
    client_id = "wallet-server"

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return REDIRECT_URI

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == REDIRECT_URI

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(client_secret, os.environ["PEER_SECRET"])

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type == "authorization_code"


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return None


codes, keys, client = {}, [new_key()], Client()


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]

    def save_authorization_code(self, code, http_request):
        data = http_request.payload.data
        codes[code] = Code(
            code=code,
            redirect_uri=http_request.payload.redirect_uri,
            scope=http_request.payload.scope,
            user=http_request.user,
            nonce=data.get("nonce"),
            auth_time=int(time.time()),
            code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"),
        )

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.code, None)

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class IDTokens(OpenIDCode):
    def exists_nonce(self, nonce, http_request):
        return any(code.nonce == nonce for code in codes.values())

    def get_client_algorithm(self, client):
        return "ES256"

    def get_encode_header(self, client):
        return {"alg": "ES256", "kid": keys[-1].kid}

    def resolve_client_private_key(self, client):
        return keys[-1]

    def get_client_claims(self, client):
        return {"iss": request.host_url.rstrip("/")}

    def generate_user_info(self, user, scope):
        told = {"email": user.name + "@example.com", "email_verified": True} if TELLS_EMAIL else {}
        return UserInfo(sub="authlib-" + user.name, **told)


app = Flask(__name__)
server = AuthorizationServer(
    app,
    query_client=lambda client_id: client if client_id == client.client_id else None,
    save_token=lambda values, http_request: None,
)
server.register_grant(CodeGrant, [CodeChallenge(required=True), IDTokens(require_nonce=True)])


@app.get("/.well-known/openid-configuration")
def metadata():
    base = request.host_url.rstrip("/")
    return jsonify(
        issuer=base,
        authorization_endpoint=base + "/authorize",
        token_endpoint=base + "/token",
        jwks_uri=base + "/keys",
        response_types_supported=["code"],
        subject_types_supported=["public"],
        id_token_signing_alg_values_supported=["ES256"],
        code_challenge_methods_supported=["S256"],
        authorization_response_iss_parameter_supported=NAMES_ISSUER,
    )


@app.get("/keys")
def published():
    return jsonify(KeySet(keys).as_dict(private=False))


@app.post("/rotate")
def rotate():
    """The test's order: sign with another key from now on."""
    keys.append(new_key())
    return "", 204


def answered(fields):
    """The answer on its way back to the client, with the browser."""
    if NAMES_ISSUER:
        fields["iss"] = request.host_url.rstrip("/")
    if not POSTS_FORM:
        return redirect(REDIRECT_URI + "?" + urlencode(fields))
    fields["user"] = '{"name":{"firstName":"Mallory"},"email":"mallory@example.com"}'
    inputs = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
    return f'<body onload="document.forms[0].submit()"><form method="post" action="{escape(REDIRECT_URI)}">{inputs}</form>'


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    if request.method == "POST":
        if "decline" in request.form:
            return answered({"error": "access_denied", "state": request.args["state"]})
        right = secrets.compare_digest(request.form["password"], os.environ["PEER_PASSWORD"])
        if request.form["username"] == "ada" and right:
            location = server.create_authorization_response(grant_user=Person("ada")).headers["Location"]
            return answered(dict(parse_qsl(urlsplit(location).query)))
        return "wrong", 401
    query = escape(request.full_path, quote=True)
    return (
        f'<form method="post" action="{query}"><input name="username"><input type="password" name="password">'
        '<button id="sign-in">Sign in</button><button id="decline" name="decline">Cancel</button></form>'
    )


@app.post("/token")
def token():
    return server.create_token_response()


if __name__ == "__main__":
    listener = make_server("127.0.0.1", 0, app, threaded=True)
    print(f"ready at http://{HOST}:{listener.port}", flush=True)
    listener.serve_forever()
