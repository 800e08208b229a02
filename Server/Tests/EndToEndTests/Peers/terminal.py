"""A person at a terminal: runs a program on a pseudo-terminal and answers each of its questions when it is asked.

Usage: terminal.py PROGRAM ARGUMENTS..., with a JSON list on standard input of [question, answer]. An answer is a text, or
{"outbox": URL, "digits": N}: the newest code of so many digits in the sandbox's outbox, where a developer reads it; or
{"keys": TEXT}: what is typed without Enter, such as Ctrl-C. What the terminal showed is printed at the end, by which signal
the program ended, and whether it left the terminal without an echo; the exit status is the program's, or 3 where a question
did not come.
"""

import json
import os
import pty
import re
import sys
import termios
import urllib.request


def answer_to(given):
    if isinstance(given, str):
        return given + "\n"
    if "keys" in given:
        return given["keys"]
    with urllib.request.urlopen(given["outbox"], timeout=120) as page:
        codes = re.findall(rf"<code>(\d{{{given['digits']}}})</code>", page.read().decode())
    return codes[0] + "\n"


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:
        # Linux says so when the program has closed its end.
        return b""


def main():
    script = json.load(sys.stdin)
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.argv[1], sys.argv[1:])
    shown, seen, missing = b"", 0, None
    for question, answer in script:
        while missing is None and question.encode() not in shown[seen:]:
            part = read(terminal)
            shown += part
            if not part:
                missing = question
        if missing is not None:
            break
        seen = shown.index(question.encode(), seen) + len(question.encode())
        os.write(terminal, answer_to(answer).encode())
    while part := read(terminal):
        shown += part
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(shown.decode(errors="replace").replace("\r\n", "\n"))
    if not termios.tcgetattr(terminal)[3] & termios.ECHO:
        print("the terminal was left without an echo")
    if status < 0:
        print(f"ended by signal {-status}")
        status = 128 - status
    if missing is not None:
        print(f"never asked: {missing}")
        return 3
    return status


sys.exit(main())
