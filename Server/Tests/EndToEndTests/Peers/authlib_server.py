"""An OAuth server that is not ours: Authlib with Flask, in memory. Code + PKCE, rotating refresh, revocation, no DPoP.

Prints one line, `ready at URL`, and serves until it is ended. Its one account is `ada`, password in PEER_PASSWORD.
"""

import os
import secrets
import time
from html import escape

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # loopback

REDIRECT_URI = os.environ.get("PEER_REDIRECT_URI", "com.example.wallet:/callback")
# Short, so that a test need not wait long for a token to expire.
LIFETIME = int(os.environ.get("PEER_LIFETIME", "2"))


class Person:
    def __init__(self, name):
        self.name = name

    def get_user_id(self):
        return self.name


class Client(ClientMixin):
    """The one client: public, so PKCE is all that binds a code to it."""

    client_id = "wallet"

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return REDIRECT_URI

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == REDIRECT_URI

    def check_client_secret(self, client_secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in ("authorization_code", "refresh_token")


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class Token(TokenMixin):
    def __init__(self, client, user, values):
        self.client, self.user, self.values = client, user, values
        self.issued, self.revoked = time.time(), False

    def check_client(self, client):
        return client.client_id == self.client.client_id

    def get_scope(self):
        return self.values.get("scope", "")

    def get_expires_in(self):
        return self.values["expires_in"]

    def get_client(self):
        return self.client

    def get_user(self):
        return self.user

    def is_expired(self):
        return self.issued + self.values["expires_in"] < time.time()

    def is_revoked(self):
        return self.revoked


codes, tokens, client = {}, [], Client()


def token_by(kind, text):
    return next((token for token in tokens if token.values.get(kind) == text), None)


def save_token(values, http_request):
    tokens.append(Token(http_request.client, http_request.user, values))


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, http_request):
        data = http_request.payload.data
        codes[code] = Code(
            code=code,
            redirect_uri=http_request.payload.redirect_uri,
            scope=http_request.payload.scope,
            user=http_request.user,
            code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"),
        )

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.code, None)

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        token = token_by("refresh_token", refresh_token)
        return token if token and not token.revoked else None

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        refresh_token.revoked = True


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def query_token(self, token_string, token_type_hint):
        return token_by("refresh_token", token_string) or token_by("access_token", token_string)

    def revoke_token(self, token, http_request):
        token.revoked = True


class Bearer(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return token_by("access_token", token_string)


app = Flask(__name__)
app.config.update(
    OAUTH2_REFRESH_TOKEN_GENERATOR=True,
    OAUTH2_TOKEN_EXPIRES_IN={"authorization_code": LIFETIME, "refresh_token": LIFETIME},
)
server = AuthorizationServer(
    app, query_client=lambda client_id: client if client_id == client.client_id else None, save_token=save_token
)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(Refresh)
server.register_endpoint(Revocation)
protected = ResourceProtector()
protected.register_token_validator(Bearer())


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    base = request.host_url.rstrip("/")
    return jsonify(
        issuer=base,
        authorization_endpoint=base + "/authorize",
        token_endpoint=base + "/token",
        revocation_endpoint=base + "/revoke",
        response_types_supported=["code"],
        grant_types_supported=["authorization_code", "refresh_token"],
        code_challenge_methods_supported=["S256"],
        token_endpoint_auth_methods_supported=["none"],
    )


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    if request.method == "POST":
        right = secrets.compare_digest(request.form["password"], os.environ["PEER_PASSWORD"])
        if request.form["username"] == "ada" and right:
            return server.create_authorization_response(grant_user=Person("ada"))
        return "wrong", 401
    query = escape(request.full_path, quote=True)
    return (
        f'<form method="post" action="{query}"><input name="username"><input type="password" name="password">'
        "<button>Sign in</button></form>"
    )


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.get("/me")
@protected()
def me():
    return jsonify(name="ada")


@app.get("/counts")
def counts():
    """What the test asks to know without looking into tokens."""
    return jsonify(alive=sum(not token.revoked for token in tokens))


if __name__ == "__main__":
    listener = make_server("127.0.0.1", 0, app, threaded=True)
    print(f"ready at http://127.0.0.1:{listener.port}", flush=True)
    listener.serve_forever()
