"""The MCP client of the Python SDK, unmodified, at a resource that names the server under test: sign-in, call, renewal.

Arguments: ISSUER CLIENT_ID USERNAME PORT, the password on standard input. CLIENT_ID is an address; http://127.0.0.1:PORT/mcp has to be one
of its resources. Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import asyncio
import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

import person

METADATA = "/.well-known/oauth-protected-resource/mcp"


class Resource(BaseHTTPRequestHandler):
    """Asks for a token, says where there is one (RFC 9728), and answers with what is in it."""

    def do_GET(self):
        origin = f"http://127.0.0.1:{self.server.server_port}"
        token = self.headers.get("Authorization", "")
        if self.path == METADATA:
            document = {
                "resource": f"{origin}/mcp",
                "authorization_servers": [self.server.issuer],
                "scopes_supported": ["openid", "profile"],
            }
            self.answer(200, document)
        elif token.startswith("Bearer "):
            payload = token.split(".")[1]
            self.answer(200, json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))
        else:
            self.answer(401, {}, f'Bearer resource_metadata="{origin}{METADATA}"')

    def answer(self, status, document, challenge=None):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Storage(TokenStorage):
    """Keeps everything in memory, and each token that was ever there."""

    def __init__(self):
        self.tokens, self.client, self.secrets = None, None, []

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens
        self.secrets += [tokens.access_token, tokens.refresh_token]

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def main():
    issuer, client_id, username, port = sys.argv[1:5]
    password = sys.stdin.readline().rstrip("\n")
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Resource)
    server.issuer = issuer
    threading.Thread(target=server.serve_forever, daemon=True).start()
    visits = []

    async def visit(url):
        visits.append(await asyncio.to_thread(person.sign_in, url, username, password))

    async def callback():
        response = parse_qs(urlsplit(visits[-1]).query)
        return AuthorizationCodeResult(code=response["code"][0], state=response["state"][0], iss=response["iss"][0])

    storage = Storage()
    resource = f"http://127.0.0.1:{port}/mcp"
    provider = OAuthClientProvider(
        server_url=resource,
        client_metadata=OAuthClientMetadata(redirect_uris=[f"http://127.0.0.1:{port}/callback"], client_name="One"),
        storage=storage,
        redirect_handler=visit,
        callback_handler=callback,
        client_metadata_url=client_id,
    )
    async with httpx2.AsyncClient(auth=provider, timeout=120) as http:
        first = await http.get(resource)
        claims = first.json()
        # As after the lifetime of the token.
        provider.context.token_expiry_time = 1.0
        second = await http.get(resource)
    audience = claims["aud"]
    seen = {
        "status": first.status_code,
        "client_id": claims["client_id"],
        "audience": audience if isinstance(audience, list) else [audience],
        "scope": claims.get("scope"),
        "renewed_status": second.status_code,
        "new_access_token": len(set(storage.secrets)) == 4,
        "visits": len(visits),
        "secrets": [password] + [secret for secret in storage.secrets if secret],
    }
    print(json.dumps(seen))


asyncio.run(main())
