internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Lets the holder change the e-mail address or the phone number, by a code to the new one and word to the old one at once, and remove the
/// number.
///
/// Requires what a change of factors requires, because messages and recoveries go there: a stolen session alone changes neither. An
/// address that another account has is treated like any other, so nothing reveals who has one.
struct ContactManagement: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let codes: FactorCodes
    let auditLog: AuditLog
    let stepUp: StepUp
    let update: ContactUpdate
    let limits: CodeLimits
    let lockout: LockoutPolicy

    /// A new address or number.
    enum Contact: Sendable {
        case email(EmailAddress)
        /// In the form of E.164.
        case phone(String)

        var kind: FactorKind { if case .email = self { .email } else { .sms } }

        fileprivate var text: String {
            switch self {
            case .email(let address): address.rawValue
            case .phone(let number): number
            }
        }
    }

    private var vault: AccountVault { AccountVault(auditLog.sealing) }

    /// Why the caller must not begin a change; `nil` if it may.
    func refusal(of call: any FactorCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        return policy.refusalUnlessFresh(try await policy.facts())
    }

    /// The change that waits for its code, for a page that is shown again; `nil` for none. It names the address or number in full, as the
    /// person typed it there.
    func pending(_ kind: FactorKind, call: any FactorCaller) async throws -> PendingContact? {
        let (account, session, now) = (call.account.id, call.sessionID, call.now)
        let found = try await database.read {
            try ContactChanges.pending(of: account, over: kind.outboxChannel, by: session, now: now, on: $0)
        }
        guard let found, let text = vault.open(found.value, kind.field, of: account) else { return nil }
        return PendingContact(
            destination: text,
            expiresIn: RetryAfter.seconds(until: found.code.expiresAt, now: now))
    }

    /// Sends a code to the new address or number, and word to the old one. A former change of the same kind, with its code, ends. A form
    /// that arrives twice sends one code.
    /// - Parameter inFull: whether the result names the address or number in full, as the page does to which it was typed.
    func begin(
        _ contact: Contact, inFull: Bool = false, call: any FactorCaller
    ) async throws -> Result<PendingContact, OwnAccountRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(.factor(refusal)) }
        let account = call.account
        guard !stepUp.secondFactors.undeliverable.contains(contact.kind) else { return .failure(.channelUnavailable) }
        guard !isConfirmed(contact, of: account) else { return .failure(.unchanged) }
        let id = try random.uniqueID()
        let (code, kept) = try codes.make(for: id, now: call.now)
        let change = ContactChangeRecord(
            account: account.id, channel: contact.kind.outboxChannel, id: id, session: call.sessionID,
            value: try vault.seal(contact.text, contact.kind.field, of: account.id),
            former: account.sealed(contact.kind) ?? [], code: kept)
        let sent: OwnAccountMessage = contact.kind == .email ? .emailCode(code) : .phoneCode(code)
        let entries =
            try [auditLog.entry(sent, account: account.id, email: contact.text, now: call.now)]
            + notices(of: contact.kind, to: account, now: call.now)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        let unproved = UnprovedAddressLimits(
            limits: limits, lockout: lockout, key: try stepUp.keyRing.active(.attempts))
        let refusal = try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return refusal
            }
            let refusal =
                switch contact {
                case .email(let address): try unproved.charge(address, of: call, on: connection)
                case .phone(let number): try unproved.charge(number, of: call, on: connection)
                }
            if let refusal { return refusal }
            try ContactChanges.begin(change, on: connection)
            try call.remember(Self.beginning(contact), by: stepUp.keyRing, on: connection)
            for entry in entries { try entry.write(on: connection) }
            return nil
        }
        if let refusal, try await !call.hasMade(Self.beginning(contact), by: stepUp.keyRing, in: database) {
            return .failure(.factor(refusal))
        }
        return .success(
            PendingContact(
                destination: inFull ? contact.text : AccountVault.masked(contact.text, of: contact.kind),
                expiresIn: FactorCodes.lifetime.wholeSeconds))
    }

    /// Takes the new address or number into use if the code is right. Of two changes at once one wins. A call that is repeated, because
    /// its response was lost, succeeds as well.
    func confirm(
        _ kind: FactorKind, code: OneTimeCode, call: any HolderCaller
    ) async throws -> Result<Void, OwnAccountRefusal> {
        // A change begun while the account had nothing else must not be confirmed past a factor added since. The age of the sign-in was
        // checked at the beginning.
        let policy = StepUpPolicy(stepUp, call)
        if let cooling = policy.cooling { return .failure(.factor(cooling)) }
        let facts = try await policy.facts()
        guard policy.isAsStrongAsCanBe(facts) else { return .failure(.factor(policy.anotherSignIn(facts))) }
        let refusal = try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return refusal }
            let reserved = try ContactChanges.reserveTry(
                of: call.account.id, over: kind.outboxChannel, by: call.sessionID, now: call.now, on: connection)
            guard let reserved else { return .nothingPending }
            guard codes.isRight(code.reveal(), kept: reserved.code, for: reserved.id, now: call.now) else {
                try call.remember(Self.miss(kind, code), by: stepUp.keyRing, on: connection)
                return .invalidCode
            }
            if reserved.isConfirmed { return nil }
            let refusal = try apply(reserved, kind, call, now: clock.writeTime(since: call.now), on: connection)
            if refusal == nil { try call.remember(Self.trace(kind, code), by: stepUp.keyRing, on: connection) }
            return refusal
        }
        guard let refusal else { return .success(()) }
        // A form that arrives twice has the same result twice, unless the number was removed in between.
        if try await call.hasMade(Self.trace(kind, code), by: stepUp.keyRing, in: database),
            try await isThere(kind, call: call)
        {
            return .success(())
        }
        let hasMissed = try await call.hasMade(Self.miss(kind, code), by: stepUp.keyRing, in: database)
        return .failure(.factor(hasMissed ? .invalidCode : refusal))
    }

    /// Why the caller must not remove the phone number; `nil` if it may. An account that no e-mail reaches keeps its number, or nothing
    /// would reach its holder, and no code would let them in on a new device.
    func refusalOfRemoval(call: any FactorCaller) async throws -> OwnAccountRefusal? {
        if let refusal = try await refusal(of: call) { return .factor(refusal) }
        guard call.account.phone != nil else { return .factor(.notFound) }
        return isReachedByEmail(call.account) ? nil : .lastContact
    }

    /// Removes the phone number. The address and the number get word. A form that arrives twice succeeds twice, unless the account has a
    /// number again.
    func removePhone(call: any HolderCaller) async throws -> Result<Void, OwnAccountRefusal> {
        var refusal = try await refusalOfRemoval(call: call)
        if refusal == nil { refusal = try await takePhone(call: call) }
        guard let refusal else { return .success(()) }
        guard try await call.hasMade(Self.removal, by: stepUp.keyRing, in: database),
            try await !isThere(.sms, call: call)
        else { return .failure(refusal) }
        return .success(())
    }

    /// Whether the account has an address or a number now.
    private func isThere(_ kind: FactorKind, call: any FactorCaller) async throws -> Bool {
        let account = call.account.id
        return try await database.read { try Accounts.find(account, on: $0)?.sealed(kind) } != nil
    }

    private func takePhone(call: any HolderCaller) async throws -> OwnAccountRefusal? {
        let old = call.account
        var new = old
        var profile = vault.profile(of: old)
        profile.isPhoneVerified = false
        new.phone = nil
        new.profile = try vault.seal(profile, of: old.id)
        let entries = try update.entries(
            of: .sms, false, from: old, to: new, client: call.clientID, origin: call.origin, now: call.now)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        return try await database.write { [new] connection -> OwnAccountRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .factor(refusal)
            }
            // The address may have been removed at the same time.
            guard let account = try Accounts.find(old.id, on: connection), isReachedByEmail(account) else {
                return .lastContact
            }
            let now = clock.writeTime(since: call.now)
            guard try update.writePhone(from: old, to: new, now: now, on: connection) else {
                return .factor(.accountChanged)
            }
            try call.continueSession(on: connection)
            try ContactCooling.begin(of: old.id, now: now, on: connection)
            try call.remember(Self.removal, by: stepUp.keyRing, on: connection)
            for entry in entries { try entry.write(on: connection) }
            return nil
        }
    }

    /// Whether the account has a confirmed address, and this server sends e-mail.
    private func isReachedByEmail(_ account: AccountRecord) -> Bool {
        account.isRecoverable && !stepUp.secondFactors.undeliverable.contains(.email)
    }

    private static let removal = ["phone-removed"]

    private static func beginning(_ contact: Contact) -> [String] {
        ["contact-begun", contact.kind.rawValue, contact.text]
    }

    private static func trace(_ kind: FactorKind, _ code: OneTimeCode) -> [String] {
        ["contact", kind.rawValue, code.reveal()]
    }

    private static func miss(_ kind: FactorKind, _ code: OneTimeCode) -> [String] {
        ["contact-missed", kind.rawValue, code.reveal()]
    }

    /// Replaces the old one, unless it was changed since the code was sent.
    private func apply(
        _ change: ContactChangeRecord, _ kind: FactorKind, _ call: any HolderCaller, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> FactorRefusal? {
        guard let old = try Accounts.find(change.account, on: connection), old.sealed(kind) ?? [] == change.former
        else {
            return .accountChanged
        }
        var new = old
        let isWritten: Bool
        if kind == .email {
            new.email = change.value
            new.emailState = .verified
            isWritten = try update.writeEmail(from: old, to: new, now: now, on: connection)
        } else {
            var profile = vault.profile(of: old)
            profile.isPhoneVerified = true
            new.phone = change.value
            new.profile = try vault.seal(profile, of: old.id)
            isWritten = try update.writePhone(from: old, to: new, now: now, on: connection)
        }
        guard isWritten else { return .accountChanged }
        try call.continueSession(on: connection)
        try ContactChanges.confirm(change, now: now, on: connection)
        try ContactCooling.begin(of: change.account, now: now, on: connection)
        let entries = try update.entries(
            of: kind, true, from: old, to: new, client: call.clientID, origin: call.origin, now: now)
        for entry in entries { try entry.write(on: connection) }
        return nil
    }

    /// Whether it is the account's already, and proved. Byte by byte: strings that Unicode treats as equal may be two mailboxes.
    private func isConfirmed(_ contact: Contact, of account: AccountRecord) -> Bool {
        let isProved =
            switch contact {
            case .email: account.emailState == .verified
            case .phone: vault.profile(of: account).isPhoneVerified
            }
        guard isProved, let old = vault.destination(of: contact.kind, account: account) else { return false }
        return Array(old.utf8) == Array(contact.text.utf8)
    }

    /// Word that a change was requested: to the old address or number, or to the other one if there is none. It goes out before
    /// anything changes, so that the holder can act.
    private func notices(of kind: FactorKind, to account: AccountRecord, now: Timestamp) throws -> [AuditLog.Entry] {
        for channel in kind == .email ? [FactorKind.email, .sms] : [.sms, .email] {
            guard !stepUp.secondFactors.undeliverable.contains(channel),
                let address = vault.destination(of: channel, account: account)
            else { continue }
            let message = OwnAccountMessage.changeRequested(kind, over: channel.outboxChannel)
            return [try auditLog.entry(message, account: account.id, email: address, now: now)]
        }
        return []
    }
}

extension AccountRecord {
    /// The sealed address or number that codes of a kind go to.
    func sealed(_ kind: FactorKind) -> [UInt8]? { kind == .email ? email : phone }
}

extension FactorKind {
    /// The channel of a message with a code: SMS for that kind, otherwise e-mail.
    fileprivate var outboxChannel: OutboxChannel { self == .sms ? .sms : .email }
    fileprivate var field: AccountField { self == .sms ? .phone : .email }
}
