"""A browser without scripts at a sign-in page whose code a phone scans, and the camera of that phone."""

import re
import struct
import urllib.parse
import zlib

from narrator import require
from person import Person

# What zooming in on the page would do: so many points for a square of the code.
ZOOM = 8


class Computer(Person):
    """Someone who has opened the sign-in page, and types nothing there."""

    def __init__(self, agent):
        super().__init__("", "")
        self.browser.addheaders = [("User-Agent", agent)]
        # Where the browser is, and what it shows.
        self.url, self.page = None, ""

    def go(self, url, until=None, data=None):
        """Follows redirects up to the app's address, which it does not open."""
        headers = {"Origin": "/".join(url.split("/")[:3])} if data is not None else None
        answer = self.open(url, data, headers)
        while location := answer.headers.get("Location"):
            target = urllib.parse.urljoin(answer.url, location)
            if until is not None and target.startswith(until):
                self.url, self.page = target, ""
                return
            answer = self.open(target)
        self.url, self.page = answer.url, answer.read().decode()

    def show_code(self, url):
        """Opens the sign-in page, and presses the button below the password."""
        self.go(url)
        form = re.search(r'<form[^>]*action="([^"]*)"[^>]*>(?:(?!</form>).)*value="use_phone".*?</form>', self.page, re.S)
        require(form, f"the sign-in page offers no phone: {self.page[:300]}")
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0]))
        button = re.search(r'<button[^>]*name="([^"]+)" value="use_phone"', form[0])
        fields[button[1]] = "use_phone"
        self.go(urllib.parse.urljoin(self.url, form[1]), data=urllib.parse.urlencode(fields).encode())
        require('class="symbol"' in self.page, "the page shows no code")

    def reload(self, until=None):
        """What the page does by itself every few seconds."""
        self.go(self.url, until)

    def number(self):
        """The number that the page shows once a phone has scanned the code."""
        found = re.search(r'class="scan-number"[^>]*>(\d+)<', self.page)
        require(found, "the page shows no number")
        return int(found[1])

    def heading(self):
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.page, re.S)
        return found[1].strip() if found else "nothing"

    def photograph(self, file):
        """Writes the code as a picture, in gray, as a camera sees it: the page draws it as rows of squares."""
        drawn = re.search(r'class="symbol" viewBox="0 0 (\d+) \1".*?<path d="([^"]+)"', self.page, re.S)
        require(drawn, "the page draws no code")
        size = int(drawn[1])
        rows = [bytearray(b"\xff" * size) for _ in range(size)]
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", drawn[2]):
            rows[int(row)][int(column) : int(column) + int(length)] = bytes(int(length))
        lines = b"".join((b"\0" + bytes(point for point in row for _ in range(ZOOM))) * ZOOM for row in rows)
        header = struct.pack(">IIBBBBB", size * ZOOM, size * ZOOM, 8, 0, 0, 0, 0)
        with open(file, "wb") as picture:
            picture.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
        return file


def chunk(kind, data):
    """A piece of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
