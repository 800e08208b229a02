internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Sets up and removes an authenticator app (RFC 6238).
struct AuthenticatorApps: Sendable {
    let database: any Database
    let random: any RandomBytes
    let vault: AuthenticatorVault
    let auditLog: AuditLog
    let stepUp: StepUp
    let coolingPeriod: Duration

    private static let removal = ["authenticator-removal"]

    /// How long a secret waits for confirmation.
    private static let patience = Duration.minutes(10)

    /// Creates a pending secret. The current one stays in use until the new one is confirmed.
    func begin(call: any FactorCaller) async throws -> Result<AuthenticatorSetup, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(refusal) }
        let secret = random.bytes(TOTP.secretLength)
        let sealed = try vault.seal(secret, .secret, of: call.account.id)
        let refusal = try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return refusal }
            try TOTPSecrets.begin(
                sealed, of: call.account.id, by: call.sessionID, until: call.now + Self.patience, now: call.now,
                on: connection)
            return nil
        }
        guard let refusal else { return .success(try Self.setup(secret, facts)) }
        // The browser shows the last response only.
        guard try await database.read({ try call.isRepeated(on: $0) }), let setup = try await pendingSetup(call: call)
        else {
            return .failure(refusal)
        }
        return .success(setup)
    }

    /// The pending setup, for a page that is shown again; `nil` once the caller could not begin it any more. A form that is still open
    /// confirms it even then.
    func pendingSetup(call: any FactorCaller) async throws -> AuthenticatorSetup? {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        guard policy.refusalUnlessFresh(facts) == nil, let pending = try await pending(call),
            let secret = vault.openBytes(pending.sealed, .secret, of: call.account.id)
        else { return nil }
        return try Self.setup(secret, facts)
    }

    private func pending(_ call: any FactorCaller) async throws -> TOTPSecrets.Record? {
        let session = call.sessionID
        return try await database.read {
            try TOTPSecrets.pending(of: call.account.id, by: session, now: call.now, on: $0)
        }
    }

    private static func setup(_ secret: [UInt8], _ facts: StepUpPolicy.Facts) throws -> AuthenticatorSetup {
        let text = Base32.encode(secret)
        return AuthenticatorSetup(
            secret: try AuthenticatorSecret(text),
            uri: try AuthenticatorURI(uri(text, person: facts.names.first ?? "", issuer: facts.brandName)),
            expiresIn: patience.wholeSeconds)
    }

    /// Takes the pending secret into use if the app shows its code. A form that arrives twice succeeds twice.
    /// - Returns: whether a role waited for it, which the account now has.
    func confirm(_ code: OneTimeCode, call: any FactorCaller) async throws -> Result<Bool, FactorRefusal> {
        // A setup begun while the account had nothing else must not be confirmed past a factor added since. The age of the
        // sign-in was checked at the beginning, so slow typing does no harm.
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        guard policy.isAsStrongAsCanBe(facts) else { return .failure(policy.anotherSignIn(facts)) }
        guard let pending = try await pending(call),
            let secret = vault.openBytes(pending.sealed, .secret, of: call.account.id)
        else { return try await isConfirmed(by: code, call) ? .success(false) : .failure(.nothingPending) }
        guard let step = TOTP.step(of: code.reveal(), secret: secret, now: call.now) else {
            return .failure(.invalidCode)
        }
        let cooling = call.now + coolingPeriod
        let entry = try auditLog.entry(
            FactorEvent.totpAdded, message: FactorMessage.totpAdded, call: call)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        let role = try await PendingRole(of: call, in: database, auditLog)
        let refusal = try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return refusal
            }
            guard
                try TOTPSecrets.activate(
                    pending.sealed, of: call.account.id, by: call.sessionID, step: step, coolingUntil: cooling,
                    now: call.now,
                    on: connection)
            else { return .nothingPending }
            try entry.write(on: connection)
            try role?.grant(now: call.now, on: connection)
            return nil
        }
        if let refusal, try await !isConfirmed(by: code, call) { return .failure(refusal) }
        return .success(role != nil)
    }

    /// Whether the same form confirmed the app with this code a moment ago.
    private func isConfirmed(by code: OneTimeCode, _ call: any FactorCaller) async throws -> Bool {
        let since = call.now - RepeatedAnswer.lifetime
        let active = try await database.read { connection -> TOTPSecrets.Record? in
            guard try call.isRepeated(on: connection),
                let added = try TOTPSecrets.addedAt(of: call.account.id, on: connection), added >= since
            else { return nil }
            return try TOTPSecrets.active(of: call.account.id, on: connection)
        }
        guard let active,
            let secret = vault.openBytes(active.sealed, .secret, of: call.account.id)
        else { return false }
        return TOTP.step(of: code.reveal(), secret: secret, now: call.now) == active.lastStep
    }

    /// Why the caller must not remove the app; `nil` if it may.
    func refusalOfRemoval(call: any FactorCaller) -> FactorRefusal? {
        StepUpPolicy(stepUp, call).refusalUnlessFreshTwoFactors()
    }

    /// Removes the app and any pending secret. A form that arrives twice succeeds twice.
    func remove(call: any FactorCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = refusalOfRemoval(call: call) { return .failure(refusal) }
        let entry = try auditLog.entry(
            FactorEvent.totpRemoved, message: FactorMessage.totpRemoved, call: call)
        let refusal = try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return refusal }
            guard try TOTPSecrets.remove(of: call.account.id, on: connection) else { return .notFound }
            try call.remember(Self.removal, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return nil
        }
        guard let refusal else { return .success(()) }
        return try await call.hasMade(Self.removal, by: stepUp.keyRing, in: database)
            ? .success(()) : .failure(refusal)
    }

    /// The format that authenticator apps read, `otpauth://totp/ISSUER:PERSON?secret=…`.
    ///
    /// The issuer has no colon, not even encoded: apps decode the label and split it at the first one. They compare the part before it with
    /// the parameter.
    private static func uri(_ secret: String, person: String, issuer: String) -> String {
        let issuer = percentEncoded(issuer.split { $0 == ":" || $0 == " " }.joined(separator: " "))
        return "otpauth://totp/\(issuer):\(percentEncoded(person))?secret=\(secret)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.step.wholeSeconds)"
    }

    private static func percentEncoded(_ text: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            unreserved.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
