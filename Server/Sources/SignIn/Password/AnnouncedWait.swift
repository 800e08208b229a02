internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The wait that the sign-in page announces at a name, whether or not it has an account.
///
/// The counter that holds attempts must not be shown: it is one for all names of an account, and the right password clears it. It would say
/// which names are one person's, and that someone signed in. This counter follows the same rule, but from nothing except what was refused
/// at the name that was typed, so it may announce a wait that is over.
extension PasswordVerification {
    func announcement(at username: Username, brand: BrandID) throws -> [UInt8] {
        try subject("announced", [brand.rawValue, username.rawValue])
    }

    /// Counts a refusal.
    func announce(_ charge: Charge, now: Timestamp, on connection: any SQLConnection) throws {
        guard let announced = charge.announced else { return }
        _ = try Attempts.count(announced, under: charge.policy, now: now, on: connection)
    }

    /// Until when even the right password may be refused at a name; `nil` if no one tried it often, and on a device that the account knows,
    /// whose attempts are counted apart.
    func announcedWait(
        at username: Username, brand: BrandID, from device: Device, now: Timestamp
    ) async throws -> Timestamp? {
        guard try await !find(username, brand: brand, device: device, now: now).isKnownDevice else { return nil }
        let announced = try announcement(at: username, brand: brand)
        return try await database.read { try Attempts.state(announced, now: now, on: $0)?.heldUntil }
    }
}
