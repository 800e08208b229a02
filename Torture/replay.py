"""Replays a trace record by record, and stops where the power is cut."""

import os
import random

import records
from disk import Disk
from records import CREATED, FOLDER


class Replay:
    def __init__(self, trace, base=None):
        self.trace, self.disk, self.done = trace, Disk(base), 0

    def until(self, cut):
        """The first `cut` records happened."""
        for record in self.trace[self.done : cut]:
            self.step(record)
        self.done = max(self.done, cut)
        return self.disk

    def step(self, record):
        disk, sequence, kind = self.disk, record.sequence, record.kind
        if kind == records.WRITE:
            disk.write(record)
        elif kind == records.SYNC_ENDS:
            node = disk.inodes[record.file]
            if record.error:
                node.sync_failed(record.value)
            else:
                disk.synced(node, record.value)
        elif kind == records.OPEN:
            disk.open(record, record.flags & CREATED, bool(record.flags & FOLDER))
        elif kind == records.TRUNCATE:
            disk.truncate(record)
        elif kind == records.RENAME:
            old, new = record.names
            node = disk.names[old]
            disk.rename(sequence, {old: None, new: node}, [node])
        elif kind == records.LINK:
            old, new = record.names
            node = disk.names[old]
            disk.rename(sequence, {new: node}, [node])
        elif kind in (records.UNLINK, records.REMOVE_FOLDER):
            # A socket is a name that was never opened.
            if (node := disk.names.get(record.names[0])) is not None:
                disk.rename(sequence, {record.names[0]: None}, [node])
        elif kind == records.MAKE_FOLDER:
            raise records.UnsoundTrace(f"record {sequence} makes a folder, whose inode the trace does not tell")


def write_image(files, place):
    """Puts the files of an image into a folder."""
    os.makedirs(place)
    for name, content in sorted(files.items()):
        path = os.path.join(place, name)
        if content is None:
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)


def chance(*of):
    """A source of coins that is the same for the same image."""
    return random.Random(":".join(map(str, of)))
