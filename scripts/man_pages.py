#!/usr/bin/env python3
"""Writes the manual pages of a program from what it declares: one for the program, and one for each of its commands with what follows.

    man_pages.py PROGRAM VERSION DATE FOLDER      a date such as 2026-11-29; the pages go into FOLDER

The declarations are those of `PROGRAM --experimental-dump-help` (swift-argument-parser), so that no option is described twice.
"""

import json
import pathlib
import re
import subprocess
import sys


def escaped(text):
    """Text as troff shows it: a dash stays one that can be copied, and a line does not begin with a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def bold(text):
    return f"\\fB{escaped(text)}\\fP"


def emphasized(text):
    return f"\\fI{escaped(text)}\\fP"


def paragraphs(text):
    """Paragraphs of a help text; indented lines, such as commands, as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if any(line.startswith(" ") for line in block.split("\n")):
            lines += [".PP", ".nf", *escaped(block).split("\n"), ".fi"]
        else:
            lines += [".PP", *escaped(block).split("\n")]
    return lines


def words(names):
    return [("--" if each["kind"] == "long" else "-") + each["name"] for each in names]


def value(argument):
    return emphasized(argument["valueName"].upper())


def described(argument):
    text = argument.get("abstract", "")
    facts = []
    if values := argument.get("allValues"):
        facts.append("values: " + ", ".join(values))
    if "defaultValue" in argument:
        facts.append("default: " + argument["defaultValue"])
    return escaped(f"{text} ({'; '.join(facts)})" if facts else text)


def shown(command):
    return [each for each in command.get("arguments", []) if each["shouldDisplay"]]


def subcommands(command):
    return [each for each in command.get("subcommands", []) if each["shouldDisplay"] and each["commandName"] != "help"]


def is_required(argument):
    """Whether it is an option that the command cannot do without."""
    return not argument["isOptional"] and argument["kind"] == "option"


def synopsis(name, command):
    """As the help has it: required options, then that there are others, then arguments."""
    required, arguments = [], []
    for argument in shown(command):
        repeated = "..." if argument["isRepeating"] else ""
        if is_required(argument):
            required.append(f"{bold(words(argument['names'])[-1])} {value(argument)}{repeated}")
        elif argument["kind"] == "positional":
            arguments.append((f"[{value(argument)}]" if argument["isOptional"] else value(argument)) + repeated)
    others = any(argument["kind"] != "positional" and not is_required(argument) for argument in shown(command))
    return " ".join([bold(name), *required, *(["[" + emphasized("OPTIONS") + "]"] if others else []), *arguments])


def options(command):
    """In the order of the help: what is required, arguments, options with a heading of their own, and the others."""
    required, arguments, others, headings = [], [], [], {}
    for argument in shown(command):
        names = ", ".join(bold(word) for word in words(argument.get("names", [])))
        tag = f"{names} {value(argument)}".strip() if argument["kind"] != "flag" else names
        if bold("--help") in names:
            continue
        if is_required(argument):
            found = required
        elif "sectionTitle" in argument:
            found = headings.setdefault(argument["sectionTitle"], [])
        else:
            found = arguments if argument["kind"] == "positional" else others
        found += [".TP", tag, described(argument)]
    parts = {"Required": required, "Arguments": arguments, **headings, "Options": others}
    parts = {title: found for title, found in parts.items() if found}
    if list(parts) == ["Options"]:
        return others
    return [line for title, found in parts.items() for line in [".PP", emphasized(title), *found]]


def section(name, command):
    """A command with its synopsis, text and options, and then the commands below it."""
    if below := subcommands(command):
        return [line for each in below for line in section(f"{name} {each['commandName']}", each)]
    text = command.get("abstract", "")
    return [f".SS {escaped(name)}", synopsis(name, command), *paragraphs(text), *paragraphs(command.get("discussion", "")), *options(command)]


def page(title, name, abstract, body, version, date):
    return "\n".join([
        f'.TH "{title.upper()}" "1" "{date}" "{version}" "User Commands"',
        ".nh", ".ad l",
        ".SH NAME", f"{escaped(title)} \\- {escaped(abstract.rstrip('.'))}",
        *body, "",
    ])


def pages(program, version, date):
    """The pages by their file names."""
    dumped = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, text=True).stdout
    root = json.loads(dumped)["command"]
    name = root["commandName"]
    found = {}
    listed = []
    for command in subcommands(root):
        title, words_of_it = f"{name}-{command['commandName']}", f"{name} {command['commandName']}"
        listed += [".TP", f"\\fB{escaped(title)}\\fP(1)", escaped(command.get("abstract", ""))]
        if subcommands(command):
            body = [".SH DESCRIPTION", *paragraphs(command.get("discussion") or command["abstract"]), ".SH COMMANDS", *section(words_of_it, command)]
        else:
            body = [".SH SYNOPSIS", synopsis(words_of_it, command), ".SH DESCRIPTION", *paragraphs(command.get("abstract", ""))]
            body += [*paragraphs(command.get("discussion", "")), *([".SH OPTIONS", *options(command)] if shown(command) else [])]
        body += [".SH SEE ALSO", f"\\fB{escaped(name)}\\fP(1)"]
        found[f"{title}.1"] = page(title, words_of_it, command.get("abstract", title), body, f"{name} {version}", date)
    body = [".SH SYNOPSIS", f"{bold(name)} {emphasized('COMMAND')} [{emphasized('OPTIONS')}]", ".SH DESCRIPTION"]
    body += [*paragraphs(root.get("discussion", "")), ".SH COMMANDS", *listed, ".SH OPTIONS", *options(root)]
    found[f"{name}.1"] = page(name, name, root["abstract"], body, f"{name} {version}", date)
    return found


def main():
    program, version, date, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(program, version, date).items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
