"""What curl lacks: keys, signatures and members of JSON. It needs `pip install joserfc`.

    oauth.py keys KEY.pem                             the public key as a JWK set, for `walletauth client create --jwks`
    oauth.py assertion KEY.pem CLIENT ISSUER          proves who the client is (private_key_jwt, RFC 7523)
    oauth.py proof KEY.pem METHOD URL NONCE TOKEN     proves the key of a token (DPoP, RFC 9449); NONCE and TOKEN may be empty
    oauth.py claims ISSUER AUDIENCE                   the claims of the JWT on standard input, if its signature is right
    oauth.py member NAME                              that member of the JSON object on standard input
"""

import base64
import hashlib
import json
import secrets
import sys
import time
import urllib.request

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet


def read(file):
    with open(file, "rb") as pem:
        return ECKey.import_key(pem.read())


def public(key):
    return {**key.as_dict(private=False), "kid": key.thumbprint()}


def keys(file):
    return json.dumps({"keys": [public(read(file))]})


def assertion(file, client, issuer):
    now, key = int(time.time()), read(file)
    claims = {"iss": client, "sub": client, "aud": issuer, "iat": now, "exp": now + 60, "jti": secrets.token_urlsafe(16)}
    return jwt.encode({"alg": "ES256", "kid": key.thumbprint()}, claims, key)


def proof(file, method, url, nonce, token):
    key = read(file)
    claims = {"jti": secrets.token_urlsafe(16), "iat": int(time.time()), "htm": method, "htu": url.split("?")[0]}
    if nonce:
        claims["nonce"] = nonce
    if token:
        claims["ath"] = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
    return jwt.encode({"alg": "ES256", "typ": "dpop+jwt", "jwk": key.as_dict(private=False)}, claims, key)


def claims(issuer, audience):
    with urllib.request.urlopen(issuer + "/.well-known/jwks.json") as answer:
        published = KeySet.import_key_set(json.load(answer))
    found = jwt.decode(sys.stdin.read().strip(), published, algorithms=["RS256", "ES256"]).claims
    rules = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": audience}}
    jwt.JWTClaimsRegistry(leeway=30, **rules).validate(found)
    return json.dumps(found)


def member(name):
    answer = json.load(sys.stdin)
    return answer.get(name) or sys.exit(str(answer))


commands = {"keys": keys, "assertion": assertion, "proof": proof, "claims": claims, "member": member}
print(commands[sys.argv[1]](*sys.argv[2:]))
