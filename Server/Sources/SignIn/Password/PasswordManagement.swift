internal import Kernel
internal import Store
internal import WalletAuthWire

/// Changes the password from a signed-in app.
struct PasswordManagement: Sendable {
    let context: ServerContext
    let call: AppCaller

    private var account: AccountRecord { call.account }

    /// Changes it, ends every session but the caller's, and notifies the holder.
    ///
    /// Requires the current password or a sign-in minutes old. In either case the sign-in must be as strong as the account
    /// allows, so that a stolen password alone changes nothing.
    ///
    /// While a recovery cools, password and mailbox are one factor, which a thief of the mailbox has. So nothing changes it then.
    func change(_ request: PasswordChangeRequest) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(context: context, call: call)
        if let cooling = policy.cooling { return .failure(cooling) }
        let facts = try await policy.facts()
        guard policy.isAsStrongAsCanBe(facts) else { return .failure(policy.anotherSignIn(facts)) }
        if let current = request.currentPassword {
            if let refusal = try await refusal(of: current, name: facts.names.first) { return .failure(refusal) }
        } else if let refusal = policy.refusalUnlessFresh(facts) {
            return .failure(refusal)
        }
        let vault = AccountVault(context.sealing)
        let email = vault.open(account.email, .email, of: account.id)
        let fault = try await CompromisedPasswords(context: context)
            .fault(in: request.newPassword, names: facts.names + [email].compactMap { $0 }, now: call.now)
        if let fault {
            return .failure(.passwordUnacceptable(fault))
        }
        guard let slot = context.passwords.slot(for: .known(to: account.id, from: call.origin)) else {
            return .failure(.busy(retryAfter: PasswordHasher.retryAfter))
        }
        if let old = vault.open(account.password, .password, of: account.id),
            try await context.passwords.verify(request.newPassword, against: old, in: slot)
        {
            return .failure(.passwordUnacceptable(.unchanged))
        }
        let hash = try await context.passwords.hash(request.newPassword, in: slot)
        return try await commit(try vault.seal(hash, .password, of: account.id))
    }

    private func commit(_ sealed: [UInt8]) async throws -> Result<Void, FactorRefusal> {
        let entry = try context.auditLog.entry(
            AccountEvent.passwordChanged, message: AccountMessage.passwordChanged, call: call)
        let pinRemoval = try AccountPINRemoval(of: account, in: context, origin: call.origin, now: call.now)
        let session = call.session.facts.id
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            let changedAt = context.writeTime(since: call.now)
            let version = try Accounts.changePassword(
                of: account.id, to: sealed, expecting: account.securityVersion, now: changedAt, on: connection)
            guard let version else { return .failure(.accountChanged) }
            try Sessions.endAll(
                of: account.id, sparing: session, because: .passwordChanged, now: changedAt, on: connection)
            try Sessions.adopt(session, version: version, on: connection)
            try BrowserSessions.endAll(of: account.id, on: connection)
            try OpenFactors.endAll(of: account.id, on: connection)
            try Recoveries.endAll(of: account.id, on: connection)
            try entry.write(on: connection)
            try pinRemoval.run(on: connection)
            return .success(())
        }
    }

    /// Verifies the current password like a sign-in: with the same counters, delays and locks.
    private func refusal(of current: Password, name: String?) async throws -> FactorRefusal? {
        guard let name, let username = try? Username(name) else { return .invalidCredentials }
        let device = try await context.database.read { connection in
            try call.session.facts.deviceID.flatMap { try Devices.find($0, on: connection) }
        }
        let outcome = try await PasswordVerification(context: context).verify(
            current, username: username, brand: try BrandID(account.brandID),
            device: device.map { .enrolled($0) } ?? .key(call.thumbprint.bytes, of: call.client.id),
            origin: call.origin, now: call.now)
        switch outcome {
        case .verified(let verified): return verified.id == account.id ? nil : .invalidCredentials
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
        case .busy(let seconds): self = .busy(retryAfter: seconds)
        }
    }
}
