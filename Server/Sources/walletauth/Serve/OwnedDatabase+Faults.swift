import Kernel
import Operations
import Store
import StorePostgreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an operator reads of a database that cannot be opened.
extension DatabaseLocation {
    /// A PostgreSQL database was created by its administrator, so a mistyped name is refused by the server.
    var exists: Bool { isPostgreSQL || FileStatus(path: path) != nil }

    /// The absolute path, independent of the working directory.
    private var absolutePath: String { URL(filePath: path).absoluteURL.path }
    private var folder: String { URL(filePath: path).absoluteURL.deletingLastPathComponent().path }

    var hasFolder: Bool { FileStatus(path: folder)?.kind == .directory }

    var missingFolder: Fault {
        Fault(
            "there is no folder \(folder) for \(isPostgreSQL ? "the files of the database" : "the database")",
            "Create it with `mkdir -p \(folder)`, or choose another "
                + (isPostgreSQL
                    ? "with \(Settings.postgreSQLFolder.spellings)" : "database with \(Settings.database.flag)"))
    }

    /// Tries to write a file next to the others.
    /// - Returns: why that fails; `nil` if it does not.
    var writeFailure: String? {
        DurableFile.failureToWrite(nextTo: marksPath)?.description
    }

    func unwritableFolder(_ reason: String) -> Fault {
        Fault(
            "the folder \(folder) of \(Settings.postgreSQLFolder.name) cannot be written to (\(reason)), so "
                + "an older database would not be noticed after a restart",
            "Make the user who runs the server its owner, or choose another with "
                + Settings.postgreSQLFolder.spellings)
    }

    /// A SQLite file that others can open; `nil` if there is none. The program creates its files for their owner only.
    var exposure: Fault? {
        guard !isPostgreSQL else { return nil }
        for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) {
            guard let status = FileStatus(path: file), status.kind == .file, status.isOpenToOthers else { continue }
            return Fault(
                "the database's file \(file) has mode \(status.octalMode), so others can open it",
                "chmod 600 \(file), and assume that everyone with an account on this machine has read it")
        }
        return nil
    }

    /// The file cannot be opened or read.
    /// - Parameter reason: SQLite's.
    func damaged(_ reason: String) -> Fault {
        Fault(
            "the database \(absolutePath) is damaged, or is not a database: \(reason)",
            "Check the path, and the kernel's messages (dmesg) for failures of the disk. Then restore a backup: "
                + "`walletauth database restore --from FILE` keeps the damaged file under another name")
    }

    /// An empty file was declared restored.
    var nothingRestored: Fault {
        Fault(
            "the database \(absolutePath) is empty, so no restore was declared, and nothing was changed",
            "Put the restored file in its place, or restore a backup with `walletauth database restore --from FILE`")
    }

    /// A file without tables was declared restored: all that a young database had was in its log, or the file is another program's.
    var nothingLeft: Fault {
        Fault(
            "the database \(absolutePath) has no tables of walletauth, so no restore was declared, and nothing was changed",
            "Put its write-ahead log \(path)-wal back, or restore a backup with `walletauth database restore --from FILE`. To "
                + "begin with an empty database, move \(path) and \(marksPath) away")
    }

    /// A file of a SQLite database that belongs to another user; `nil` if there is none.
    /// - Parameter user: who opens it.
    func ownerFault(for user: UInt32 = geteuid()) -> Fault? {
        for file in ["", "-wal", "-shm", ".lock"].map({ path + $0 }) {
            guard let status = FileStatus(path: file), status.owner != user else { continue }
            return Fault(
                "the database's file \(file) belongs to user \(status.owner), but this is user \(user)",
                "Run this as the user who runs the server. If that is this user, make it the owner: chown \(user) \(file)"
            )
        }
        return nil
    }

    /// An error of opening the database. Of a damaged file, or another user's, with its path and the remedy.
    func explained(_ error: any Error) -> any Error {
        guard !isPostgreSQL, let error = error as? StoreError else { return error }
        switch error.code {
        case .damaged: return Refusal(damaged(error.reason), status: ExitStatus.outOfService)
        case .file: return ownerFault().map { Refusal($0, status: ExitStatus.outOfService) } ?? error
        default: return error
        }
    }

    /// There is no database, and the command does not create one. More likely it ran in the wrong folder, or the path
    /// is mistyped.
    var missing: Fault {
        guard hasFolder else { return missingFolder }
        let place =
            path == absolutePath
            ? "Check that \(Settings.database.name) names the server's file."
            : "Run this in the folder where the server runs, or name its database with \(Settings.database.flag)."
        return Fault(
            "there is no database at \(absolutePath)",
            "\(place) To create a new one, run `walletauth database migrate`; in the sandbox, `walletauth serve` also does"
        )
    }
}

extension DatabaseLocation {
    /// In production a server creates no database. The path may be wrong, and an empty database would have no accounts.
    var missingInProduction: Fault {
        guard hasFolder else { return missingFolder }
        return Fault(
            "there is no database at \(absolutePath), and in production a server creates none",
            "If \(Settings.database.name) names the right file, create it with `walletauth database migrate`, as the user "
                + "who runs the server, or restore a backup with `walletauth database restore --from FILE`")
    }
}

extension Fault {
    static func wrongMasterKey(_ fault: MasterKeyFault) -> Fault {
        Fault(
            "the master key does not open the database's keys: \(fault)",
            "Specify the key that the database was created with or last rotated to, using "
                + "\(Settings.masterKeyFile.spellings), \(Settings.masterKeyCommand.spellings) or "
                + "\(Settings.masterKey.environmentVariable); after another key, in a line of its own. Without it the "
                + "database is useless: nothing in it can be read")
    }

    /// A key that this version needs cannot be made. It is no matter which of the two master keys is the right one: both are configured.
    static func mixedMasterKeys(_ mixed: MixedMasterKeys) -> Fault {
        Fault(
            "the database lacks a key that this version needs, and none can be made: its keys are wrapped under the master keys "
                + mixed.names,
            "Keep every master key in the setting, run `walletauth keys rotate-master`, and start again")
    }

    /// Two machines began with an empty database at once, and the other one's key came first.
    static func keyOfAnotherMachine(_ path: String) -> Fault {
        Fault(
            "another machine has just created the keys of this database, under its own master key",
            "Copy the file \(path) from there; the one that was created here has been removed")
    }

    /// In production only a command creates the schema of a PostgreSQL database.
    static func emptyDatabase(_ shown: String) -> Fault {
        Fault(
            "the database \(shown) is empty",
            "Check its name. If it is the right one, run `walletauth database migrate` for a new installation, "
                + "or `walletauth database copy` to copy the accounts of another database; in production, a server creates "
                + "no schema")
    }

    /// A restore is declared of a database that lacks nothing, as far as this machine knows.
    /// - Parameter file: the missing file with what this machine has seen; `nil` if it was read.
    static func nothingLost(of shown: String, unlessIn file: String?) -> Fault {
        let reason =
            file.map {
                "\($0) does not exist or cannot be read, so this machine cannot tell whether the database lacks anything"
            } ?? "the database has everything that this machine has seen"
        return Fault(
            "\(reason), and `database restored` signs everyone out",
            "If PostgreSQL's tools have restored \(shown) nevertheless, repeat the command with --even-if-current before "
                + "a server starts; nothing was changed")
    }

    /// A host of the URL is away while a restore is declared. It may be the new primary, and the server that answered an old one.
    static func restoreWithout(_ hosts: [UnaskedHost], at server: String?) -> Fault {
        let flags = hosts.map { "--even-if-away \($0.name)" }
        return Fault(
            hosts.map(\.words).joined(separator: "; "),
            "If \(hosts.map(\.name).joined(separator: " or ")) is the new primary, declaring "
                + "\(server ?? "another server") restored would split the data in two: make it reachable, then run this again. "
                + "If it stays stopped until you rebuild it as a standby, add \(flags.joined(separator: " ")); nothing was "
                + "changed")
    }

    /// A commit of `database restored` was not confirmed, for instance because a synchronous standby is away.
    /// - Parameter reason: names the server.
    static func undecidedRestore(of shown: String, _ reason: String) -> Fault {
        Fault(
            "the restore of the database \(shown) may or may not have been declared: \(reason)",
            "If that server is an old primary that runs again after a failover, stop it, and do not run this "
                + "again there. "
                + "Otherwise run the command again once the standby is back, before you start a server")
    }

    static func otherIssuer(recorded: String, configured: String) -> Fault {
        Fault(
            "the database belongs to the issuer \(recorded), but this configuration names \(configured)",
            "Use \(Settings.issuer.flag) \(recorded); or, to change it deliberately, run `walletauth database"
                + " change-issuer \(configured)`, after which \(PinnedIssuer.consequences)")
    }
}
