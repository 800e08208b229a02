internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Verifies the answer to a second factor: one try charged first, one comparison, one winner.
struct FactorAnswers: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let passwords: PasswordHasher
    let auditLog: AuditLog
    let codes: FactorCodes
    let abandoned: AbandonedRecovery

    enum Outcome: Sendable {
        /// The factor is proved and spent.
        case proved(FactorKind)
        /// Wrong, or too old.
        case wrong(isLast: Bool)
        /// The code of the authenticator app was used before. The try does not count.
        case used
        /// No try is left, or the sign-in has ended.
        case over
        /// Too many wrong answers to this account over all sign-ins. Seconds; nothing was charged or compared.
        case held(retryAfter: Int64)
        /// No hashing slot is free; nothing was charged. Seconds.
        case busy(retryAfter: Int64)
    }

    private enum Reservation: Sendable {
        case compare(OpenFactorRecord)
        case over
        case held(until: Timestamp?)
    }

    /// Verifies an answer.
    /// - Parameters:
    ///   - answer: as typed.
    ///   - id: the open factor.
    ///   - pending: the sign-in before the answer.
    ///   - account: the account that signs in.
    ///   - kinds: the factors that count: one that was removed in the meantime proves nothing.
    ///   - origin: the origin of the answer.
    ///   - now: the present moment.
    ///   - repeated: recognizes the same answer from the same page; `nil` for an app's.
    func verify(
        _ answer: Password, of id: UniqueID, in pending: PendingSignIn, account: AccountRecord, kinds: Set<FactorKind>,
        origin: RequestOrigin, now: Timestamp, repeated: RepeatedAnswer? = nil
    ) async throws -> Outcome {
        let outcome = try await verifyOnce(
            answer, of: id, in: pending, account: account, kinds: kinds, origin: origin, now: now, repeated: repeated)
        switch outcome {
        // The first of two equal posts has ended the factor, or spent the code since this one was charged.
        case .over, .used: break
        case .proved, .wrong, .held, .busy: return outcome
        }
        guard let repeated else { return outcome }
        let proved = try await database.read { connection in
            try kinds.first { try repeated.isRemembered(.proved($0, answer), on: connection) }
        }
        return proved.map { .proved($0) } ?? outcome
    }

    private func verifyOnce(
        _ answer: Password, of id: UniqueID, in pending: PendingSignIn, account: AccountRecord, kinds: Set<FactorKind>,
        origin: RequestOrigin, now: Timestamp, repeated: RepeatedAnswer?
    ) async throws -> Outcome {
        // An answer to a question is hashed. The slot comes first: an answer that cannot be compared must not be charged.
        let found = try await database.read { try OpenFactors.find(id, now: now, on: $0) }
        guard let found, found.accountID == account.id, kinds.contains(found.kind) else { return .over }
        guard Self.isPossible(answer.reveal(), found.kind, account: account) else { return .wrong(isLast: false) }
        var slot: PasswordHasher.Slot?
        if found.kind == .secretQuestion {
            // One factor may be stolen, so this takes no slot reserved for the holder's devices.
            slot = passwords.slot(for: .untrusted(name: account.id.uuid, networks: origin.networks))
            if slot == nil { return .busy(retryAfter: PasswordHasher.retryAfter) }
        }
        let subject = FactorAttempts.counter(of: account.id, found.kind, key: try keyRing.active(.attempts))
        let held = try alarm(.held, nil, account: account, origin: origin, now: now)
        let heldOnce = Digests.of("second-factor-held", id.bytes)
        let reservation = try await database.write { connection -> Reservation in
            guard let open = try OpenFactors.find(id, now: now, on: connection), open.kind == found.kind,
                open.tries < OpenFactors.mostTries
            else { return .over }
            if case .refuse(let until) =
                try Attempts.reserve(subject, under: FactorAttempts.policy, now: now, on: connection)
            {
                // Recorded once for each sign-in, however many tries follow.
                if try SeenJTIs.remember(heldOnce, until: open.expiresAt, on: connection) {
                    try held.write(on: connection)
                }
                return .held(until: until)
            }
            return try OpenFactors.reserveTry(id, now: now, on: connection).map { .compare($0) } ?? .over
        }
        switch reservation {
        case .over: return .over
        case .held(let until): return .held(retryAfter: RetryAfter.seconds(until: until, now: now))
        case .compare(let factor):
            let spending = try await compare(answer, factor, account: account, slot: slot, now: now)
            if case .spentStep? = spending { return try await takeBack(factor, subject: subject) }
            return try await conclude(
                factor, spending: spending, subject: subject, in: pending, account: account, origin: origin, now: now
            ) { try repeated?.remember(.proved(factor.kind, answer), on: $0) }
        }
    }

    /// Whether the text can be a right answer at all. If not, it is not compared and costs no try.
    private static func isPossible(_ typed: String, _ kind: FactorKind, account: AccountRecord) -> Bool {
        switch kind {
        case .email, .sms: TypedCode.isPossible(typed, digits: CodeDigits.sent)
        case .totp: TypedCode.isPossible(typed, digits: TOTP.digits)
        case .recoveryCode: RecoveryCodeFormat.digest(of: typed, account: account.id) != nil
        case .secretQuestion: true
        }
    }

    /// What a right answer uses up, in addition to the open factor.
    private enum Spending: Sendable {
        case code
        case step(Int64, sealed: [UInt8])
        /// The code of a step that was used before: there is nothing left to use up.
        case spentStep
        case recoveryCode(digest: [UInt8])
        case question(SecretQuestions.Record)
    }

    private func compare(
        _ answer: Password, _ factor: OpenFactorRecord, account: AccountRecord, slot: PasswordHasher.Slot?,
        now: Timestamp
    ) async throws -> Spending? {
        switch factor.kind {
        case .email, .sms:
            return codes.isRight(answer.reveal(), for: factor, now: now) ? .code : nil
        case .totp:
            let record = try await database.read { try TOTPSecrets.active(of: account.id, on: $0) }
            let vault = AuthenticatorVault(auditLog.sealing)
            guard let record, let secret = vault.openBytes(record.sealed, .secret, of: account.id)
            else { return nil }
            return TOTP.step(of: answer.reveal(), secret: secret, now: now).map { step in
                step > record.lastStep ? .step(step, sealed: record.sealed) : .spentStep
            }
        case .recoveryCode:
            guard let digest = RecoveryCodeFormat.digest(of: answer.reveal(), account: account.id) else { return nil }
            return .recoveryCode(digest: digest)
        case .secretQuestion:
            guard let slot else { return nil }
            let record = try await database.read { try SecretQuestions.asked(of: account.id, on: $0) }
            let typed = try? Password(SecretAnswer.normalized(answer.reveal()))
            let vault = SecretQuestionVault(auditLog.sealing)
            let hash = record.flatMap { vault.open($0.answer, .answer, of: (account.id, $0.question)) }
            guard let typed, try await passwords.verify(typed, against: hash, in: slot), let record else {
                return nil
            }
            return .question(record)
        }
    }

    /// Refunds the try of a code that was right once. It was shown by the app, so it says nothing to a guesser; the person only has to
    /// wait for the next one.
    private func takeBack(_ factor: OpenFactorRecord, subject: [UInt8]) async throws -> Outcome {
        try await database.write { connection in
            try Attempts.refund(subject, on: connection)
            try OpenFactors.refundTry(factor.id, on: connection)
        }
        return .used
    }

    /// Spends a right answer in the write that ends the factor; ends the factor after the last wrong try.
    /// - Parameter remember: called in the write that spends the answer.
    private func conclude(
        _ factor: OpenFactorRecord, spending: Spending?, subject: [UInt8], in pending: PendingSignIn,
        account: AccountRecord, origin: RequestOrigin, now: Timestamp,
        remember: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> Outcome {
        let isLast = factor.tries >= OpenFactors.mostTries
        let notice = try notice(of: factor.kind, account: account, origin: origin, now: now)
        // A recovery does not prove the password, and the warning about an abandoned one is already written.
        let message: FactorMessage? = pending.recovery == nil ? .failed : nil
        let failed = try alarm(.failed, message, account: account, origin: origin, now: now)
        return try await database.write { connection in
            // A concurrent answer may have ended the factor. A wrong answer is still reported as wrong.
            guard let open = try OpenFactors.find(factor.id, now: now, on: connection) else {
                guard spending != nil else {
                    try Attempts.fail(subject, on: connection)
                    return .wrong(isLast: true)
                }
                try Attempts.refund(subject, on: connection)
                return .over
            }
            // If another factor was chosen or another code sent meanwhile, a right answer does not count, and spends
            // nothing.
            let isReplaced = open.kind != factor.kind || open.code?.mac != factor.code?.mac
            if spending != nil, isReplaced {
                try Attempts.refund(subject, on: connection)
                return .wrong(isLast: isLast)
            }
            guard try spend(spending, of: account.id, on: connection) else {
                let failures = try Attempts.fail(subject, on: connection)
                if isLast, try OpenFactors.end(factor.id, as: factor.kind, mac: factor.code?.mac, on: connection) {
                    try failed.write(on: connection)
                    for warning in pending.warningIDs { try Outbox.hasten(warning, now: now, on: connection) }
                } else if Self.isRecorded(failures) {
                    try mismatch(failures, account: account, origin: origin, now: now).write(on: connection)
                }
                return .wrong(isLast: isLast)
            }
            // Of several concurrent right answers, one finds the factor open. It ends it, and continues.
            _ = try OpenFactors.end(factor.id, as: factor.kind, mac: factor.code?.mac, on: connection)
            // Sent codes stay counted: the owner of an account must not be able to have codes sent without limit.
            try Attempts.succeed(subject, on: connection)
            try remember(connection)
            try notice?.write(on: connection)
            if !pending.warningIDs.isEmpty {
                try abandoned.withdraw(pending.warningIDs, of: account.id, on: connection)
            }
            return .proved(factor.kind)
        }
    }

    /// - Returns: whether the answer was right and not used before.
    private func spend(
        _ spending: Spending?, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        switch spending {
        case nil, .spentStep: false
        // Ending the factor spends its code.
        case .code: true
        case .step(let step, let sealed):
            try TOTPSecrets.spend(step: step, of: account, sealed: sealed, on: connection)
        case .recoveryCode(let digest): try RecoveryCodes.spend(digest, of: account, on: connection)
        case .question(let record): try SecretQuestions.settle(record, of: account, on: connection)
        }
    }

    /// For some factors, the holder is notified of every use.
    private func notice(
        of kind: FactorKind, account: AccountRecord, origin: RequestOrigin, now: Timestamp
    ) throws -> AuditLog.Entry? {
        let email = AccountVault(auditLog.sealing).email(of: account)
        switch kind {
        case .secretQuestion:
            return try auditLog.entry(
                FactorEvent.secretQuestionAnswered, account: account.id, origin: origin, now: now,
                message: FactorMessage.newDevice,
                email: email)
        case .recoveryCode:
            return try auditLog.entry(
                FactorEvent.recoveryCodeUsed, account: account.id, origin: origin, now: now,
                message: FactorMessage.recoveryCodeUsed,
                email: email)
        case .totp, .email, .sms: return nil
        }
    }

    /// Whether a wrong answer has an entry of its own, by its number among those in a row: the free ones do, so that a refused request is
    /// found by its id, and of those after them the 8th, 16th and so on. An attacker must not decide how large the log grows.
    static func isRecorded(_ failures: Int64) -> Bool {
        failures <= OpenFactors.mostTries || failures & (failures - 1) == 0
    }

    private func mismatch(
        _ failures: Int64, account: AccountRecord, origin: RequestOrigin, now: Timestamp
    ) throws -> AuditLog.Entry {
        var details = JSONObject()
        details.set("failures", failures)
        return try auditLog.entry(
            FactorEvent.mismatched, account: account.id, origin: origin, now: now, details: details)
    }

    /// Records, once, that a page asked for no factor because no answer would be compared.
    func recordHold(
        of account: AccountRecord, until end: Timestamp, origin: RequestOrigin, now: Timestamp
    ) async throws {
        let held = try alarm(.held, nil, account: account, origin: origin, now: now)
        let once = Digests.of("second-factor-held", account.id.bytes + Array("\(end.milliseconds)".utf8))
        try await database.write { connection in
            if try SeenJTIs.remember(once, until: end, on: connection) { try held.write(on: connection) }
        }
    }

    /// The first factor was right at this point, so wrong answers concern the holder and auditors.
    private func alarm(
        _ event: FactorEvent, _ message: FactorMessage?, account: AccountRecord, origin: RequestOrigin,
        now: Timestamp
    ) throws -> AuditLog.Entry {
        let email = AccountVault(auditLog.sealing).email(of: account)
        return try auditLog.entry(
            event, account: account.id, origin: origin, now: now, message: message, email: email)
    }
}
