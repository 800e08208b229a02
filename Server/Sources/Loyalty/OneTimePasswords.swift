internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// One-time passwords by SMS, which a backend passes on for guests of its merchants: to sign in, at a number that the guest has proved or
/// an operator entered, or to prove a number (``GuestNumberProof``).
///
/// No code is stored: it is the MAC of its purpose, the account, the number, the client and a time span, so it serves only the client that
/// had it sent. That it was sent is remembered under a digest. Codes and messages are counted by number, whether it is a guest's or not, and what is sent and answered is the same.
struct OneTimePasswords: Sendable {
    /// Whether the server sends SMS.
    let isOffered: Bool
    let integrations: LoyaltyIntegrations
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog
    let numbers: GuestNumberProofs
    let limits: GuestCodeLimits
    /// Those of one number.
    let codeLimits: CodeLimits
    let activity: GuestCodeActivity
    let lockout: LockoutPolicy

    /// A code is valid in its own span and the next: five minutes at most.
    private static let lifetime = FactorCodes.lifetime
    private static let span = Duration.milliseconds(lifetime.wholeMilliseconds / 2)
    /// One immediately, another after 30 seconds, then a minute, two …
    private static let sending = AttemptPolicy(
        free: 1, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))
    /// Messages for the numbers that one guest wants to prove: one account must not use up the messages of all.
    private static let proving = AttemptPolicy(
        free: 3, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))
    /// Guesses at the codes of one number.
    private static let trying = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))
    /// A client's guests have to wait because of a stranger's guesses, so the wait is a minute at most.
    private static let longestWait = Duration.minutes(1)

    /// `POST /onetimepassword/generateAndSendSMSOTP.json`: sends a code, unless one was sent recently or a limit is reached. An
    /// unknown number gets the same answer.
    func send(_ request: OneTimePasswordRequest, call: LoyaltyCaller) async throws -> Result<Void, LoyaltyFailure> {
        guard try await integrations.isKnown(merchant: request.merchantID, to: call) else {
            return .failure(LoyaltyFailure(.unknownMerchant))
        }
        guard isOffered, call.client.mayUseGuestPasswords else {
            return .failure(LoyaltyFailure(.oneTimePasswordDisabled))
        }
        guard let number = GuestPhone.number(request.mobilePhone) else {
            return .failure(.field("mobilePhone", .invalid))
        }
        let recipient: Recipient
        switch try await find(number, provedBy: request.accessToken, call: call) {
        case .failure(let failure): return .failure(failure)
        case .success(let found): recipient = found
        }
        // For an unknown number too, a code is made and sealed: the answer takes as long.
        let account = try recipient.account?.id ?? sealing.random.uniqueID()
        let (codes, key) = (codes(for: recipient, account, number, call), try sealing.keyRing.active(.signIn))
        let code = codes.code(at: call.now, key: key)
        let sent = Self.sent(code, of: codes, key: key)
        let message = try auditLog.entry(
            FactorMessage.code(code, channel: FactorKind.sms.channel ?? ""), account: account, email: number,
            now: call.now)
        var own = [
            AttemptLimit(
                try subject("guest-code-sending", number, call), under: codeLimits.applied(to: Self.sending))
        ]
        if recipient.proof != nil {
            own.append(
                AttemptLimit(
                    try subject("guest-code-proving", account.uuid, call), under: codeLimits.applied(to: Self.proving)))
        }
        let quota = try GuestCodeQuota(
            own: own, merchant: request.merchantID, call: call, limits: limits,
            key: try sealing.keyRing.active(.attempts), auditLog: auditLog)
        let reached = try await database.write {
            [own, now = call.now] connection -> GuestCodeQuota.Limit? in
            guard recipient.account != nil else {
                _ = try Attempts.count(own, now: now, on: connection)
                return nil
            }
            switch try quota.take(on: connection) {
            case .granted:
                _ = try SeenJTIs.remember(sent, until: now + Self.lifetime, on: connection)
                try message.write(on: connection)
            case .tooSoon: break
            case .reached(let limit):
                try quota.record(limit, on: connection)
                return limit
            }
            return nil
        }
        if let reached { activity.countHeld(by: reached.rawValue) }
        return .success(())
    }

    /// The guest whose code it is. It works once.
    /// - Parameter token: of the guest who proves the number; `nil` to sign in.
    func redeem(
        _ code: OneTimeCode, sentTo typed: String, provedBy token: AccessToken?, call: LoyaltyCaller
    ) async throws -> Result<AccountRecord, LoyaltyFailure> {
        guard isOffered, call.client.mayUseGuestPasswords else {
            return .failure(LoyaltyFailure(.oneTimePasswordDisabled))
        }
        let wrong = LoyaltyFailure(.invalidCredentials)
        // Input that cannot be a code is not compared and costs no attempt.
        guard let number = GuestPhone.number(typed),
            TypedCode.isPossible(code.reveal(), digits: CodeDigits.sent)
        else { return .failure(wrong) }
        let recipient: Recipient
        switch try await find(number, provedBy: token, call: call) {
        case .failure(let failure): return .failure(token == nil ? wrong : failure)
        case .success(let found): recipient = found
        }
        let account = try recipient.account?.id ?? sealing.random.uniqueID()
        let prove = try recipient.proof?.writing(number)
        let (codes, keys) = (codes(for: recipient, account, number, call), sealing.keyRing.keys(.signIn, at: call.now))
        let own = try subject("guest-code", number, call)
        let clients = try subject("guest-codes", call.client.id.rawValue, call)
        let spent = Digests.of(
            "guest-code", account.bytes + Array(TypedCode.normalized(code.reveal()).utf8))
        // One write, so that every charged attempt has an outcome, and of equal requests at once one is right.
        let failure = try await database.write {
            [now = call.now, across = acrossGuests] connection -> LoyaltyFailure? in
            guard case .compare = try Attempts.reserve(own, under: Self.trying, now: now, on: connection) else {
                return wrong
            }
            guard case .compare = try Attempts.reserve(clients, under: across, now: now, on: connection) else {
                try Attempts.refund(own, on: connection)
                return wrong
            }
            guard codes.isRight(code.reveal(), at: now, keys: keys), recipient.account != nil,
                try keys.contains(where: {
                    try SeenJTIs.contains(Self.sent(code.reveal(), of: codes, key: $0), now: now, on: connection)
                }),
                try SeenJTIs.remember(spent, until: now + Self.lifetime, on: connection)
            else {
                try Attempts.fail(own, on: connection)
                try Attempts.fail(clients, on: connection)
                return wrong
            }
            try Attempts.succeed(own, on: connection)
            try Attempts.succeed(clients, on: connection)
            return try prove?(connection) ?? true ? nil : LoyaltyFailure(.accountChanged)
        }
        if let failure { return .failure(failure) }
        return recipient.account.map { .success($0) } ?? .failure(wrong)
    }

    /// Whom a code is for.
    private enum Recipient: Sendable {
        /// The guest who is found by the number, and signs in; `nil` if there is none.
        case found(AccountRecord?)
        /// A guest who is signed in.
        case proving(GuestNumberProof)

        var account: AccountRecord? {
            switch self {
            case .found(let account): account
            case .proving(let proof): proof.account
            }
        }

        var proof: GuestNumberProof? {
            if case .proving(let proof) = self { proof } else { nil }
        }
    }

    private func find(
        _ number: String, provedBy token: AccessToken?, call: LoyaltyCaller
    ) async throws -> Result<Recipient, LoyaltyFailure> {
        guard let token else { return .success(.found(try await find(number, call: call))) }
        return try await numbers.begin(by: token, call: call).map { .proving($0) }
    }

    /// Wrong codes in a row of all of a client's guests: one code must not be tried at every number.
    private var acrossGuests: AttemptPolicy {
        AttemptPolicy(
            free: lockout.sharedFailures,
            afterwards: .delay(
                first: min(lockout.firstDelay, Self.longestWait), longest: min(lockout.longestDelay, Self.longestWait)),
            forgottenAfter: lockout.sharedMemory)
    }

    /// The guest with a number, of those that the client's merchants enrolled; `nil` if there is none, or several: the backend, which can
    /// look up no guest by number, must not learn that there are.
    private func find(_ number: String, call: LoyaltyCaller) async throws -> AccountRecord? {
        let brand = try call.client.accountBrand.rawValue
        let digests = PhoneDigest.all(number, brand: brand, now: call.now, under: sealing.keyRing)
        let accounts = try await database.read { [merchants = call.client.loyaltyMerchants] connection in
            try digests.flatMap {
                try LoyaltyAccounts.find(phone: $0, of: merchants, limit: Self.mostGuests, on: connection)
            }.compactMap { try Accounts.find($0.accountID, on: connection) }
        }
        // The number may have been changed since, under another key.
        let guests = accounts.filter { $0.state == .active && self.number(of: $0) == number }
        return guests.count == 1 ? guests.first : nil
    }

    /// More guests than have proved one number to the backends of different merchants.
    private static let mostGuests = 20

    /// The number at which a guest gets codes: the account's, or the one that the guest proved.
    private func number(of account: AccountRecord) -> String? {
        let vault = AccountVault(sealing)
        return account.phone == nil
            ? vault.profile(of: account).entered.phone : vault.open(account.phone, .phone, of: account.id)
    }

    /// A code that proves a number does not sign in, nor the other way round.
    private func codes(
        for recipient: Recipient, _ account: UniqueID, _ number: String, _ call: LoyaltyCaller
    ) -> SixDigits {
        let purpose = recipient.proof == nil ? "guest-code" : "guest-number"
        return SixDigits(parts: [purpose, account.uuid, number, call.client.id.rawValue], span: Self.span)
    }

    /// The digest under which it is remembered that a code was sent. If codes were right that no one asked for, they could be guessed without
    /// a message, and so without the limits of messages and the guest's notice.
    private static func sent(_ code: String, of codes: SixDigits, key: DataKey) -> [UInt8] {
        Digests.keyed("guest-code-sent", codes.parts + [TypedCode.normalized(code)], key: key)
    }

    private func subject(_ label: String, _ whom: String, _ call: LoyaltyCaller) throws -> [UInt8] {
        Digests.keyed(
            label, [try call.client.accountBrand.rawValue, whom], key: try sealing.keyRing.active(.attempts))
    }
}
