#!/bin/sh
# curl with a DPoP proof (RFC 9449): dpop.sh KEY.pem METHOD URL [options of curl]. The variable TOKEN is sent along, if there is one.
set -eu
key=$1 method=$2 url=$3
shift 3
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT

send() {
    nonce=$1
    shift
    curl -sS -D "$headers" -X "$method" "$url" -H "DPoP: $(python3 oauth.py proof "$key" "$method" "$url" "$nonce" "${TOKEN:-}")" "$@"
}

[ -z "${TOKEN:-}" ] || set -- "$@" -H "Authorization: DPoP $TOKEN"
answer=$(send '' "$@")
# The server wants its nonce in the proof, and has used up nothing yet: the same request again, with a new proof.
case $answer$(cat "$headers") in
*use_dpop_nonce*) answer=$(send "$(tr -d '\r' < "$headers" | awk 'tolower($1) == "dpop-nonce:" { print $2 }')" "$@") ;;
esac
printf '%s\n' "$answer"
