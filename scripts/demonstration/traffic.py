"""What a client library sends and is answered, printed in short: of tokens, codes and keys only the beginning."""

import json
import textwrap
import urllib.parse

import requests
from requests.adapters import HTTPAdapter

from narrator import WIDTH, dim, say
from programs import PATIENCE

# Longer than the URNs of OAuth's grants and token types.
LONG = 56


def session():
    """What a library calls with. It ignores proxies of the environment: the server is on this machine."""
    made = requests.Session()
    made.trust_env = False
    made.mount("http://", Shown())
    return made


class Shown(HTTPAdapter):
    """Prints each form that is posted. A library may repeat a request past its session, but not past this."""

    def send(self, request, **options):
        answer = super().send(request, **{**options, "timeout": PATIENCE})
        if request.method == "POST":
            show_request(request.method, request.url, request.headers, request.body or "")
            show_answer(answer.status_code, answer.content)
        return answer


def show_request(method, url, headers, body):
    if isinstance(body, bytes):
        body = body.decode()
    heads = "".join(f"   {name}: {short(headers[name])}" for name in ("Authorization", "DPoP") if name in headers)
    lines(f"{method} {urllib.parse.urlsplit(url).path}{heads}")
    # A value keeps its spaces in one line.
    lines("  ".join(f"{name}={short(value)}".replace(" ", "\0") for name, value in urllib.parse.parse_qsl(body)), "  ")


def show_answer(status, body):
    lines(f"{status} {show(json.loads(body)) if body else ''}")


def show(claims, *names):
    """An object in one line: all of it, or the members of these names."""
    kept = {name: claims[name] for name in names or claims if name in claims}
    return json.dumps(shortened(kept), ensure_ascii=False)


def shortened(value):
    if isinstance(value, dict):
        return {name: shortened(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shortened(member) for member in value]
    return short(value) if isinstance(value, str) else value


def short(text):
    """Secrets are long and have neither a space nor a colon; addresses, names and lists of scopes have."""
    if text.startswith("urn:ietf:params:oauth:request_uri:"):
        return text[:40] + "…"
    if text.startswith("Basic "):
        return text[:12] + "…"
    limit = LONG if any(mark in text for mark in ": ") else 24
    return text if len(text) <= limit else text[:10] + "…" if limit < LONG else text[:LONG] + "…"


def lines(text, indent=""):
    for number, line in enumerate(textwrap.wrap(text, WIDTH - 4, break_long_words=False, break_on_hyphens=False)):
        say(dim("    " + indent + ("  " if number else "") + line.replace("\0", " ")))
