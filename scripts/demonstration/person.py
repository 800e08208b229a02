"""A person with a browser, done by the standard library: opens the page, types, presses the button."""

import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser

from narrator import Failed
from programs import PATIENCE


class Form(HTMLParser):
    """The first form of a page: where it goes and what it holds."""

    def __init__(self, html):
        super().__init__()
        self.action, self.fields, self.inside = None, {}, False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action, self.inside = attributes.get("action") or "", True
        elif self.inside and tag in ("input", "button") and attributes.get("name"):
            self.fields.setdefault(attributes["name"], attributes.get("value") or "")

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    """Signs in on a page, in a browser that keeps its cookies."""

    def __init__(self, username, password):
        self.username, self.password = username, password
        self.browser = urllib.request.build_opener(
            NoRedirect, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        )

    def open(self, url, data=None, headers=None):
        try:
            return self.browser.open(urllib.request.Request(url, data=data, headers=headers or {}), timeout=PATIENCE)
        except urllib.error.HTTPError as answer:
            return answer

    def sign_in(self, url, redirect_uri, read_code=None):
        """Returns the address that the browser is finally sent to, without opening it. `read_code` finds the code that the page asks for."""
        answer = self.open(url)
        for _ in range(8):
            location = answer.headers.get("Location")
            if location:
                target = urllib.parse.urljoin(answer.url, location)
                if target.startswith(redirect_uri):
                    return target
                answer = self.open(target)
                continue
            form = Form(answer.read().decode())
            if form.action is None:
                raise Failed(f"no form on the page at {answer.url.split('?')[0]} ({answer.status})")
            fields = {**form.fields, "username": self.username, "password": self.password}
            if "answer" in fields and read_code is not None:
                fields["answer"] = read_code()
            target = urllib.parse.urljoin(answer.url, form.action)
            origin = "/".join(target.split("/")[:3])
            answer = self.open(target, urllib.parse.urlencode(fields).encode(), {"Origin": origin})
        raise Failed("the sign-in went in circles")
