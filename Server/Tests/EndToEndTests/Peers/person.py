"""What a person does in a browser without script, for clients that are tested unmodified."""

import re
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

import requests


def sign_in(url, username, password, redirect_uri=None, browser=None):
    """Signs in where an authorization request leads to, and allows what is asked for.

    `browser` keeps the cookies; without one, they are forgotten. Returns the address that the browser is led back to, which begins with the
    request's redirect URI. A URL that brings the request by reference or signed does not show that, so it has to be given.
    """
    browser = browser or requests.Session()
    redirect_uri = redirect_uri or parse_qs(urlsplit(url).query)["redirect_uri"][0]
    answer = browser.get(url, allow_redirects=False, timeout=120)
    for _ in range(8):
        if answer.is_redirect:
            target = urljoin(answer.url, answer.headers["Location"])
            if target.startswith(redirect_uri):
                return target
            answer = browser.get(target, allow_redirects=False, timeout=120)
            continue
        form = re.search(r"<form\b([^>]*)>(.*?)</form>", answer.text, re.S | re.I)
        assert form, f"no form on the page: {answer.status_code} {answer.text[:300]}"
        fields = {}
        for tag in re.findall(r"<(?:input|button)\b[^>]*>", form.group(2), re.S | re.I):
            name = re.search(r'\bname="([^"]*)"', tag)
            value = re.search(r'\bvalue="([^"]*)"', tag)
            if name and name.group(1) not in fields:
                fields[name.group(1)] = unescape(value.group(1)) if value else ""
        fields.update(username=username, password=password)
        action = re.search(r'\baction="([^"]*)"', form.group(1))
        target = urljoin(answer.url, unescape(action.group(1))) if action else answer.url
        origin = "/".join(target.split("/")[:3])
        answer = browser.post(target, data=fields, allow_redirects=False, headers={"Origin": origin}, timeout=120)
    raise AssertionError(f"the sign-in went in circles at {answer.url}")
