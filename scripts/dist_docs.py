#!/usr/bin/env python3
"""Copies the pages that an operator needs into the tar, with links that work there.

    dist_docs.py FOLDER      the pages and the files that they show, below it as they are in the repository

A link to what the tar does not have becomes its words, with the path in the repository behind them. Those of decisions and tests say it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["CHANGELOG.md", *(f"docs/{name}.md" for name in (
    "configuration", "operating", "postgresql", "sign-in-with-apple", "threat-model", "tour"))]
FILES = ["Examples/Deployment/haproxy.cfg", "Examples/Deployment/nginx.conf", "Examples/Deployment/walletauth.service"]

LINK = re.compile(r"\[([^][]+)\]\(([^()\s]+)\)")


def target(page, link):
    """The path in the repository that a link of a page leads to, or nothing for an address."""
    path = link.split("#")[0]
    if re.match(r"[a-z]+:", link) or not path:
        return None
    return str(((ROOT / page).parent / path).resolve().relative_to(ROOT))


def linked(page, text):
    """The text with links that work in the tar."""

    def replaced(found):
        words, link = found.groups()
        path = target(page, link)
        if path is None or any(name == path or name.startswith(path + "/") for name in PAGES + FILES):
            return found[0]
        if not (ROOT / path).exists():
            sys.exit(f"dist_docs.py: {page} links to {path}, which is nowhere")
        if path.startswith("docs/decisions") or "Tests/" in path or words == path:
            return words
        return f"{words} ({path})"

    # Lines between fences have no links.
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(replaced, part) for part in parts)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in PAGES + FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(linked(name, text) if name in PAGES else text, encoding="utf-8")
        file.chmod(0o644)


if __name__ == "__main__":
    main()
