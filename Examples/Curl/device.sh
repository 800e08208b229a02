#!/bin/sh
# Sign-in on a device without a browser (RFC 8628). It waits for the person, and then prints the tokens, or why there are none.
set -eu
codes=$(curl -sS "$ISSUER/oauth2/device_authorization" -d client_id=till)
code() { printf %s "$codes" | python3 oauth.py member "$1"; }
echo "Open $(code verification_uri) and type $(code user_code)"
interval=$(code interval)
while sleep "$interval"; do
    answer=$(curl -sS "$ISSUER/oauth2/token" -d client_id=till -d device_code="$(code device_code)" \
        -d grant_type=urn:ietf:params:oauth:grant-type:device_code)
    case $answer in
    *authorization_pending*) ;;
    *slow_down*) interval=$((interval + 5)) ;;
    *) break ;;
    esac
done
printf '%s\n' "$answer"
