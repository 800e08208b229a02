package import AuthCore
package import AuthStore

extension MasterKey {
    /// Whether this key opens a database's keys; reads only, and makes nothing that is missing.
    ///
    /// - Parameters:
    ///   - database: a database whose schema is up to date.
    ///   - now: the time.
    /// - Throws: ``MasterKeyFault`` when it does not, or infrastructure errors.
    package func examine(_ database: any Database, now: Timestamp) async throws {
        _ = try await KeyRing(database: database, masterKey: self, now: now)
    }
}
