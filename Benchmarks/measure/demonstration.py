"""The person of the demonstration, who signs in here as well, with a browser whose cookies can be seen."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "demonstration"))

import person  # noqa: E402


class Person(person.Person):
    def cookies(self):
        """The Cookie header of the browser."""
        jars = (handler.cookiejar for handler in self.browser.handlers if hasattr(handler, "cookiejar"))
        return "; ".join(f"{cookie.name}={cookie.value}" for jar in jars for cookie in jar)
