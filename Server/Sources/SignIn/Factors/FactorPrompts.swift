internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Prompts for a second factor: chooses it, sends its code, and lists alternatives.
///
/// This folder owns second factors (codes, authenticator apps, secret questions, recovery codes): when one is asked
/// for, which one, how its secret is kept, and how its holder sets it up.
final class FactorPrompting: Sendable {
    fileprivate let database: any Database
    fileprivate let keyRing: KeyRing
    fileprivate let random: any RandomBytes
    fileprivate let auditLog: AuditLog
    fileprivate let codes: FactorCodes
    fileprivate let limits: CodeLimits
    private let secondFactors: SecondFactorReader

    fileprivate var vault: AccountVault { AccountVault(auditLog.sealing) }

    init(
        database: any Database, keyRing: KeyRing, random: any RandomBytes, auditLog: AuditLog, codes: FactorCodes,
        limits: CodeLimits, secondFactors: SecondFactorReader
    ) {
        self.database = database
        self.keyRing = keyRing
        self.random = random
        self.auditLog = auditLog
        self.codes = codes
        self.limits = limits
        self.secondFactors = secondFactors
    }

    /// Determines the factors that a sign-in may use.
    /// - Parameter factors: proved so far.
    func prompts(
        of account: AccountRecord, intent: SignInIntent, factors: SignInPolicy.Factors, now: Timestamp
    ) async throws -> FactorPrompts {
        let key = try keyRing.active(.attempts)
        let (facts, kinds, held) = try await database.read { connection in
            let facts = try self.secondFactors.facts(
                of: account, device: intent.device.flatMap { try Devices.find($0, on: connection) }, intent: intent,
                factors: factors, now: now, on: connection)
            let kinds = facts.kinds(in: factors.recovery, requiredACR: intent.requiredACR)
            let held =
                intent.entrance == .browser
                ? try FactorAttempts.held(kinds, of: account.id, key: key, now: now, on: connection) : [:]
            return (facts, kinds, held)
        }
        return FactorPrompts(
            prompting: self, account: account, kinds: kinds, held: held,
            takesPasskey: facts.takesPasskey && factors.recovery == nil, acceptLanguage: intent.origin.acceptLanguage,
            linked: intent.isDeviceProved || facts.isLinked ? intent.deviceName : nil,
            payment: intent.authorizationDetails?.payment, now: now)
    }
}

/// The prompts of one sign-in.
struct FactorPrompts: Sendable {
    fileprivate let prompting: FactorPrompting
    let account: AccountRecord
    /// The factors that count.
    let kinds: Set<FactorKind>
    /// Until when answers to some of them are not compared. Empty for an app, whose answer says so.
    fileprivate let held: [FactorKind: Timestamp]
    /// Whether a passkey may be used in place of any of them.
    fileprivate let takesPasskey: Bool
    /// The languages of the request, for questions.
    fileprivate let acceptLanguage: String?
    /// The device of the sign-in, if it is linked to the account: its codes are counted separately.
    fileprivate let linked: String?
    /// What the sign-in authorizes, which a message with a code has to name.
    fileprivate let payment: PaymentInitiation?
    fileprivate let now: Timestamp

    typealias Prompt = InsufficientAuthorization.SecondFactor

    /// Codes sent to one account, over all sign-ins: a known password must not let an attacker flood the holder's mailbox or
    /// run up the operator's bill. A linked device has its own count, so an attacker cannot block the holder's codes there.
    private static let sending = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(1))

    /// Codes sent to all linked devices of one account: with two factors, an attacker could link new devices without limit.
    private static let sendingToLinked = AttemptPolicy(
        free: 15, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(1))

    /// What a page says while answers to a factor are not compared.
    struct Wait: Sendable, Hashable {
        var until: Timestamp
        /// The factors to use instead.
        var instead: [FactorKind]

        var action: RequiredAction { .heldFactor(until: until, instead: instead) }
    }

    /// - Parameter kind: `nil` for the preferred factor.
    /// - Returns: `nil` if its answers are compared.
    func wait(for kind: FactorKind?) -> Wait? {
        guard let kind = kind ?? preferred, let until = held[kind] else { return nil }
        return Wait(until: until, instead: FactorKind.allCases.filter(isOffered))
    }

    /// The cases are in order of preference.
    private var preferred: FactorKind? { FactorKind.allCases.first(where: kinds.contains) }

    private func isOffered(_ kind: FactorKind) -> Bool { kinds.contains(kind) && held[kind] == nil }

    /// The kind of an open factor.
    func kind(of id: UniqueID) async throws -> FactorKind? {
        try await prompting.database.read { try OpenFactors.find(id, now: now, on: $0)?.kind }
    }

    /// Opens a factor for a sign-in, and sends its code if it has one.
    /// - Parameters:
    ///   - chosen: the factor that the person wants; `nil` for the preferred one.
    ///   - end: the end of the sign-in.
    ///   - id: the same for a page's form that is posted again, which then finds the factor open; `nil` for a new one.
    /// - Returns: the factor's id, and the prompt for the person.
    func open(
        _ chosen: FactorKind? = nil, until end: Timestamp, as id: UniqueID? = nil
    ) async throws -> (id: UniqueID, prompt: Prompt)? {
        if let id, let prompt = try await again(id) { return (id, prompt) }
        guard let kind = chosen ?? preferred else { return nil }
        let factor = OpenFactorRecord(
            id: try id ?? prompting.random.uniqueID(), accountID: account.id, kind: kind, expiresAt: end)
        let isNew = try await prompting.database.write { connection in
            if id != nil { try OpenFactors.removeExpired(factor.id, now: now, on: connection) }
            return try OpenFactors.open(factor, on: connection)
        }
        // The same form, posted twice at the same moment.
        guard isNew else { return try await again(factor.id).map { (factor.id, $0) } }
        let earliest = id == nil ? nil : now - FactorCodes.interval
        return try await ask(factor, unlessSentAfter: earliest).map { (factor.id, $0) }
    }

    /// The prompt of a factor that is already open. It sends a code only if there is none that is valid, and none on its way.
    private func again(_ id: UniqueID) async throws -> Prompt? {
        let found = try await prompting.database.read { try OpenFactors.find(id, now: now, on: $0) }
        guard let found, found.accountID == account.id, kinds.contains(found.kind) else { return nil }
        guard found.kind.isSent, !found.hasCode(at: now) else { return try await current(id) }
        return try await ask(found, unlessSentAfter: now - FactorCodes.interval)
    }

    /// Sends the code again, if allowed.
    func resend(_ id: UniqueID) async throws -> Prompt? {
        guard let factor = try await prompting.database.read({ try OpenFactors.find(id, now: now, on: $0) }) else {
            return nil
        }
        return try await ask(factor)
    }

    /// Switches to another factor of the account.
    func choose(_ kind: FactorKind, for id: UniqueID) async throws -> Prompt? {
        let chosen = try await prompting.database.write { connection -> OpenFactorRecord? in
            guard let factor = try OpenFactors.find(id, now: now, on: connection) else { return nil }
            guard factor.kind != kind else { return factor }
            guard try OpenFactors.choose(kind, for: id, now: now, on: connection) else { return nil }
            return try OpenFactors.find(id, now: now, on: connection)
        }
        guard let chosen else { return nil }
        return try await ask(chosen)
    }

    /// The present prompt. Sends nothing and draws no other question.
    func current(_ id: UniqueID) async throws -> Prompt? {
        let (found, record) = try await prompting.database.read { connection in
            (
                try OpenFactors.find(id, now: now, on: connection),
                try SecretQuestions.asked(of: account.id, on: connection)
            )
        }
        guard let factor = found, kinds.contains(factor.kind) else { return nil }
        switch factor.kind {
        case .email, .sms:
            let wait = factor.sentAt.map { max(1, ($0 + FactorCodes.interval - now).wholeSeconds) } ?? 1
            var prompt = try prompt(factor, resendAfter: factor.sends < OpenFactors.mostSends ? wait : nil)
            prompt.isCodeSent = factor.hasCode(at: now)
            return prompt
        case .secretQuestion: return try prompt(factor, asking: record)
        case .totp, .recoveryCode: return try prompt(factor)
        }
    }

    private func prompt(_ factor: OpenFactorRecord, asking record: SecretQuestions.Record?) throws -> Prompt? {
        guard let question = record.flatMap({ SecretQuestion(rawValue: $0.question) }) else { return nil }
        return try prompt(factor, question: question.text(in: .of(account, acceptLanguage: acceptLanguage)))
    }

    /// - Parameter earliest: a code sent after this time forbids another; `nil` for the usual rule.
    private func ask(_ factor: OpenFactorRecord, unlessSentAfter earliest: Timestamp? = nil) async throws -> Prompt? {
        switch factor.kind {
        case .email, .sms:
            let sending = try await send(factor, unlessSentAfter: earliest)
            var prompt = try prompt(sending.factor, resendAfter: sending.resendAfter)
            prompt.isCodeSent = sending.hasCode
            prompt.sent = sending.isSent
            return prompt
        case .secretQuestion:
            let number = prompting.random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let record = try await prompting.database.write {
                try SecretQuestions.ask(of: account.id, number: number, on: $0)
            }
            return try prompt(factor, asking: record)
        case .totp, .recoveryCode:
            return try prompt(factor)
        }
    }

    /// Sends a code, unless one was sent a moment ago or too many were. An earlier code then stays valid.
    private func send(_ factor: OpenFactorRecord, unlessSentAfter earliest: Timestamp?) async throws -> Sending {
        let (code, kept) = try prompting.codes.make(for: factor.id, now: now)
        let channel = factor.kind.channel ?? ""
        let message: FactorMessage =
            payment.map { .paymentCode(code, channel: channel, for: $0) } ?? .code(code, channel: channel)
        let entry = try prompting.auditLog.entry(
            message, account: account.id, email: prompting.vault.destination(of: factor.kind, account: account),
            now: now)
        let budgets = try budgets
        // A code for another channel need not wait, but it is counted.
        let earliest = earliest ?? (factor.code == nil ? now : now - FactorCodes.interval)
        return try await prompting.database.write { connection in
            guard let found = try OpenFactors.find(factor.id, now: now, on: connection),
                found.sends < OpenFactors.mostSends
            else { return unsent(factor, resendAfter: nil) }
            if let sentAt = found.sentAt, sentAt > earliest {
                return unsent(found, resendAfter: max(1, (sentAt + FactorCodes.interval - now).wholeSeconds))
            }
            if case .refuse(let until) = try Attempts.count(budgets, now: now, on: connection) {
                return unsent(found, resendAfter: until.map { max(1, ($0 - now).wholeSeconds) })
            }
            guard try OpenFactors.send(factor.id, kept, unlessSentAfter: earliest, now: now, on: connection) else {
                return unsent(found, resendAfter: nil)
            }
            try entry.write(on: connection)
            let isLast = found.sends + 1 >= OpenFactors.mostSends
            return Sending(
                factor: found, resendAfter: isLast ? nil : FactorCodes.interval.wholeSeconds, isSent: true,
                hasCode: true)
        }
    }

    private func unsent(_ factor: OpenFactorRecord, resendAfter: Int64?) -> Sending {
        Sending(factor: factor, resendAfter: resendAfter, isSent: false, hasCode: factor.hasCode(at: now))
    }

    private struct Sending: Sendable {
        let factor: OpenFactorRecord
        /// Seconds until another can be sent; `nil` if none can be.
        let resendAfter: Int64?
        /// Whether this step sent one.
        let isSent: Bool
        /// Whether the person can have a valid code.
        let hasCode: Bool
    }

    /// The counter of the codes that all devices unknown to an account share.
    static func sendingCounter(of account: UniqueID, key: DataKey) -> [UInt8] {
        Digests.keyed("second-factor-sending", [account.uuid], key: key)
    }

    /// The limits of a code.
    private var budgets: [AttemptLimit] {
        get throws {
            let key = try prompting.keyRing.active(.attempts)
            func limit(_ label: String, _ names: [String], _ policy: AttemptPolicy) -> AttemptLimit {
                AttemptLimit(Digests.keyed(label, names, key: key), under: prompting.limits.applied(to: policy))
            }
            let id = account.id.uuid
            guard let linked else {
                let subject = Self.sendingCounter(of: account.id, key: key)
                return [AttemptLimit(subject, under: prompting.limits.applied(to: Self.sending))]
            }
            return [
                limit("second-factor-sending-linked", [id, linked], Self.sending),
                limit("second-factor-sending-all-linked", [id], Self.sendingToLinked),
            ]
        }
    }

    private func prompt(
        _ factor: OpenFactorRecord, question: String? = nil, resendAfter: Int64? = nil
    ) throws -> Prompt {
        Prompt(
            token: try MFAToken(factor.id.uuid), method: factor.kind.method, question: question,
            channel: factor.kind.channel, destination: masked(factor.kind), resendAfter: resendAfter,
            alternatives: FactorKind.allCases.filter { isOffered($0) && $0 != factor.kind }.map { kind in
                Prompt.Alternative(method: kind.method, channel: kind.channel, destination: masked(kind))
            } + (takesPasskey ? [Prompt.Alternative(method: Self.passkey)] : []))
    }

    private static let passkey = AccountFactorList.Factor.passkeyMethod

    /// The prompt if a passkey is all that can be asked for. Its answer is a signature and no guess, so no tries are counted.
    /// - Returns: `nil` if none can be used.
    func passkeyAlone() throws -> Prompt? {
        guard takesPasskey else { return nil }
        return Prompt(token: try MFAToken(prompting.random.uniqueID().uuid), method: Self.passkey)
    }

    private func masked(_ kind: FactorKind) -> String? {
        prompting.vault.maskedDestination(of: kind, account: account)
    }
}

extension SignInIntent {
    /// Identifies the device of the sign-in by what it proved or stores.
    fileprivate var deviceName: String? {
        switch entrance {
        case .native: isDeviceProved ? device?.uuid : keyThumbprint.map { Base64URL.encode($0) }
        case .browser: browser?.device
        case .backend, .formerSystem: nil
        }
    }
}

extension OpenFactorRecord {
    /// Whether a sent code is still valid.
    fileprivate func hasCode(at now: Timestamp) -> Bool { code.map { now < $0.expiresAt } ?? false }
}
