/// What a process opens the database for. With SQLite it makes no difference: one process at a time has the file.
enum DatabaseUse: Hashable, Sendable {
    case serving
    /// A command, at the same time as servers and other commands.
    case administering
    /// `keys rotate-master`, at the same time as servers and other commands: also where a key is missing and cannot be added before.
    case rewrapping
    /// `database migrate`, at the same time as servers of the previous version.
    case migrating
    /// A command that needs the database for itself.
    case alone
    /// `database restored`, which needs the database for itself and accepts one that is older than what was seen. A database that
    /// lacks nothing is accepted only with `evenIfCurrent`. If a host of the URL cannot be asked whether it accepts writes, the
    /// command is accepted only if `evenIfAway` names that host.
    case declaringRestore(evenIfCurrent: Bool, evenIfAway: [String])

    var isExclusive: Bool {
        switch self {
        case .alone, .declaringRestore: true
        case .serving, .administering, .rewrapping, .migrating: false
        }
    }

    var declaresRestore: Bool {
        if case .declaringRestore = self { true } else { false }
    }

    var declaresRestoreEvenIfCurrent: Bool {
        if case .declaringRestore(evenIfCurrent: true, evenIfAway: _) = self { true } else { false }
    }

    /// Whether it may change the schema. Other commands would surprise servers of an older version.
    var migrates: Bool {
        switch self {
        case .serving, .migrating, .declaringRestore: true
        case .administering, .rewrapping, .alone: false
        }
    }
}
