"""The faults: which calls fail, on which file, when and how often."""

import errno
from dataclasses import dataclass

from control import ALWAYS, CHANGES, CREATE, LINK, OPEN_TO_WRITE, READ, RENAME, SYNC, TRUNCATE, UNLINK, WRITE
from replay import chance

LOG, DATABASE, CHECKPOINTS, COPY = "w.db-wal", "w.db", "w.db.checkpoints", "backups/*"
RENEWED, FAILURES, FOLDER = "w.db-wal.renewed", "w.db.disk-failures", "."
EIO, ENOSPC, EROFS, EDQUOT, EPERM = errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EPERM
NAMES = {
    WRITE: "write", SYNC: "sync", TRUNCATE: "truncate", RENAME: "rename", LINK: "link", UNLINK: "unlink", CREATE: "create",
    READ: "read",
}  # fmt: skip

# Which acts change the name or the size of which file: each of them fails once, and for good.
NAMED = [
    ("first start", LINK, "w.db.master-key"), ("first start", UNLINK, "w.db.master-key*.new"),
    ("first start", CREATE, DATABASE), ("first start", CREATE, LOG), ("first start", TRUNCATE, LOG),
    ("migration", LINK, "w.db.master-key"), ("migration", CREATE, DATABASE), ("migration", TRUNCATE, LOG),
    ("backup", LINK, COPY), ("backup", CREATE, COPY), ("backup", UNLINK, COPY),
    ("stop", TRUNCATE, LOG), ("stop", TRUNCATE, DATABASE), ("stop", UNLINK, LOG), ("stop", CREATE, CHECKPOINTS),
    ("stop", TRUNCATE, CHECKPOINTS),
    ("restore", RENAME, DATABASE), ("restore", RENAME, "w.db.epoch"), ("restore", TRUNCATE, LOG), ("restore", UNLINK, LOG),
    ("restore", LINK, "w.db.before-restore*"), ("restore", CREATE, "w.db.restoring"), ("restore", TRUNCATE, "w.db.restoring"),
    ("start after a kill", CREATE, RENEWED), ("start after a kill", RENAME, LOG), ("start after a kill", TRUNCATE, LOG),
    ("start after a kill", TRUNCATE, DATABASE), ("start after a kill", UNLINK, RENEWED),
]  # fmt: skip


@dataclass
class Fault:
    """An act, and what fails in it. `reached` says that a run in which nothing failed tests nothing, and is reported. `spares` says
    that nothing is wrong with the disk, which has no room: no start may end as on a failed one."""

    title: str
    act: str
    rules: list
    unready: bool = False
    reached: bool = True
    spares: bool = False


def rule(operations, name, error=EIO, skip=0, times=1, keep=0, delay=0):
    return {"operations": operations, "name": name, "error": error, "skip": skip, "times": times, "keep": keep, "delay": delay}


def one(act, operation, name, error=EIO, skip=0, times=1, keep=0, **more):
    times_said = "for good" if times == ALWAYS else f"{times} times" if times > 1 else "once"
    short = f", {keep} bytes kept" if keep else ""
    title = f"{act}: {errno.errorcode[error]} at {NAMES[operation]} {skip + 1} of {name}, {times_said}{short}"
    return Fault(title, act, [rule(operation, name, error, skip, times, keep)], **more)


def partial_checkpoint():
    """The one that a power-cut tester found: a backup's snapshot holds the checkpoints back for a while, a part of the log is
    copied into the database, and the sync of the whole copy fails once."""
    slow = rule(WRITE, "backups/*", error=0, times=ALWAYS, delay=200000)
    title = "checkpoint: EIO at the sync of the database after a checkpoint in parts"
    return Fault(title, "checkpoint", [slow, rule(SYNC, DATABASE)])


def torn_checkpoint():
    rules = [rule(WRITE, CHECKPOINTS, ENOSPC, times=2, keep=40), rule(TRUNCATE, CHECKPOINTS, ENOSPC, times=ALWAYS)]
    return Fault("stop: ENOSPC in a line of the audit checkpoints, and at its removal", "stop", rules)


def append_only_checkpoints():
    """What `chattr +a` makes of a line whose sync failed: it stays, and the disk may lack any part of it."""
    rules = [rule(SYNC, CHECKPOINTS), rule(TRUNCATE, CHECKPOINTS, EPERM, times=ALWAYS)]
    return Fault("stop: EIO at the sync of audit checkpoints that can only grow", "stop", rules)


def unrecorded_failure():
    rules = [rule(SYNC, LOG), rule(WRITE | SYNC | CREATE, FAILURES, EIO, times=ALWAYS)]
    return Fault("serve: EIO at a sync of the log, and at the record of that failure", "serve", rules)


def no_room_to_recover(error, times, *also):
    """A log that a kill left, and no room to write it again; where `times` is 1, room to write it over itself."""
    name = RENEWED if times == 1 else "w.db-wal*"
    title = f"start after a kill: {errno.errorcode[error]} at writes of {name}"
    return Fault(title + ", and EIO at the log's sync" * bool(also), "start after a kill",
                 [rule(WRITE, name, error, times=times), *also], spares=not also)  # fmt: skip


def recovery(seed):
    """A start after a kill: the log that was left is written again, and copied into the database."""
    coins = chance(seed, "recovery")
    faults = [no_room_to_recover(error, times) for error in (ENOSPC, EDQUOT) for times in (1, ALWAYS)]
    faults.append(no_room_to_recover(ENOSPC, 1, rule(SYNC, LOG)))
    for error in (EIO, ENOSPC):
        for name in (RENEWED, FOLDER, LOG, DATABASE):
            faults.append(one("start after a kill", SYNC, name, error))
        faults.append(one("start after a kill", WRITE, DATABASE, error, coins.randint(0, 20)))
    faults.append(one("start after a kill", WRITE, RENEWED, keep=coins.randint(1, 4000)))
    for name in (LOG, RENEWED, DATABASE, "w.db.master-key", "w.db.epoch", CHECKPOINTS):
        faults.append(one("start after a kill", READ, name, reached=False))
    return faults


def read_only():
    return Fault("serve: remounted read-only", "serve", [rule(CHANGES, "*", EROFS, times=ALWAYS)], unready=True)


def short(seed):
    """The few that tell most."""
    coins = chance(seed, "faults")
    return [
        partial_checkpoint(),
        one("serve", SYNC, LOG, skip=coins.randint(0, 40)),
        one("serve", WRITE, LOG, ENOSPC, skip=coins.randint(0, 40), times=ALWAYS, unready=True),
        torn_checkpoint(),
        no_room_to_recover(EDQUOT, ALWAYS),
    ]


def all_of_them(seed):
    coins = chance(seed, "faults")
    faults = [partial_checkpoint(), partial_checkpoint(), torn_checkpoint(), append_only_checkpoints(), unrecorded_failure(),
              read_only(), *recovery(seed)]  # fmt: skip
    for error in (EIO, ENOSPC):
        for operation in (WRITE, SYNC):
            for skip in (0, coins.randint(1, 20), coins.randint(21, 200)):
                faults.append(one("serve", operation, LOG, error, skip))
            faults.append(one("serve", operation, LOG, error, coins.randint(0, 50), ALWAYS, unready=True))
            faults.append(one("serve", operation, DATABASE, error, 0, 3 if operation == WRITE else 1))
            faults.append(one("backup", operation, COPY, error, coins.randint(0, 3) if operation == WRITE else 0))
            faults.append(one("backup", operation, "backups", error, reached=operation == SYNC))
            for name in (LOG, DATABASE, CHECKPOINTS):
                skip = coins.choice((0, 0, 2)) if operation == WRITE else 0
                faults.append(one("stop", operation, name, error, skip, reached=name == DATABASE))
            for skip in (0, coins.randint(1, 4), coins.randint(5, 12)):
                faults.append(one("first start", operation, "*", error, skip))
                faults.append(one("migration", operation, "*", error, skip))
            for skip in (0, coins.randint(1, 8)):
                faults.append(one("restore", operation, "*", error, skip, reached=False))
        faults.append(one("serve", WRITE, LOG, error, coins.randint(0, 30), 2, keep=coins.randint(1, 4000)))
        for act in ("stop", "restore", "first start", "migration", "backup"):
            for operation in (TRUNCATE, RENAME, LINK, UNLINK, CREATE):
                faults.append(one(act, operation, "*", error, coins.choice((0, 0, 1, 2)), reached=False))
    for act, operation, name in NAMED:
        faults.append(one(act, operation, name, EIO, reached=False))
        faults.append(one(act, operation, name, ENOSPC, times=ALWAYS, reached=False))
    for name in (LOG, DATABASE):
        for skip in (0, coins.randint(1, 30)):
            faults.append(one("serve", READ, name, EIO, skip, reached=False))
            faults.append(one("stop", READ, name, EIO, skip, reached=False))
    unwritable = [rule(OPEN_TO_WRITE, "*", EROFS, times=ALWAYS)]
    faults.append(Fault("serve: no file can be opened to write", "serve", unwritable, reached=False))
    return faults
