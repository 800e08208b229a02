#!/usr/bin/env python3
"""The PINs that WPIN-1 (docs/wpin-1.md) forbids, a second time, with nothing of the Swift code in it.

    pins.py --check pins.json     holds the lists of refused PINs in the file against the rules
    pins.py --write pins.json     makes them from the rules and from what is `listed` in the file

A client needs the rules and `listed`, or the two lists `refused` alone where its PINs have four or six digits.
"""

import argparse
import json
import pathlib
import sys


def is_row(digits):
    """All digits the same step apart, counted around from 9 to 0."""
    step = digits[1] - digits[0]
    for a, b in zip(digits[1:], digits[2:]):
        if (b - a - step) % 10:
            return False
    return True


def is_neighbor_row(digits):
    """A row by steps of one, upwards or downwards, or of none."""
    return is_row(digits) and (digits[1] - digits[0]) % 10 in (0, 1, 9)


def is_repeated(digits):
    """A block that fills the PIN, at least twice."""
    for length in range(1, len(digits) // 2 + 1):
        if len(digits) % length == 0 and digits == digits[:length] * (len(digits) // length):
            return True
    return False


def is_refused(pin, rules):
    # The bytes of ASCII digits have the differences of the digits.
    digits = pin.encode()
    half, is_even = len(digits) // 2, len(digits) % 2 == 0
    first, last = rules["years"]
    return (
        len(set(pin)) < rules["differentDigits"]
        or is_row(digits)
        or is_repeated(digits)
        or (len(digits) >= 6 and is_even and is_neighbor_row(digits[:half]) and is_neighbor_row(digits[half:]))
        or (is_even and digits[::2] == digits[1::2] and is_neighbor_row(digits[::2]))
        or (len(digits) == 4 and first <= int(pin) <= last)
        or pin in rules["listed"]
    )


def refused(length, rules):
    """Every refused PIN of so many digits."""
    listed = rules | {"listed": set(rules["listed"])}
    return [pin for pin in (f"{number:0{length}}" for number in range(10**length)) if is_refused(pin, listed)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", metavar="FILE")
    action.add_argument("--check", metavar="FILE")
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.write or arguments.check)
    kept = json.loads(path.read_text(encoding="utf-8"))
    if arguments.write:
        made = {str(length): refused(length, kept["rules"]) for length in (4, 6)}
        text = json.dumps(kept | {"refused": made}, indent=2, ensure_ascii=False)
        # Sixteen to a line.
        for pins in made.values():
            column = ",\n".join(f'      "{pin}"' for pin in pins)
            lines = [", ".join(f'"{pin}"' for pin in pins[i : i + 16]) for i in range(0, len(pins), 16)]
            text = text.replace(column, "      " + ",\n      ".join(lines))
        path.write_text(text + "\n", encoding="utf-8")
        return
    for length in (4, 6):
        made = refused(length, kept["rules"])
        assert kept["refused"][str(length)] == made, f"the refused PINs of {length} digits are others"
    for case in kept["cases"]:
        of_rules = kept["rules"] | {"minimum": case.get("minimum", kept["rules"]["newMinimum"])}
        assert fault(case["pin"], of_rules) == case["fault"], f"{case} is something else"


def fault(pin, rules):
    """Why a new PIN is not taken; None where it is."""
    if not all("0" <= letter <= "9" for letter in pin):
        return "malformed"
    if len(pin) > rules["longest"]:
        return "tooLong"
    if len(pin) < max(rules["shortest"], rules["minimum"]):
        return "tooShort"
    return "tooCommon" if is_refused(pin, rules) else None


if __name__ == "__main__":
    if not __debug__:
        sys.exit("pins.py checks by assertions, which -O leaves out")
    try:
        main()
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"pins.py: {error}")
