package import Core
package import Store

/// A server that shares its database with others, and the master keys that it was given.
///
/// Each keeps a row in ``Meta`` and renews its date every minute, so that no command wraps the database's keys under a master key that a
/// server lacks.
package struct ServingProcess: Sendable, Hashable {
    /// Says its machine and process.
    package let name: String
    package let masterKeys: [KeyID]
    /// When it last said so.
    package let seenAt: Timestamp

    private static let prefix = "serving."
    /// The first text, by bytes, after every text with the prefix.
    private static let prefixEnd = "serving/"
    /// A server that has been silent for longer has ended. A disconnected one learns the keys as it comes back.
    package static let lifetime = Duration.minutes(3)

    /// Records it, and removes those that have ended.
    package static func record(
        _ name: String, _ masterKeys: [KeyID], now: Timestamp, on connection: any SQLConnection
    ) throws {
        // A rotation either sees this row, or it is over and this process reads what it wrote: they conflict by this read.
        _ = try DataKeys.all(on: connection)
        for gone in try rows(on: connection) where !gone.isAlive(at: now) { try remove(gone.name, on: connection) }
        let value = ([String(now.milliseconds)] + masterKeys.map(\.masterKeyName)).joined(separator: " ")
        try Meta.set(prefix + name, to: value, on: connection)
    }

    package static func remove(_ name: String, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM meta WHERE name = $1", [.text(prefix + name)])
    }

    /// Those that have not ended, by their names.
    package static func all(at now: Timestamp, on connection: any SQLConnection) throws -> [ServingProcess] {
        try rows(on: connection).filter { $0.isAlive(at: now) }.sorted { $0.name < $1.name }
    }

    /// Whether it said so lately, by a clock that may be behind or ahead.
    private func isAlive(at now: Timestamp) -> Bool { !seenAt.isApart(from: now, by: Self.lifetime) }

    private static func rows(on connection: any SQLConnection) throws -> [ServingProcess] {
        try connection.query(
            "SELECT name, value FROM meta WHERE name >= $1 AND name < $2", [.text(prefix), .text(prefixEnd)]
        ).map { row in
            let words = try row.text("value").split(separator: " ")
            return ServingProcess(
                name: String(try row.text("name").dropFirst(prefix.count)),
                masterKeys: words.dropFirst().compactMap { UInt32($0, radix: 16).map(KeyID.init(_:)) },
                seenAt: Timestamp(milliseconds: words.first.flatMap { Int64($0) } ?? 0))
        }
    }
}
