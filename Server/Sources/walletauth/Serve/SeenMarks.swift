import Core
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What this machine has seen of a database, kept next to a SQLite file, or in `postgresql.folder`.
struct SeenMarks: Codable, Hashable, Sendable {
    /// Marks that are older are neither kept nor compared.
    static let memory = Duration.days(30)
    /// Marks that are older may be removed from the database. Longer than ``memory``, so that none is missed.
    static let lifetime = Duration.days(90)

    /// The database's identity.
    var database: String
    var epoch: Int64
    /// The newest mark of each process.
    var marks: [String: Int64]

    /// The result of a comparison with a database.
    enum Verdict: Hashable {
        /// It has everything that was seen.
        case current
        /// It lacks what was seen, the last of it written at about this time if that is known. How much that is, the marks do not say:
        /// nothing may have been written for an hour before.
        case older(lacking: Timestamp?)
        case restorePending
        case otherDatabase
    }

    /// Compares a database with what was seen.
    func verdict(on found: DatabaseMarks, now: Timestamp) -> Verdict {
        guard let identity = found.database else { return .older(lacking: nil) }
        guard identity == database else { return .otherDatabase }
        if found.isRestorePending { return .restorePending }
        // Later restores have higher numbers. Marks of before one do not count.
        guard found.epoch <= epoch else { return .current }
        guard found.epoch == epoch else {
            return .older(lacking: marks.values.max().map { Timestamp(milliseconds: $0) })
        }
        // Where there are this many, a mark of before all of them may have been removed.
        let removed: Int64 = found.marks.count < DatabaseMarks.limit ? .min : found.marks.values.min() ?? .min
        let limit = max((now - Self.memory).milliseconds, removed)
        let missing = marks.filter { process, mark in mark > limit && found.marks[process] ?? .min < mark }
        return missing.values.max().map { Verdict.older(lacking: Timestamp(milliseconds: $0)) } ?? .current
    }

    /// Compares a database with what this machine may have seen.
    /// - Parameters:
    ///   - found: `nil` for an empty database. In the place of one that was seen, that is another one.
    ///   - seen: `nil` if this machine knows nothing.
    static func verdict(on found: DatabaseMarks?, seen: SeenMarks?, now: Timestamp) -> Verdict {
        guard let seen else { return found?.isRestorePending == true ? .restorePending : .current }
        return found.map { seen.verdict(on: $0, now: now) } ?? .otherDatabase
    }

    /// Adds what a database has, once it was found to be current.
    mutating func add(_ found: DatabaseMarks, now: Timestamp) {
        if found.epoch > epoch { marks = [:] }
        epoch = max(epoch, found.epoch)
        add(found.marks, now: now)
    }

    mutating func add(_ found: [String: Int64], now: Timestamp) {
        let limit = (now - Self.memory).milliseconds
        marks = marks.merging(found) { max($0, $1) }.filter { $0.value > limit }
        marks = DatabaseMarks.newest(DatabaseMarks.limit, of: marks)
    }
}

/// The file with ``SeenMarks``. Several processes of one machine may share it.
struct SeenMarksFile: Sendable {
    let path: String
    /// How long to wait for another process that saves.
    var patience = Duration.seconds(2)
    /// Whether several processes of this machine may save it. A SQLite database has one.
    var isShared = true

    /// Larger than a file with as many marks as are kept.
    private static let limit = 1024 * 1024

    /// - Returns: `nil` if there is no file.
    /// - Throws: `Refusal` if it is damaged. It could be what keeps a restored database from being served.
    func read() throws(Refusal) -> SeenMarks? {
        guard FileStatus(path: path) != nil else { return nil }
        guard let bytes = try? ReadableFile.bytes(path, upTo: Self.limit),
            let seen = try? JSONDecoder().decode(SeenMarks.self, from: Data(bytes))
        else {
            throw Refusal(
                "\(path) cannot be read, so this machine cannot tell whether the database was restored: repair its "
                    + "disk or its mode; remove it only if you know that the database was not restored",
                status: ExitStatus.outOfService)
        }
        return seen
    }

    /// Writes what was seen, together with what another process of this machine has written.
    /// - Throws: `FileLock.Held` if that process does not end; nothing was written.
    func save(_ seen: SeenMarks, now: Timestamp) async throws {
        guard isShared else { return try merge(seen, now: now) }
        // Between reading and replacing the file, another process would lose its marks. The file itself cannot have the
        // lock, because it is replaced.
        try await FileLock.holding(path + ".lock", within: patience) { try merge(seen, now: now) }
    }

    private func merge(_ seen: SeenMarks, now: Timestamp) throws {
        var saved = seen
        saved.add([:], now: now)
        if let other = try read(), other.database == seen.database {
            // Another process has seen a restore that this one has yet to learn of.
            guard other.epoch <= seen.epoch else { return }
            if other.epoch == seen.epoch { saved.add(other.marks, now: now) }
            guard saved != other else { return }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try DurableFile.replace(path, with: try encoder.encode(saved) + Data("\n".utf8))
    }
}
