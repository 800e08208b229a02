#!/bin/sh
# A service exchanges the token of its caller for one that another service takes (RFC 8693): exchange.sh RESOURCE < TOKEN
# The caller's token is bound to the caller's key, so the service proves one of its own, to which the new token is bound.
set -eu
./dpop.sh orders.pem POST "$ISSUER/oauth2/token" -u "orders:$SECRET" -d resource="$1" -d subject_token="$(cat)" \
    -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange -d subject_token_type=urn:ietf:params:oauth:token-type:access_token
