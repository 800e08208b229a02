import Foundation
import WalletAuthWire

/// This device's record of one enrollment's long-lived session: the token, its expiry, and the person's decision.
struct DeviceTokenStore: Sendable {
    let store: any SecureStore
    let clock: ServerClock
    let enrollment: Enrollment

    /// The stored form. The version lets later releases recognize what they read.
    struct Record: Codable, Sendable {
        /// The person's decision, and the state of the session.
        enum State: String, Codable, Sendable {
            case active
            case expired
            case declined
        }

        var version = 1
        var state: State
        var token: String?
        /// In server time.
        var endsAt: Instant?
        /// How long each use extends the session, in seconds.
        var life: Int64?

        static let expired = Record(state: .expired)
        static let declined = Record(state: .declined)
    }

    func record() async throws -> Record? {
        guard let data = try await store.get(enrollment.deviceTokenItem) else { return nil }
        guard let record = try? JSONDecoder().decode(Record.self, from: data), record.version == 1 else { return nil }
        return record
    }

    func keep(_ record: Record) async throws {
        try await store.put(encoding: record, for: enrollment.deviceTokenItem)
    }

    func keep(_ response: DeviceTokenResponse) async throws {
        try await keep(
            Record(
                state: .active, token: response.token.reveal(),
                endsAt: clock.now + .seconds(response.expiresIn), life: response.expiresIn))
    }

    /// Extends the session after a use.
    func noteUse() async throws {
        guard var record = try await record(), record.state == .active, let life = record.life else { return }
        record.endsAt = clock.now + .seconds(life)
        try await keep(record)
    }

    /// Returns the token.
    /// - Throws: ``WalletError`` `no_device_token` (1003) if none is stored; `device_token_expired` if it has expired.
    func token(during operation: WalletError.Operation) async throws -> DeviceAuthenticationToken {
        guard let record = try await record(), record.state == .active, let text = record.token,
            let token = try? DeviceAuthenticationToken(text)
        else {
            throw WalletError(
                .noDeviceToken, .refused, during: operation, statusCode: ErrorCode.noDeviceToken.statusCode(),
                reason: "no long-lived session is kept on this device")
        }
        return token
    }

    /// Fails if there is no token to end.
    /// - Throws: ``WalletError``: `no_device_token` (1003), `token_already_expired` (403).
    func requireLiving(during operation: WalletError.Operation) async throws {
        guard try await record()?.state != .expired else {
            throw WalletError(
                .tokenAlreadyExpired, .refused, during: operation,
                statusCode: ErrorCode.tokenAlreadyExpired.statusCode(), reason: "the long-lived session has expired"
            )
        }
        _ = try await token(during: operation)
    }
}
