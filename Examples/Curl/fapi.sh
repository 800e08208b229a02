#!/bin/sh
# A client of FAPI 2.0: its key authenticates it, it pushes its request, and each token is bound to a second key.
#   fapi.sh push           pushes a request, and prints the address for the person's browser
#   fapi.sh redeem CODE    redeems the code that the redirect URI got; the tokens are in tokens.json
#   fapi.sh call           calls userinfo with the access token
#   fapi.sh renew          gets another access token
set -eu
umask 077
client=partner redirect=https://partner.example.com/callback

# Posts a form with the client's assertion and a proof.
post() {
    path=$1
    shift
    ./dpop.sh bound.pem POST "$ISSUER$path" -d client_id=$client \
        -d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer \
        -d client_assertion="$(python3 oauth.py assertion partner.pem $client "$ISSUER")" "$@"
}

member() { python3 oauth.py member "$1" < tokens.json; }

case $1 in
push)
    openssl rand -hex 32 | tr -d '\n' > verifier
    challenge=$(openssl dgst -sha256 -binary verifier | openssl base64 | tr '+/' '-_' | tr -d '=')
    reference=$(post /oauth2/par -d response_type=code -d redirect_uri=$redirect -d "scope=openid profile offline_access payments" \
        -d code_challenge="$challenge" -d code_challenge_method=S256 -d state="$(openssl rand -hex 16)" -d nonce="$(openssl rand -hex 16)" |
        python3 oauth.py member request_uri)
    echo "$ISSUER/oauth2/authorize?client_id=$client&request_uri=$reference"
    ;;
redeem)
    post /oauth2/token -d grant_type=authorization_code -d code="$2" -d redirect_uri=$redirect -d code_verifier="$(cat verifier)" > tokens.json
    member id_token | python3 oauth.py claims "$ISSUER" $client
    ;;
call) TOKEN=$(member access_token) ./dpop.sh bound.pem GET "$ISSUER/oauth2/userinfo" ;;
renew) post /oauth2/token -d grant_type=refresh_token -d refresh_token="$(member refresh_token)" ;;
esac
