import Core

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A number that the first start after each restore of a SQLite database chooses (``next(after:now:)``). A file next to the
/// database has the current one, and the database has the one it was last opened with. A PostgreSQL database has only its
/// own, since every machine would need the file.
///
/// A restored database is older than the last acknowledged writes: it would revive sessions that have ended and codes
/// that were used. If its number differs from the file's, the database was restored, and the server revokes everything
/// that would come back to life. A counter would not do: a backup from a machine that was restored before contains its
/// count, and another machine could arrive at the same count.
struct RestoreEpoch {
    private let path: String

    init(database: DatabaseLocation) {
        path = database.epochPath
    }

    /// The number; 0 if there was never a restore. If the file is lost, the database has a number other than 0, and
    /// everyone must sign in again, which is the safe side.
    ///
    /// - Throws: `Refusal` if the file does not contain a number.
    func read() throws(Refusal) -> Int64 {
        guard FileStatus(path: path) != nil else { return 0 }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 32,
            let epoch = Int64(String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }), epoch >= 0
        else {
            throw Refusal(
                "\(path) does not contain a number: write one that it has never contained; every session then ends",
                status: ExitStatus.outOfService)
        }
        return epoch
    }

    /// Chooses a new number. It is on the disk when this returns.
    /// - Parameter known: the restored database's number. It may be higher than that of the file, which may be lost.
    func renew(after known: Int64, now: Timestamp) throws(Refusal) {
        // A damaged file is replaced as well: every number but the database's is good.
        let former = (try? read()) ?? 0
        do {
            try DurableFile.replace(path, with: Data("\(Self.next(after: max(known, former), now: now))\n".utf8))
        } catch {
            throw Refusal("\(path) cannot be written: \(error)")
        }
    }
}

extension RestoreEpoch {
    /// The number for a restore: the time, and below it 20 random bits.
    ///
    /// It is higher than every earlier one, so that a machine can tell a declared restore of a PostgreSQL database from an
    /// older database. A SQLite database may be copied to PostgreSQL later. It is random as well, so that two copies of one
    /// database, restored separately, differ.
    /// - Parameter known: the highest number known.
    static func next(after known: Int64, now: Timestamp) -> Int64 {
        let timed = now.milliseconds << 20 | Int64.random(in: 0..<1 << 20)
        guard timed <= known else { return timed }
        let (sum, overflowed) = known.addingReportingOverflow(Int64.random(in: 1...1 << 32))
        return overflowed ? Int64.random(in: 1...Int64.max) : sum
    }
}
