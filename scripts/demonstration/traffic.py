"""What a client library sends and is answered, printed in short: of tokens, codes and keys only the beginning."""

import json
import textwrap
import urllib.parse

import requests
from requests.adapters import HTTPAdapter

from narrator import WIDTH, dim, say
from programs import PATIENCE

# A UUID and a prefix are shorter, and what has 256 bits is longer.
LONG = 40
# Says nothing that the assertion does not.
UNSAID = "client_assertion_type"


def session():
    """What a library calls with. It ignores proxies of the environment: the server is on this machine."""
    made = requests.Session()
    made.trust_env = False
    made.mount("http://", Shown())
    return made


class Shown(HTTPAdapter):
    """Prints each form that is posted. A library may repeat a request past its session, but not past this."""

    is_repeated = False

    def send(self, request, **options):
        answer = super().send(request, **{**options, "timeout": PATIENCE})
        if request.method == "POST":
            self.show(request, answer)
        return answer

    def show(self, request, answer):
        body = json.loads(answer.content) if answer.content else {}
        if self.is_repeated:
            lines("The same again, with that nonce in the proof:")
        else:
            show_request(request)
        self.is_repeated = body.get("error") == "use_dpop_nonce"
        if self.is_repeated:
            lines(f"{answer.status_code} use_dpop_nonce   DPoP-Nonce: {short(answer.headers['DPoP-Nonce'])}")
        else:
            lines(f"{answer.status_code} {described(body)}")


def show_request(request):
    proof = f"   DPoP: {short(request.headers['DPoP'])}" if "DPoP" in request.headers else ""
    lines(f"{request.method} {urllib.parse.urlsplit(request.url).path}{proof}")
    body = request.body or ""
    show_parameters(urllib.parse.parse_qsl(body if isinstance(body, str) else body.decode()))


def show_parameters(parameters):
    lines("  ".join(unbroken(f"{name}={short(value)}") for name, value in parameters if name != UNSAID), "  ")


def described(claims, *names):
    """An object in one line: all of it, or the members of these names."""
    kept = {name: shortened(claims[name]) for name in names or claims if name in claims}
    return "{" + ", ".join(unbroken(json.dumps({name: kept[name]}, ensure_ascii=False)[1:-1]) for name in kept) + "}"


def shortened(value):
    if isinstance(value, dict):
        return {name: shortened(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shortened(member) for member in value]
    return short(value) if isinstance(value, str) else value


def short(text):
    """Secrets are long and have neither a space nor a colon; addresses, sentences and lists of scopes have."""
    if text.startswith("urn:ietf:params:oauth:request_uri:"):
        return text[:LONG] + "…"
    is_secret = len(text) > LONG and not any(mark in text for mark in ": ")
    return text[:10] + "…" if is_secret else text


def unbroken(text):
    """For `lines`: what stays in one line, if that is possible at all."""
    return text.replace(" ", "\0") if len(text) < WIDTH - 10 else text


def lines(text, indent=""):
    wrapped = textwrap.wrap(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(wrapped):
        say(dim("    " + indent + ("  " if number else "") + line.replace("\0", " ")))
