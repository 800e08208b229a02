import Foundation

extension PostgreSQLServer {
    /// A database of its own for a test.
    package struct OwnDatabase: Sendable {
        package let name: String
        /// Its connection string.
        package let string: String
    }

    /// Creates an empty database, or a copy of one that nothing is connected to.
    package func createDatabase(copying template: OwnDatabase? = nil) async throws -> OwnDatabase {
        let name = "d" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        try await run("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0.name)" } ?? ""))
        return OwnDatabase(name: name, string: string(database: name))
    }
}
