"""What the demo says, and how it looks: one line of what happened, one of why it matters."""

import os
import sys
import textwrap
import time

COLOR = sys.stdout.isatty() and "NO_COLOR" not in os.environ
WIDTH = 110


def style(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOR else text


def bold(text):
    return style("1", text)


def dim(text):
    return style("2", text)


def say(text=""):
    print(text, flush=True)


class Failed(Exception):
    """A step did not go as it must; the message is for the person who watches."""


class Step:
    """One numbered step: announced, carried out, and told in two lines."""

    count = 0

    def __init__(self, title):
        Step.count += 1
        self.title = title
        self.began = time.monotonic()
        say(f"\n{bold(f'{Step.count:2d}  {title}')}")

    def detail(self, text):
        """Something to look at on the way."""
        say(dim("    " + text))

    def done(self, what, why):
        took = time.monotonic() - self.began
        self.paragraph(style("32", "✓"), f"{what} {dim(f'({took:.1f} s)')}")
        self.paragraph(style("34", "→"), why)

    @staticmethod
    def paragraph(mark, text):
        lines = textwrap.wrap(text, WIDTH) or [""]
        say(f"    {mark} {lines[0]}")
        for line in lines[1:]:
            say(f"      {line}")


def require(condition, message):
    if not condition:
        raise Failed(message)
