internal import Core
internal import Kernel
internal import Store

/// For a day after its holder changed the address or the number, an account is not closed.
///
/// The code that takes a closing back goes to the account's address and number. Someone who has an unlocked phone for some minutes could put
/// their own there first, and the holder could not undo the closing. Within a day, the word that went to the old address is read, and an
/// operator can change it back. An operator's change begins no such period.
enum ContactCooling {
    private static let period = Duration.hours(24)
    private static let policy = AttemptPolicy(
        free: 1, afterwards: .delay(first: period, longest: period), forgottenAfter: period, since: .firstGuess)

    /// Begins the period, from now on if one is running.
    static func begin(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try Attempts.clear(subject(account), on: connection)
        _ = try Attempts.count(subject(account), under: policy, now: now, on: connection)
    }

    /// - Returns: the end of the period; `nil` if none is running.
    static func end(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Timestamp? {
        try Attempts.state(subject(account), now: now, on: connection)?.heldUntil
    }

    /// Without a key, so that no change of keys ends the period: an account's id is no secret.
    private static func subject(_ account: UniqueID) -> [UInt8] { Digests.of("contact-cooling", account.bytes) }
}
