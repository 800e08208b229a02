#!/bin/sh
# What the server says about a token, as a JWT that the service can keep and show (RFC 9701): introspect.sh < TOKEN
set -eu
curl -sS -u "orders:$SECRET" "$ISSUER/oauth2/introspect" -H "Accept: application/token-introspection+jwt" -d token="$(cat)" |
    python3 oauth.py claims "$ISSUER" orders
