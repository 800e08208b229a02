internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Changes the password, from a signed-in app or on the account's page.
struct PasswordManagement: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog
    let stepUp: StepUp
    let verification: PasswordVerification
    let newPasswords: NewPasswords

    /// Changes it, ends every session but the caller's, and notifies the holder.
    ///
    /// Requires the current password or a sign-in minutes old. In either case the sign-in must be as strong as the account
    /// allows, so that a stolen password alone changes nothing.
    ///
    /// While a recovery cools, password and mailbox are one factor, which a thief of the mailbox has. So nothing changes it then.
    func change(_ request: PasswordChangeRequest, call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        if let cooling = policy.cooling { return .failure(cooling) }
        let facts = try await policy.facts()
        guard policy.isAsStrongAsCanBe(facts) else { return .failure(policy.anotherSignIn(facts)) }
        if let current = request.currentPassword {
            if let refusal = try await refusal(of: current, name: facts.names.first, call: call) {
                return .failure(refusal)
            }
        } else if let refusal = policy.refusalUnlessFresh(facts) {
            return .failure(refusal)
        }
        return try await set(request.newPassword, facts, call: call)
    }

    /// Why the page must not offer a new password; `nil` if it may. Its sign-in minutes ago replaces the current password.
    func refusal(of call: PageCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        return policy.refusalUnlessFresh(try await policy.facts())
    }

    /// Changes it on the account's page. A form that arrives twice succeeds twice.
    func change(to password: Password, call: PageCaller) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(refusal) }
        let result = try await set(password, facts, call: call)
        if case .failure = result,
            try await call.hasMade(Self.trace(of: password), by: stepUp.keyRing, in: database)
        {
            return .success(())
        }
        return result
    }

    private static func trace(of password: Password) -> [String] { ["password", password.reveal()] }

    private func set(
        _ password: Password, _ facts: StepUpPolicy.Facts, call: any HolderCaller
    ) async throws -> Result<Void, FactorRefusal> {
        let outcome = try await newPasswords.seal(
            password, of: call.account, names: facts.names, for: .known(to: call.account.id, from: call.origin),
            now: call.now)
        switch outcome {
        case .sealed(let sealed): return try await commit(sealed, of: password, call: call)
        case .unacceptable(let violation): return .failure(.passwordUnacceptable(violation))
        case .busy(let seconds): return .failure(.busy(retryAfter: seconds))
        }
    }

    private func commit(
        _ sealed: [UInt8], of password: Password, call: any HolderCaller
    ) async throws -> Result<Void, FactorRefusal> {
        let account = call.account
        let entry = try auditLog.entry(
            AccountEvent.passwordChanged, message: AccountMessage.passwordChanged, call: call,
            details: .ofPassword(replacing: account.password))
        let pinRemoval = try AccountPINRemoval(of: account, in: auditLog, origin: call.origin, now: call.now)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            let changedAt = clock.writeTime(since: call.now)
            let version = try Accounts.changePassword(
                of: account.id, to: sealed, expecting: account.securityVersion, now: changedAt, on: connection)
            guard version != nil else { return .failure(.accountChanged) }
            try call.endOtherSessions(because: .passwordChanged, now: changedAt, on: connection)
            try OpenFactors.endAll(of: account.id, on: connection)
            try Recoveries.endAll(of: account.id, on: connection)
            try entry.write(on: connection)
            try pinRemoval.run(on: connection)
            try call.remember(Self.trace(of: password), by: stepUp.keyRing, on: connection)
            return .success(())
        }
    }

    /// Verifies the current password like a sign-in: with the same counters, delays and locks.
    private func refusal(of current: Password, name: String?, call: AppCaller) async throws -> FactorRefusal? {
        guard let name, let username = try? Username(name) else { return .invalidCredentials }
        let device = try await database.read { connection in
            try call.session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
        }
        let outcome = try await verification.verify(
            current, username: username, brand: try BrandID(call.account.brandID),
            device: device.map { .enrolled($0) } ?? .key(call.thumbprint.bytes, of: call.client.id),
            origin: call.origin, now: call.now)
        switch outcome {
        case .verified(let verified): return verified.id == call.account.id ? nil : .invalidCredentials
        case .refused(let refusal): return FactorRefusal(refusal)
        }
    }
}

extension FactorRefusal {
    /// The refusal for a current password that proved nothing.
    fileprivate init(_ refusal: CredentialRefusal) {
        switch refusal {
        case .invalid: self = .invalidCredentials
        case .walletDeactivated: self = .walletDeactivated
        case .deviceSuspended, .deviceDeactivated: self = .deviceDeactivated
        case .tooManyAttempts(let seconds), .networkHeld(let seconds): self = .tooManyAttempts(retryAfter: seconds)
        case .busy(let seconds), .unavailable(let seconds): self = .busy(retryAfter: seconds)
        }
    }
}

/// Checks a password that a person chooses, and hashes it for its row.
struct NewPasswords: Sendable {
    let vault: AccountVault
    let passwords: PasswordHasher
    let compromised: CompromisedPasswords

    enum Outcome: Sendable {
        case sealed([UInt8])
        /// It breaks a rule.
        case unacceptable(PasswordRuleViolation)
        /// No capacity to hash; in seconds.
        case busy(retryAfter: Int64)
    }

    /// - Parameters:
    ///   - names: the person's user names.
    ///   - claimant: takes the hashing slot.
    func seal(
        _ password: Password, of account: AccountRecord, names: [String], for claimant: PasswordSlots.Claimant,
        now: Timestamp
    ) async throws -> Outcome {
        let known = names + [vault.email(of: account)].compactMap(\.self)
        if let fault = try await compromised.fault(in: password, names: known, now: now) {
            return .unacceptable(fault)
        }
        guard let slot = passwords.slot(for: claimant) else { return .busy(retryAfter: PasswordHasher.retryAfter) }
        do {
            if let old = vault.open(account.password, .password, of: account.id),
                try await passwords.verify(password, against: old, in: slot)
            {
                return .unacceptable(.unchanged)
            }
        } catch is PasswordOverload {
            return .busy(retryAfter: PasswordHasher.retryAfter)
        }
        return .sealed(try vault.seal(try await passwords.hash(password, in: slot), .password, of: account.id))
    }
}
