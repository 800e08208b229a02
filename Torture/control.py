"""The control file: what the preloaded library and the driver share, and the faults that the driver switches on and off.

The layout is that of preload/torture.h.
"""

import errno
import mmap
import os
import struct

SIZE = 256 + 32 * 112
RULE = struct.Struct("<II QQQ i I I I 64s")
RULES, FIRST = 32, 256
WRITE, SYNC, TRUNCATE, RENAME, LINK, UNLINK, CREATE, READ, OPEN_TO_WRITE = (1 << bit for bit in range(9))
# Everything that a file system mounted read-only refuses. Its syncs succeed: there is nothing left to write.
CHANGES = WRITE | TRUNCATE | RENAME | LINK | UNLINK | CREATE | OPEN_TO_WRITE
ALWAYS = (1 << 64) - 1


class NothingRecorded(Exception):
    """The server runs without the preloaded library: nothing would be checked."""


class Control:
    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(SIZE)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SIZE)

    @property
    def sequence(self):
        """The number of the last record."""
        return struct.unpack_from("<Q", self.memory, 8)[0]

    def fail(self, number, operations, name, error=errno.EIO, skip=0, times=ALWAYS, keep=0, delay=0):
        """Has calls fail: of those that match, `skip` pass and `times` do not. error=0 delays them only."""
        place = FIRST + number * RULE.size
        self.memory[place : place + RULE.size] = RULE.pack(
            0, operations, skip, times, 0, error, keep, delay, 0, name.encode()
        )
        struct.pack_into("<I", self.memory, place, 1)

    def counts(self, number):
        """How many calls matched a rule, and how many of them failed."""
        fields = RULE.unpack_from(self.memory, FIRST + number * RULE.size)
        return fields[4], fields[8]

    def mend(self):
        """No call fails from now on."""
        for number in range(RULES):
            struct.pack_into("<I", self.memory, FIRST + number * RULE.size, 0)


class Recording:
    """A folder under watch, with its trace and its control file, both outside of it."""

    def __init__(self, place, library):
        self.place, self.library = place, library
        self.folder, self.trace = os.path.join(place, "disk"), os.path.join(place, "trace")
        os.makedirs(self.folder, exist_ok=True)
        os.makedirs(os.path.join(self.folder, "backups"), exist_ok=True)
        with open(self.trace, "wb"):
            pass
        self.control = Control(os.path.join(place, "control"))

    @property
    def environment(self):
        return {
            "LD_PRELOAD": self.library, "TORTURE_FOLDER": self.folder, "TORTURE_TRACE": self.trace,
            "TORTURE_CONTROL": self.control.path,
        }  # fmt: skip
