internal import AuthCore
internal import AuthStore
internal import Crypto
internal import WalletAuthWire

/// Confirming an installation of the app by a code, where the client's policy asks for it: sent to the holder's mailbox
/// or phone, typed on the device.
///
/// As with codes by e-mail nothing is stored: a code is the MAC of device and a span of time.
struct InstanceCodes: Sendable {
    let context: ServerContext

    private static let span = Duration.milliseconds(EmailCodes.lifetime.wholeMilliseconds / 2)
    private static let sending = AttemptPolicy(
        free: 1, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))
    private static let trying = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    /// Sends a code to the account's address.
    func send(
        to account: AccountRecord, device: DeviceRecord, now: Timestamp
    ) async throws -> EmailCodes.SendOutcome {
        let email = AccountVault(context: context).open(account.email, .email, of: account.id)
        let code = code(for: device, span: spanNumber(now), key: try context.keyRing.active(.signIn))
        let entry = try Journal(context: context)
            .entry(.instanceCode(code), account: account.id, email: email, now: now)
        let subject = try subject("instance-sending", device.id)
        return try await context.database.write { connection in
            switch try Attempts.reserve(subject, under: Self.sending, now: now, on: connection) {
            case .compare:
                try entry.write(on: connection)
                return .sent
            case .refuse(let until):
                return .tooSoon(retryAfter: until.map { max(1, ($0 - now).wholeSeconds) } ?? 3600)
            }
        }
    }

    /// What came of a code.
    enum Outcome: Sendable, Hashable {
        case confirmed
        case wrong
        case tooManyAttempts(retryAfter: Int64)
    }

    /// Whether a code is right; then the installation is confirmed.
    func confirm(
        _ code: OneTimeCode, device: DeviceRecord, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let subject = try subject("instance-code", device.id)
        let reservation = try await context.database.write { connection in
            try Attempts.reserve(subject, under: Self.trying, now: now, on: connection)
        }
        if case .refuse(let until) = reservation {
            return .tooManyAttempts(retryAfter: until.map { max(1, ($0 - now).wholeSeconds) } ?? 3600)
        }
        guard isRight(code, for: device, now: now) else { return .wrong }
        let entry = try Journal(context: context).entry(
            .deviceVerified, account: device.accountID, client: device.clientID, origin: origin, now: now)
        return try await context.database.write { connection in
            try Attempts.clear(subject, on: connection)
            guard try Devices.verifyInstance(device.id, of: device.accountID, on: connection) else { return .wrong }
            try entry.write(on: connection)
            return .confirmed
        }
    }

    private func isRight(_ code: OneTimeCode, for device: DeviceRecord, now: Timestamp) -> Bool {
        let current = spanNumber(now)
        let typed = code.reveal().filter { !$0.isWhitespace }
        // Every candidate is compared, so that the time does not tell which span was near.
        return context.keyRing.keys(.signIn, at: now).reduce(false) { found, key in
            [current, current - 1].reduce(found) {
                ConstantTime.equal(self.code(for: device, span: $1, key: key), typed) || $0
            }
        }
    }

    private func code(for device: DeviceRecord, span: Int64, key: DataKey) -> String {
        SixDigits.code(of: ["instance-code", device.id.uuid, String(span)], key: key)
    }

    private func spanNumber(_ now: Timestamp) -> Int64 { now.milliseconds / Self.span.wholeMilliseconds }

    private func subject(_ label: String, _ device: UniqueID) throws -> [UInt8] {
        Digests.keyed(label, [device.uuid], key: try context.keyRing.active(.attempts))
    }
}
