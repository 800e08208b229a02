public import AuthCore
public import AuthStore
public import Logging

/// What all flows share: the store, the keys, the settings, time and randomness. Made once at start.
public struct ServerContext: Sendable {
    /// Where facts are kept.
    public let database: any Database
    /// What the operator decided at start.
    public let settings: ServerSettings
    /// The log.
    public let logger: Logger
    let upkeep: (any DatabaseUpkeep)?
    let keyRing: KeyRing
    let clock: any Clock
    let random: any RandomBytes
}

extension ServerContext {
    /// Brings the schema up to date, opens or makes the keys, and gathers what the flows need.
    /// - Parameters:
    ///   - database: an opened engine.
    ///   - upkeep: the same engine's checks and copies; `nil` where it has none.
    ///   - masterKey: the 32 bytes that wrap every key in the database.
    ///   - epoch: the number of restores, kept outside the database: when it is higher than the database's own, the
    ///     database was restored, and what that would revive is voided before anything is served.
    ///   - settings: what the operator decided.
    ///   - logger: where to log; never given a secret.
    ///   - clock: the time.
    ///   - random: unpredictable bytes.
    /// - Throws: ``MasterKeyFault`` when the key does not fit the database, or infrastructure trouble.
    public static func open(
        database: any Database, upkeep: (any DatabaseUpkeep)?, masterKey: MasterKey, epoch: Int64 = 0,
        settings: ServerSettings, logger: Logger, clock: any Clock = SystemClock(),
        random: any RandomBytes = SystemRandomBytes()
    ) async throws -> ServerContext {
        throw NotServed()
    }
}
