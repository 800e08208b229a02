"""Reads a trace."""

import struct
from dataclasses import dataclass

HEADER = struct.Struct("<IHHQQQQqIi")
OPEN, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, RENAME, LINK, UNLINK = range(1, 9)
MAKE_FOLDER, REMOVE_FOLDER, ANSWER, UNSOUND, FAULT = range(9, 14)
CREATED, FOLDER, LOCAL = 1, 2, 4


class UnsoundTrace(Exception):
    """A call that the model does not know: nothing that the replay says would be true."""


@dataclass(slots=True)
class Record:
    kind: int
    flags: int
    sequence: int
    time: float
    file: int
    offset: int
    value: int
    process: int
    error: int
    data: bytes

    @property
    def name(self):
        return self.data.decode()

    @property
    def names(self):
        return tuple(part.decode() for part in self.data.split(b"\0"))


def read(path):
    """The records in order. A number that is missing, or a call outside of the model, ends the run."""
    with open(path, "rb") as file:
        trace = memoryview(file.read())
    place, records = 0, []
    while place < len(trace):
        size, kind, flags, sequence, time, inode, offset, value, process, error = HEADER.unpack_from(trace, place)
        place += HEADER.size
        data = bytes(trace[place : place + size])
        place += size
        if sequence != len(records) + 1 or len(data) != size:
            raise UnsoundTrace(f"record {len(records) + 1} of {path} is not where it has to be")
        if kind == UNSOUND:
            raise UnsoundTrace(f"record {sequence}: the model does not know {data.decode(errors='replace')}")
        records.append(Record(kind, flags, sequence, time / 1e9, inode, offset, value, process, error, data))
    return records


def answers(records):
    """The records at which answers began, by peer: a port, or the process of a command at the administration's socket."""
    moments = {}
    for record in records:
        if record.kind == ANSWER:
            moments.setdefault((bool(record.flags & LOCAL), record.value), []).append(record.sequence)
    return moments
