package import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// Confirmation of an e-mail address with a six-digit code.
///
/// Nothing is stored: a code is the MAC of the account, the address and a time span, so it works on any page or app that asks for
/// it. Attempts and messages are counted by account.
///
/// This folder owns codes that confirm an address. Codes as a second factor are in `Factors`.
package struct EmailCodes: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let vault: AccountVault
    let auditLog: AuditLog
    let limits: CodeLimits

    /// A code is valid in its own span and the next: five minutes at most.
    static let lifetime = Duration.minutes(5)
    /// How long each code is the newest.
    static let span = Duration.milliseconds(lifetime.wholeMilliseconds / 2)

    package enum SendOutcome: Sendable, Hashable {
        /// The message is in the outbox; seconds until another may be sent.
        case sent(nextAfter: Int64)
        /// One was sent recently; in seconds.
        case tooSoon(retryAfter: Int64)

        /// The form for the app.
        package var codeSending: CodeSending {
            switch self {
            case .sent(let seconds): CodeSending(isSent: true, resendAfter: seconds)
            case .tooSoon(let seconds): CodeSending(isSent: false, resendAfter: seconds)
            }
        }
    }

    /// One immediately, another after 30 seconds, then a minute, two …
    private static let sending = AttemptPolicy(
        free: 1, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))
    /// Guesses at one person's codes.
    static let trying = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    package func send(to account: AccountRecord, now: Timestamp) async throws -> SendOutcome {
        let code = codes(for: account).code(at: now, key: try keyRing.active(.signIn))
        let entry = try auditLog.entry(
            LoginMessage.emailCode(code), account: account.id, email: vault.email(of: account), now: now)
        return try await post(entry, countedUnder: subject("email-sending", account.id), now: now)
    }

    /// Posts a message with a code, unless one was sent recently.
    /// - Parameter subject: the counter for messages of this kind to the same person.
    func post(_ message: AuditLog.Entry, countedUnder subject: [UInt8], now: Timestamp) async throws -> SendOutcome {
        try await database.write { connection in
            switch try Attempts.count(subject, under: limits.applied(to: Self.sending), now: now, on: connection) {
            case .compare:
                try message.write(on: connection)
                let next = try Attempts.state(subject, now: now, on: connection)?.heldUntil ?? now
                return .sent(nextAfter: RetryAfter.seconds(until: next, now: now))
            case .refuse(let until):
                return .tooSoon(retryAfter: RetryAfter.seconds(until: until, now: now))
            }
        }
    }

    /// Verifies a code and, if it is correct, confirms the address.
    package func confirm(
        _ code: EmailCode, for account: AccountRecord, origin: RequestOrigin, now: Timestamp
    ) async throws -> Bool {
        // Input that cannot be a code is not compared and costs no attempt.
        guard account.email != nil, TypedCode.isPossible(code.reveal(), digits: CodeDigits.sent) else { return false }
        let subject = try subject("email-code", account.id)
        let (codes, keys) = (codes(for: account), keyRing.keys(.signIn, at: now))
        let entry = try auditLog.entry(
            AccountEvent.emailVerified, account: account.id, origin: origin, now: now)
        // One write, so that every charged attempt has an outcome.
        return try await database.write { connection in
            guard case .compare = try Attempts.reserve(subject, under: Self.trying, now: now, on: connection) else {
                return false
            }
            guard codes.isRight(code.reveal(), at: now, keys: keys) else {
                try Attempts.fail(subject, on: connection)
                return false
            }
            try Attempts.succeed(subject, on: connection)
            guard try ConfirmedEmail(auditLog).verify(account, now: now, on: connection) else { return false }
            try entry.write(on: connection)
            return true
        }
    }

    /// Where the codes for an account go, masked.
    func destination(of account: AccountRecord) -> String { vault.email(of: account).map(Self.masked) ?? "…" }

    /// The address, mostly hidden, but enough to recognize the mailbox.
    package static func masked(_ email: String) -> String {
        let parts = email.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let first = parts[0].first else { return "…" }
        return "\(first)…@\(parts[1])"
    }

    private func codes(for account: AccountRecord) -> SixDigits {
        SixDigits(parts: ["email-code", account.id.uuid, Base64URL.encode(account.email ?? [])], span: Self.span)
    }

    private func subject(_ label: String, _ account: UniqueID) throws -> [UInt8] {
        Digests.keyed(label, [account.uuid], key: try keyRing.active(.attempts))
    }
}
