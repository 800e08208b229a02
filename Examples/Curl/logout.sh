#!/bin/sh
# Sign-out by a client (OpenID Connect RP-Initiated Logout): the partner sends the person's browser to this address, which leads it back.
set -eu
curl -sS -o /dev/null -w '%{http_code} %{redirect_url}\n' -G "$ISSUER/oauth2/logout" \
    --data-urlencode id_token_hint="$(python3 oauth.py member id_token < tokens.json)" \
    --data-urlencode post_logout_redirect_uri=https://partner.example.com/goodbye -d state=see-you
