import Kernel
import Operations
import Store

extension CopyRefusal {
    /// What is wrong, and what to do, in one line.
    func explanation(from source: DatabaseLocation, to destination: DatabaseLocation) -> String {
        let (source, shown) = (source.asNamed, destination.asNamed)
        let another =
            destination.isPostgreSQL
            ? "drop the database, create an empty one, and run this again"
            : "remove the file with its -wal and -shm, and run this again"
        return switch self {
        case .noSource:
            "\(source) is not a database of this program, so there is nothing to copy"
        case .sourceIsNotMigrated(let version):
            "\(source) has schema \(version), and this program copies only its own, \(Schema.newest): make a backup, run "
                + "`walletauth database migrate`, then run this again"
        case .sourceIsUnfinished:
            "\(source) is itself an unfinished copy: finish it first, with the command that began it"
        // One of the two databases is PostgreSQL's.
        case .sourceIsRestored where !destination.isPostgreSQL:
            "\(source) was restored from a backup, or a standby without the last commits took over: run `walletauth "
                + "database restored`, which revokes what came back to life, and run this again"
        case .sourceIsRestored:
            "\(source) was restored from a backup, and no server has run on it since: start the server once, which "
                + "revokes what the restore brought back, stop it, and run this again"
        case .destinationIsTaken:
            "\(shown) is not empty, and a copy never replaces anything: name an empty database, or a file that does "
                + "not exist"
        case .copyOfAnother:
            "\(shown) is an unfinished copy of another database, or of this one before it was used again: \(another)"
        case .copyIsFinished(let finishedAt):
            "\(shown) is already a finished copy\(finishedAt.map { ", of \($0.text)" } ?? ""): serve it only if nothing was "
                + "served from \(source) since; for another copy, name an empty database. Nothing was changed"
        case .destinationChanged(let table):
            "something else has written to the table \(table) of \(shown) since the copy began: \(another)"
        case .differs(let tables):
            "the copy differs from its source in \(tables.joined(separator: ", ")): \(source) was used after the copy "
                + "had begun, or something else has written to \(shown). It stays out of use: \(another)"
        case .textWithZero(let table, let column):
            "the column \(column) of \(table) contains the character U+0000, which PostgreSQL cannot store: remove "
                + "that character from the source, and run this again; the copy resumes where it stopped"
        }
    }
}
