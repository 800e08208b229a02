internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Lets the holder close the account, and take that back until it is erased.
///
/// A closed account signs in nowhere. The erasure is the operator's, later, by maintenance: this only sets its time.
struct ClosingManagement: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let auditLog: AuditLog
    let stepUp: StepUp
    let dependents: [any DependentRows]
    let operators: OperatorAbility

    /// How long an account waits if its brand gives people no days, so that the message about it still leaves.
    private static let leastWait = Duration.hours(1)

    private static let trace = ["closing"]
    /// Named in a refusal.
    private static let mostOpenPayments = 20

    private var vault: AccountVault { AccountVault(auditLog.sealing) }

    /// When the account would be erased if it were closed now. Payments are looked at when it is.
    func preview(call: any FactorCaller) async throws -> Result<Timestamp, OwnAccountRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(.factor(refusal)) }
        let (account, now) = (call.account.id, call.now)
        if let end = try await database.read({ try ContactCooling.end(of: account, now: now, on: $0) }) {
            return .failure(.contactCooling(retryAfter: RetryAfter.seconds(until: end, now: now)))
        }
        return .success(Self.end(from: now, facts))
    }

    private static func end(from now: Timestamp, _ facts: StepUpPolicy.Facts) -> Timestamp {
        now + max(.days(Int64(facts.brand?.closingDays ?? BrandProfile.usualClosingDays)), leastWait)
    }

    /// The oldest payments, over all features together: each has listed its own.
    static func oldest(of open: [OpenPayment]) -> [OpenPayment] {
        let sorted = open.sorted {
            ($0.begunAt.secondsSince1970, $0.id.rawValue) < ($1.begunAt.secondsSince1970, $1.id.rawValue)
        }
        return Array(sorted.prefix(mostOpenPayments))
    }

    /// Ends every session and refuses every sign-in at once.
    func close(call: any FactorCaller) async throws -> Result<AccountClosing, OwnAccountRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(.factor(refusal)) }
        let account = call.account
        let end = Self.end(from: call.now, facts)
        let bytes = try call.formMark.map { try self.code(of: $0) } ?? random.bytes(RecoveryCodeFormat.length)
        let code = RecoveryCodeFormat.text(of: bytes)
        let entries =
            [
                try auditLog.entry(
                    AccountEvent.closed, account: account.id, client: call.clientID, origin: call.origin, now: call.now)
            ] + (try messages(of: account, eraseAt: end, code: code, now: call.now))
        let refusal = try await database.write { connection -> OwnAccountRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return .factor(refusal) }
            let now = clock.writeTime(since: call.now)
            if let end = try ContactCooling.end(of: account.id, now: now, on: connection) {
                return .contactCooling(retryAfter: RetryAfter.seconds(until: end, now: now))
            }
            let open = try dependents.flatMap {
                try $0.openPayments(
                    of: account.id, sealing: auditLog.sealing, limit: Self.mostOpenPayments, now: now, on: connection)
            }
            guard open.isEmpty else { return .openPayments(Self.oldest(of: open)) }
            guard try !operators.losesLastOwner(account.id, to: nil, on: connection) else { return .lastOwner }
            // Read before the sessions end: each of these clients hears that its own did.
            let clients = try Sessions.clients(of: account.id, now: now, on: connection)
            guard try Accounts.close(account.id, expecting: account.securityVersion, on: connection) else {
                return .factor(.accountChanged)
            }
            try AccountClosings.begin(of: account.id, keptBy: Self.digest(of: bytes), until: end, on: connection)
            try Sessions.endAll(of: account.id, because: .accountClosed, now: now, on: connection)
            try BrowserSessions.endAll(of: account.id, on: connection)
            try OpenFactors.endAll(of: account.id, on: connection)
            try Recoveries.endAll(of: account.id, on: connection)
            try ContactChanges.removeAll(of: account.id, on: connection)
            try call.remember(Self.trace, by: stepUp.keyRing, on: connection)
            for (index, entry) in entries.enumerated() {
                try (index == 0 ? entry.telling(owners: clients) : entry).write(on: connection)
            }
            return nil
        }
        if let refusal { return .failure(refusal) }
        return .success(AccountClosing(eraseAt: NumericDate(clamping: end.seconds), keepCode: try KeepCode(code)))
    }

    /// The closing that a page's form made, for the page after it; `nil` once it is over or taken back.
    ///
    /// No session can ask for it, since all have ended. The mark is as good: only the browser that got the form has it, sealed.
    func made(by mark: [UInt8]) async throws -> AccountClosing? {
        let (bytes, now) = (try code(of: mark), clock.now())
        let found = try await database.read {
            try AccountClosings.find(keptBy: Self.digest(of: bytes), now: now, on: $0)
        }
        guard let found, !found.isTakenBack else { return nil }
        return AccountClosing(
            eraseAt: NumericDate(clamping: found.end.seconds),
            keepCode: try KeepCode(RecoveryCodeFormat.text(of: bytes)))
    }

    /// The code of a form follows from its mark, which nothing keeps: the page after it shows the code when it is loaded again.
    private func code(of mark: [UInt8]) throws -> [UInt8] {
        let key = try stepUp.keyRing.active(.attempts)
        let digest = Digests.keyed("keep-code-of-form", [Base64URL.encode(mark)], key: key)
        return Array(digest.prefix(RecoveryCodeFormat.length))
    }

    /// Opens a closed account again. Everything that signed it in has ended, and stays so: the person signs in as usual.
    ///
    /// The code alone suffices, since it opens no session: it only gives the account back to its holder. It has 80 bits, so
    /// nothing counts wrong ones.
    func keep(_ typed: KeepCode, origin: RequestOrigin) async throws -> Result<Void, OwnAccountRefusal> {
        guard let bytes = RecoveryCodeFormat.bytes(of: typed.reveal()) else { return .failure(.closingNotFound) }
        let (digest, now) = (Self.digest(of: bytes), clock.now())
        let closing = try await database.read { connection -> (AccountRecord, isTakenBack: Bool)? in
            guard let found = try AccountClosings.find(keptBy: digest, now: now, on: connection),
                let account = try Accounts.find(found.account, on: connection)
            else { return nil }
            return (account, found.isTakenBack)
        }
        guard let (account, isTakenBack) = closing else { return .failure(.closingNotFound) }
        // A repetition, because the response was lost.
        if isTakenBack { return .success(()) }
        let entry = try auditLog.entry(
            AccountEvent.kept, account: account.id, origin: origin, now: now, message: OwnAccountMessage.kept,
            email: vault.email(of: account))
        let isKept = try await database.write { connection in
            guard try AccountClosings.find(keptBy: digest, now: now, on: connection)?.isTakenBack == false,
                try Accounts.keep(account.id, on: connection)
            else { return false }
            try AccountClosings.takeBack(of: account.id, now: now, on: connection)
            try entry.write(on: connection)
            return true
        }
        return isKept ? .success(()) : .failure(.closingNotFound)
    }

    /// Over every channel, like word of a recovery: the code in them takes the closing back.
    private func messages(
        of account: AccountRecord, eraseAt end: Timestamp, code: String, now: Timestamp
    ) throws -> [AuditLog.Entry] {
        try [(FactorKind.email, OutboxChannel.email), (.sms, .sms)].compactMap { kind, channel in
            guard !stepUp.secondFactors.undeliverable.contains(kind),
                let address = vault.destination(of: kind, account: account)
            else { return nil }
            return try auditLog.entry(
                OwnAccountMessage.closed(eraseAt: end, keepCode: code, over: channel), account: account.id,
                email: address, now: now)
        }
    }

    private static func digest(of bytes: [UInt8]) -> [UInt8] { Digests.of("account-closing", bytes) }
}
