"""What a disk holds after a power cut: the model that turns a trace into images.

Bytes are on the disk once a sync of their file succeeded. A sync that fails leaves the bytes it should have written in the
page cache, marked clean: programs go on reading them, and the disk never gets them unless their page is written again.

Names are modelled in two ways. Strictly, a name is on the disk once its folder was synced. As ext4 does it, names and sizes
go through one journal in order, and a sync of a file or folder with a part in what is not yet committed commits all of it.
"""

import os

PAGE, SECTOR = 4096, 512
POLICIES = ("none", "all", "prefix", "suffix", "files", "pages", "sectors")
STRICT, JOURNAL = "strict", "journal"


class Node:
    """A file or a folder, by whatever names."""

    def __init__(self, is_folder=False, content=b""):
        self.is_folder = is_folder
        self.disk, self.cache = bytearray(content), bytearray(content)
        # Since the last sync, in order: (record, offset, data), and (record, size, None) for a truncation.
        self.pending = []
        self.lost = set()

    def write(self, sequence, offset, data):
        end = offset + len(data)
        if len(self.cache) < end:
            self.cache.extend(bytes(end - len(self.cache)))
        self.cache[offset:end] = data
        self.pending.append((sequence, offset, data))
        for page in self.lost.intersection(range(offset // PAGE, -(-end // PAGE))):
            # The page is dirty again, all of it.
            self.lost.discard(page)
            self.pending.append((sequence, page * PAGE, bytes(self.cache[page * PAGE : (page + 1) * PAGE])))

    def truncate(self, sequence, size):
        resize(self.cache, size)
        self.lost = {page for page in self.lost if page * PAGE < size}
        self.pending.append((sequence, size, None))

    def synced(self, began):
        for operation in self.pending:
            if operation[0] < began:
                apply(self.disk, operation)
        self.pending = [operation for operation in self.pending if operation[0] >= began]

    def sync_failed(self, began):
        kept = []
        for sequence, offset, data in self.pending:
            if data is None or sequence >= began:
                kept.append((sequence, offset, data))
            else:
                self.lost.update(range(offset // PAGE, -(-(offset + len(data)) // PAGE)))
        self.pending = kept


def resize(content, size):
    if len(content) > size:
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))


def apply(content, operation):
    _, offset, data = operation
    if data is None:
        resize(content, offset)
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class Change:
    """A change of names, or of a size, that is not on the disk yet."""

    def __init__(self, sequence, names, folders, nodes):
        self.sequence, self.names, self.folders, self.nodes = sequence, names, set(folders), nodes


class Disk:
    def __init__(self, base=None):
        self.root = Node(is_folder=True)
        self.names, self.inodes = {".": self.root}, {}
        if base:
            self.load(base)
        else:
            self.names["backups"] = Node(is_folder=True)
        self.strict, self.committed = dict(self.names), dict(self.names)
        self.unsynced, self.journal = [], []

    def load(self, base):
        """What lay on the disk, whole, before the trace began."""
        for place, folders, files in os.walk(base):
            below = os.path.relpath(place, base)
            for name in folders:
                self.names[os.path.normpath(os.path.join(below, name))] = Node(is_folder=True)
            for name in files:
                path = os.path.join(place, name)
                if os.path.isfile(path) and not name.endswith("-shm"):
                    with open(path, "rb") as file:
                        self.names[os.path.normpath(os.path.join(below, name))] = Node(content=file.read())

    # --- what the records do

    def open(self, record, created, is_folder):
        if created:
            node = Node(is_folder)
            self.inodes[record.file] = node
            self.rename(record.sequence, {record.name: node}, [node])
        elif record.file not in self.inodes:
            if record.name not in self.names:
                raise LookupError(f"record {record.sequence} opens {record.name}, which the trace did not make")
            self.inodes[record.file] = self.names[record.name]

    def rename(self, sequence, names, nodes):
        folders = [self.names[os.path.dirname(name) or "."] for name in names]
        change = Change(sequence, names, folders, [*nodes, *folders])
        self.apply_names(self.names, names)
        self.unsynced.append(change)
        self.journal.append(change)

    @staticmethod
    def apply_names(table, names):
        for name, node in names.items():
            if node is None:
                table.pop(name, None)
            else:
                table[name] = node

    def write(self, record):
        node = self.inodes[record.file]
        if record.offset + len(record.data) > len(node.cache):
            # A longer file is a change of its inode: a sync of it commits the journal.
            self.journal.append(Change(record.sequence, {}, (), [node]))
        node.write(record.sequence, record.offset, record.data)

    def truncate(self, record):
        node = self.inodes[record.file]
        self.journal.append(Change(record.sequence, {}, (), [node]))
        node.truncate(record.sequence, record.value)

    def synced(self, node, began):
        node.synced(began)
        if any(node in change.nodes for change in self.journal if change.sequence < began):
            for change in self.journal:
                if change.sequence < began:
                    self.apply_names(self.committed, change.names)
            self.journal = [change for change in self.journal if change.sequence >= began]
        if node.is_folder:
            for change in self.unsynced:
                if change.sequence < began:
                    change.folders.discard(node)
                    if not change.folders:
                        self.apply_names(self.strict, change.names)
            self.unsynced = [change for change in self.unsynced if change.folders]

    # --- what a power cut leaves

    def after(self, policy, names, chance):
        """The files by name: what is on the disk, and of the rest what the policy keeps."""
        table, committed = (self.strict_names if names == STRICT else self.journal_names)(policy, chance)
        keeps = self.keeper(policy, chance)
        return {
            name: None if node.is_folder else self.content(node, keeps, committed)
            for name, node in table.items() if name != "."
        }  # fmt: skip

    def strict_names(self, policy, chance):
        """Each change that was not synced may be there or not, whatever became of the others."""
        table = dict(self.strict)
        for number, change in enumerate(self.unsynced):
            if policy == "all" or (policy != "none" and chance.random() < 0.5):
                self.apply_names(table, change.names)
        return table, None

    def journal_names(self, policy, chance):
        """A prefix of the journal is there; truncations behind it are not."""
        count = {"none": 0, "all": len(self.journal)}.get(policy)
        if count is None:
            count = chance.randint(0, len(self.journal))
        table = dict(self.committed)
        for change in self.journal[:count]:
            self.apply_names(table, change.names)
        return table, self.journal[count].sequence if count < len(self.journal) else float("inf")

    def keeper(self, policy, chance):
        """Which parts of a write are kept: (offset, length) within it."""
        waiting = sorted(o[0] for node in set(self.names.values()) for o in node.pending)
        place = chance.choice(waiting) if waiting else 0
        whole_files = {}

        def keeps(node, sequence, offset, size):
            if policy == "pages" or policy == "sectors":
                return pieces(offset, size, PAGE if policy == "pages" else SECTOR, chance)
            if policy == "files":
                kept = whole_files.setdefault(id(node), chance.random() < 0.5)
            else:
                kept = {"none": False, "all": True, "prefix": sequence <= place, "suffix": sequence >= place}[policy]
            return [(0, size)] if kept else []

        return keeps

    @staticmethod
    def content(node, keeps, committed):
        content, limit = bytearray(node.disk), None
        for sequence, offset, data in node.pending:
            if data is None:
                # In the journal, or by the policy; behind a cut that the journal does not have, pages are no file's yet.
                if sequence < committed if committed is not None else keeps(node, sequence, 0, 1):
                    resize(content, offset)
                elif committed is not None:
                    limit = offset if limit is None else min(limit, offset)
                continue
            for start, length in keeps(node, sequence, offset, len(data)):
                part = data[start : start + length]
                if limit is not None:
                    part = part[: max(0, limit - offset - start)]
                if part:
                    apply(content, (sequence, offset + start, part))
        return bytes(content)


def pieces(offset, size, unit, chance):
    """The parts of a write that lie in pages or sectors which the coin keeps."""
    kept, start = [], 0
    while start < size:
        length = min(unit - (offset + start) % unit, size - start)
        if chance.random() < 0.5:
            kept.append((start, length))
        start += length
    return kept
