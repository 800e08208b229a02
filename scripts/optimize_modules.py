"""Sends each module of the SDK and the server through the optimizer, with the arguments of the debug build and no machine code.

Usage: optimize_modules MANIFEST-OF-A-DEBUG-BUILD EMPTY-FOLDER SOURCES...
"""

import json
import os
import re
import subprocess
import sys

# What the debug build adds for its own purposes; those of the second kind have a value.
FLAGS = {
    "-c", "-emit-dependencies", "-emit-module", "-enable-batch-mode", "-enable-testing", "-incremental", "-Onone",
    "-serialize-diagnostics", "-DDEBUG",
}  # fmt: skip
PAIRS = {"-emit-module-path", "-index-store-path", "-output-file-map"}
SUFFIX = ".swiftmodule"


def commands(manifest, folders):
    """By module: how the debug build compiles it, and the modules that it needs."""
    found = {}
    with open(manifest, encoding="utf-8") as file:
        tasks = re.split(r'^  "', file.read(), flags=re.MULTILINE)
    for task in tasks:
        lists = {key: json.loads(text) for key, text in re.findall(r"^    (args|inputs): (\[.*\])$", task, re.MULTILINE)}
        arguments, inputs = lists.get("args", []), lists.get("inputs", [])
        sources = [path for path in inputs if path.endswith(".swift")]
        if "-module-name" not in arguments or not sources or not all(path.startswith(folders) for path in sources):
            continue
        needs = [os.path.basename(path).removesuffix(SUFFIX) for path in inputs if path.endswith(SUFFIX)]
        # A module that nothing needs has no list of its sources yet.
        arguments = [part for part in arguments if not part.startswith("@")] + sources
        found[arguments[arguments.index("-module-name") + 1]] = (arguments, needs)
    return found


def in_order(found):
    """The modules, each after those that it needs."""
    ordered = {}

    def add(name):
        if name in found and name not in ordered:
            for needed in found[name][1]:
                add(needed)
            ordered[name] = None

    for name in found:
        add(name)
    return list(ordered)


def optimize(name, arguments, folder):
    kept, values = [], iter(arguments)
    for argument in values:
        if argument in PAIRS:
            next(values)
        elif argument not in FLAGS:
            kept.append(argument)
    # The optimized modules come before those of the debug build.
    command = [
        kept[0], "-O", "-wmo", "-Xfrontend", "-enable-default-cmo", "-I", folder, *kept[1:],
        "-emit-module", "-emit-module-path", os.path.join(folder, name + SUFFIX),
    ]  # fmt: skip
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}\nThe optimizer fails at the module {name}.")


def main():
    manifest, folder, *sources = sys.argv[1:]
    found = commands(manifest, tuple(os.path.join(path, "") for path in sources))
    if not found:
        sys.exit(f"{manifest} compiles nothing in {' and '.join(sources)}")
    for name in in_order(found):
        optimize(name, found[name][0], folder)
    print(f"{len(found)} modules")


main()
