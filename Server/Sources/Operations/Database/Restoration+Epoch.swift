package import Store

extension Restoration {
    /// The epoch that a database was last opened with; `nil` if no server has opened it yet.
    package static func recordedEpoch(of database: any Database) async throws -> Int64? {
        try await database.read { try Meta.value(epochName, on: $0) }.flatMap { Int64($0) }
    }
}
