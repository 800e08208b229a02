import Foundation

extension PostgreSQLServer {
    /// A database of its own for a test.
    package struct OwnDatabase: Sendable {
        package let name: String
        /// Its connection string, for the engine.
        package let string: String
        /// The same as a URL, for the program.
        package let url: String
    }

    /// Creates an empty database, or a copy of one that nothing is connected to.
    /// - Parameter options: of `CREATE DATABASE`.
    package func createDatabase(
        copying template: OwnDatabase? = nil, _ options: String = ""
    ) async throws -> OwnDatabase {
        let name = "d" + UUID().uuidString.filter { $0 != "-" }.lowercased()
        let source = template.map { "TEMPLATE \($0.name) " } ?? ""
        try await run("CREATE DATABASE \(name) \(source)\(options)")
        return OwnDatabase(name: name, string: string(database: name), url: url(database: name))
    }
}
