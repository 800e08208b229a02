internal import AuthCore
internal import AuthCredentials
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// One-time passwords by SMS, which a backend passes on for guests of its merchants.
///
/// No code is stored: it is the MAC of the account, the number, the client and a time span, so it serves only the client that had it
/// sent. Codes and messages are counted by number, whether it is a guest's or not, and what is sent and answered is the same.
struct OneTimePasswords: Sendable {
    let context: ServerContext
    let call: LoyaltyCaller

    /// A code is valid in its own span and the next: five minutes at most.
    private static let lifetime = FactorCodes.lifetime
    private static let span = Duration.milliseconds(lifetime.wholeMilliseconds / 2)
    /// One immediately, another after 30 seconds, then a minute, two …
    private static let sending = AttemptPolicy(
        free: 1, afterwards: .delay(first: .seconds(30), longest: .hours(1)), forgottenAfter: .hours(1))
    /// Guesses at the codes of one number.
    private static let trying = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))
    /// A client's guests have to wait because of a stranger's guesses, so the wait is a minute at most.
    private static let longestWait = Duration.minutes(1)

    private var isOn: Bool {
        call.client.mayUseGuestPasswords && !context.settings.undeliverableFactors.contains(.sms)
    }

    /// Sends a code, unless one was sent recently. An unknown number gets the same answer.
    func send(to typed: String) async throws -> Result<Void, LoyaltyFailure> {
        guard isOn else { return .failure(LoyaltyFailure(.oneTimePasswordDisabled)) }
        guard let number = GuestPhone.number(typed) else { return .failure(.field("mobilePhone", .invalid)) }
        let guest: AccountRecord?
        switch try await find(number) {
        case .failure(let failure): return .failure(failure)
        case .success(let found): guest = found
        }
        // For an unknown number too, a code is made and sealed: the answer takes as long.
        let account = try guest?.id ?? context.randomID()
        let code = codes(of: account, number).code(at: call.now, key: try context.keyRing.active(.signIn))
        let message = try AuditLog(context: context).entry(
            FactorMessage.code(code, channel: FactorKind.sms.channel ?? ""), account: account, email: number,
            now: call.now)
        let subject = try subject("guest-code-sending", number)
        try await context.database.write { [now = call.now] connection in
            guard case .compare = try Attempts.count(subject, under: Self.sending, now: now, on: connection) else {
                return
            }
            if guest != nil { try message.write(on: connection) }
        }
        return .success(())
    }

    /// The guest whose code it is. It works once.
    func redeem(_ code: OneTimeCode, sentTo typed: String) async throws -> Result<AccountRecord, LoyaltyFailure> {
        guard isOn else { return .failure(LoyaltyFailure(.oneTimePasswordDisabled)) }
        let wrong = LoyaltyFailure(.invalidCredentials)
        // Input that cannot be a code is not compared and costs no attempt.
        guard let number = GuestPhone.number(typed),
            TypedCode.isPossible(code.reveal(), digits: CodeDigits.sent)
        else { return .failure(wrong) }
        guard case .success(let guest) = try await find(number) else { return .failure(wrong) }
        let account = try guest?.id ?? context.randomID()
        let (codes, keys) = (codes(of: account, number), context.keyRing.keys(.signIn, at: call.now))
        let own = try subject("guest-code", number)
        let clients = try subject("guest-codes", call.client.id.rawValue)
        let spent = Digests.of(
            "guest-code", account.bytes + Array(TypedCode.normalized(code.reveal()).utf8))
        // One write, so that every charged attempt has an outcome, and of equal requests at once one is right.
        let isRight = try await context.database.write { [now = call.now, across = acrossGuests] connection -> Bool in
            guard case .compare = try Attempts.reserve(own, under: Self.trying, now: now, on: connection) else {
                return false
            }
            guard case .compare = try Attempts.reserve(clients, under: across, now: now, on: connection) else {
                try Attempts.refund(own, on: connection)
                return false
            }
            guard codes.isRight(code.reveal(), at: now, keys: keys), guest != nil,
                try SeenJTIs.remember(spent, until: now + Self.lifetime, on: connection)
            else {
                try Attempts.fail(own, on: connection)
                try Attempts.fail(clients, on: connection)
                return false
            }
            try Attempts.succeed(own, on: connection)
            try Attempts.succeed(clients, on: connection)
            return true
        }
        guard isRight, let guest else { return .failure(wrong) }
        return .success(guest)
    }

    /// Wrong codes in a row of all of a client's guests: one code must not be tried at every number.
    private var acrossGuests: AttemptPolicy {
        let lockout = context.settings.lockout
        return AttemptPolicy(
            free: lockout.sharedFailures,
            afterwards: .delay(
                first: min(lockout.firstDelay, Self.longestWait), longest: min(lockout.longestDelay, Self.longestWait)),
            forgottenAfter: lockout.sharedMemory)
    }

    /// The guest with a number, of those that the client's merchants enrolled; `nil` if there is none. The number that an operator entered
    /// for an account comes before those that guests entered.
    private func find(_ number: String) async throws -> Result<AccountRecord?, LoyaltyFailure> {
        let brand = try call.client.accountBrand.rawValue
        let digests = PhoneDigest.all(number, brand: brand, now: call.now, in: context)
        let accounts = try await context.database.read { [merchants = call.client.loyaltyMerchants] connection in
            try digests.flatMap {
                try LoyaltyAccounts.find(phone: $0, of: merchants, limit: Self.mostGuests, on: connection)
            }.compactMap { try Accounts.find($0.accountID, on: connection) }
        }
        // The number may have been changed since, under another key.
        let reached = accounts.filter { $0.state == .active && self.number(of: $0) == number }
        // Anyone can enter another guest's number, which must not keep its owner out.
        let owners = reached.filter { $0.phone != nil }
        let guests = owners.isEmpty ? reached : owners
        guard guests.count <= 1 else { return .failure(LoyaltyFailure(.duplicatePhoneNumbers)) }
        return .success(guests.first)
    }

    /// More guests than share a phone; all that matters is whether there are several, of the owners or of all.
    private static let mostGuests = 20

    /// The number at which a guest gets codes: the account's, or the one that the guest entered.
    private func number(of account: AccountRecord) -> String? {
        let vault = AccountVault(context: context)
        return account.phone == nil
            ? vault.profile(of: account).entered.phone : vault.open(account.phone, .phone, of: account.id)
    }

    private func codes(of account: UniqueID, _ number: String) -> SixDigits {
        SixDigits(parts: ["guest-code", account.uuid, number, call.client.id.rawValue], span: Self.span)
    }

    private func subject(_ label: String, _ whom: String) throws -> [UInt8] {
        Digests.keyed(
            label, [try call.client.accountBrand.rawValue, whom], key: try context.keyRing.active(.attempts))
    }
}
