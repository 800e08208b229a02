"""What a person does on the hosted pages with a browser that runs no script: opens them, presses buttons, reads a code that
was sent from the sandbox's outbox.
"""

import re
from html import unescape
from urllib.parse import urljoin

import requests


class Visit:
    """One browser with its cookies, and the page that it shows."""

    def __init__(self, issuer):
        self.issuer = issuer
        self.browser = requests.Session()
        self.page = None

    def open(self, url):
        self.page = self.browser.get(url, allow_redirects=False)
        return self.page

    def hidden(self, name):
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page.text)
        assert found, f"no field {name}: {self.page.status_code} {self.page.text[:400]}"
        return unescape(found.group(1))

    def press(self, action, **fields):
        """Presses a button: every form of a page carries the same two hidden fields."""
        target = re.search(r'<form method="post" action="([^"]*)"', self.page.text)
        assert target, f"no form: {self.page.status_code} {self.page.text[:400]}"
        url = urljoin(self.page.url, unescape(target.group(1)))
        data = {"request": self.hidden("request"), "csrf": self.hidden("csrf"), "action": action, **fields}
        self.page = self.browser.post(
            url, data=data, allow_redirects=False, headers={"Origin": self.issuer, "Sec-Fetch-Site": "same-origin"}
        )
        # The page that answers the form has an address of its own.
        address = self.page.headers.get("Location", "")
        if address.startswith(self.issuer + "/") and "page=" in address:
            self.open(address)
        return self.page

    def sent_code(self, digits=6):
        """The newest code in the sandbox's outbox, which is not part of this visit."""
        outbox = requests.get(self.issuer + "/sandbox/outbox", timeout=120).text
        found = re.search(rf"<code>([0-9]{{{digits}}})</code>", outbox)
        assert found, f"no code was sent: {outbox[:400]}"
        return found.group(1)

    def sign_in(self, username, password):
        """By password and the code that was sent by e-mail."""
        self.press("sign_in", username=username, password=password)
        assert 'name="answer"' in self.page.text, f"no second factor: {self.page.status_code} {self.page.text[:400]}"
        self.press("answer_factor", answer=self.sent_code())
        return self.page

    def passkey_options(self):
        """What the page asks the browser for, as JSON text."""
        found = re.search(r'id="passkey"[^>]*? data-options="([^"]*)"', self.page.text)
        assert found, f"no passkey is asked for: {self.page.status_code} {self.page.text[:400]}"
        return unescape(found.group(1))
