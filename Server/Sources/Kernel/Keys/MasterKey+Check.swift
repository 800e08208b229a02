package import Core
package import Store

extension MasterKey {
    /// Checks that this key opens the database's keys. Only reads: it creates no missing keys.
    /// - Parameters:
    ///   - database: a database whose schema is up to date.
    ///   - now: the time.
    /// - Throws: ``MasterKeyFault`` if it does not.
    package func examine(_ database: any Database, now: Timestamp) async throws {
        _ = try await KeyRing(database: database, masterKey: self, now: now)
    }
}
