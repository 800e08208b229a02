import Store

@testable import StorePostgreSQL

extension Connecting {
    init(to string: String, _ options: PostgreSQLOptions) throws {
        self.init(string: try ConnectionString(string, connectTimeout: options.connectTimeout), options: options)
    }
}

extension Engine {
    /// Reads a one through the engine.
    func readOne() async throws -> Int64? {
        try await run(.reading) { try $0.row("SELECT 1 AS one", [])?.integer("one") }
    }
}
