internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The identities at providers that the holder of an account lists, links and unlinks.
///
/// An e-mail address never links two identities, because control of the address would then give control of the account. A link
/// needs the same app with the same key for both: the sign-in at the provider, and the strongest sign-in that the account allows.
package struct AccountIdentities: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// More than anyone has; everything that can grow has a limit.
    static let most = 10

    package func list(call: AppCaller) async throws -> JoinedIdentityList {
        let records = try await context.database.read { try FederatedIdentities.list(of: call.account.id, on: $0) }
        return JoinedIdentityList(identities: try records.map(JoinedIdentity.init))
    }

    /// Links the identity of a provider sign-in that found no account to the caller's account.
    ///
    /// Idempotent: a repeated request whose response was lost gets the same response.
    /// - Parameters:
    ///   - request: the guest session of that sign-in, bound to the calling app and its key.
    ///   - call: its sign-in must be minutes old and use two factors, or all that the account has.
    package func join(
        _ request: IdentityJoining, call: AppCaller
    ) async throws -> Result<JoinedIdentity, FactorRefusal> {
        let policy = StepUpPolicy(context: context, call: call)
        if let refusal = try await policy.refusalUnlessFresh(policy.facts()) { return .failure(refusal) }
        guard let guest = GuestSession.sealed(in: context).open(request.session.reveal(), now: call.now),
            guest.client == call.client.id, guest.thumbprint == call.thumbprint,
            guest.identity.brand.rawValue == call.account.brandID, try await isStillThere(guest.identity)
        else { return .failure(.invalidSession) }
        return try await link(guest.identity, call: call)
    }

    /// Unlinks an identity, so that its provider no longer opens the account. Ends other sessions that a provider opened, and voids
    /// sign-ins in progress.
    ///
    /// The last way to sign in stays: an account with neither a password nor another identity would be unreachable.
    /// - Parameter call: its sign-in must be minutes old and use two factors, or all that the account has.
    package func leave(_ id: JoinedIdentityID, call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(context: context, call: call)
        if let refusal = try await policy.refusalUnlessFresh(policy.facts()) { return .failure(refusal) }
        guard let digest = Base64URL.decode(id.rawValue) else { return .failure(.identityNotFound) }
        return try await unlink(digest, call: call)
    }

    // MARK: - Steps

    /// Links the identity of a person who was proved, in one write.
    func link(
        _ identity: ProvenIdentity, call: some FactorCaller
    ) async throws -> Result<JoinedIdentity, FactorRefusal> {
        let record = try record(of: identity, for: call)
        let entry = try context.auditLog.entry(
            IdentityEvent.linked, account: call.account.id, client: call.clientID, origin: call.origin,
            properties: ["provider": identity.provider.rawValue], now: call.now,
            message: IdentityMessage.joined, email: email(of: call))
        let budget = try FactorChangeBudget(call, context: context)
        do {
            return try await context.database.write { connection in
                if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
                if let found = try FederatedIdentities.find(record.digest, brand: record.brandID, on: connection) {
                    guard found.accountID == call.account.id else { return .failure(.identityTaken) }
                    return .success(try JoinedIdentity(found))
                }
                // The provider may have been removed since. Only a new link is charged to the budget.
                guard
                    let provider = try IdentityProviders.find(
                        record.providerID, brand: record.brandID, on: connection)
                else { return .failure(.invalidSession) }
                guard try FederatedIdentities.list(of: call.account.id, on: connection).count < Self.most else {
                    return .failure(.tooManyIdentities(limit: Self.most))
                }
                if let refusal = try budget.charge(on: connection) { return .failure(refusal) }
                guard try FederatedIdentities.link(record, on: connection) else { return .failure(.identityTaken) }
                if let grant = identity.grant {
                    let provider = try ProviderVault(context: context).open(provider)
                    try provider.keeping(grant, of: record.digest, in: context, now: call.now)(connection)
                }
                try entry.write(on: connection)
                return .success(try JoinedIdentity(record))
            }
        } catch is VendorConsentEnded {
            return .failure(.invalidSession)
        }
    }

    /// Unlinks an identity of the caller's account, in one write.
    func unlink(_ digest: [UInt8], call: some FactorCaller) async throws -> Result<Void, FactorRefusal> {
        let entry = try context.auditLog.entry(
            IdentityEvent.unlinked, message: IdentityMessage.left, call: call)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            guard
                try FederatedIdentities.list(of: call.account.id, on: connection).contains(where: {
                    $0.digest == digest
                })
            else { return .failure(.identityNotFound) }
            // Read inside the write: of two identities unlinked at once, one has to stay.
            let hasPassword = try Accounts.find(call.account.id, on: connection)?.password != nil
            guard
                try hasPassword
                    || FederatedIdentities.hasAnother(than: digest, of: call.account.id, on: connection)
            else { return .failure(.lastWayIn) }
            guard try FederatedIdentities.unlink(digest, of: call.account.id, on: connection) else {
                return .failure(.identityNotFound)
            }
            // A code that the provider's assertion already obtained must not work. A session does not record the identity that opened it,
            // and the identity's restrictions (cooling period, mailbox) disappear with it.
            try Accounts.raiseSecurityVersionKeepingSessions(of: call.account.id, on: connection)
            try Sessions.endAll(
                of: call.account.id, openedBy: AuthenticationStrength.provider, because: .identityUnlinked,
                sparing: call.sessionID, now: context.writeTime(since: call.now), on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Whether the provider that vouched still exists with the same settings; another may have taken its name.
    private func isStillThere(_ identity: ProvenIdentity) async throws -> Bool {
        let provider = try await ProviderVault(context: context).find(identity.provider, brand: identity.brand)
        return provider?.digest(of: identity.subject) == identity.digest
    }

    private func record(
        of identity: ProvenIdentity, for call: some FactorCaller
    ) throws -> FederatedIdentityRecord {
        FederatedIdentityRecord(
            brandID: identity.brand.rawValue, digest: identity.digest, accountID: call.account.id,
            providerID: identity.provider.rawValue,
            subject: try IdentityVault(context.sealing).seal(identity.subject, .subject, of: identity.digest),
            linkedAt: call.now, assertsAddress: identity.assertsAddress(email(of: call)))
    }

    private func email(of call: some FactorCaller) -> String? {
        AccountVault(context.sealing).open(call.account.email, .email, of: call.account.id)
    }
}

extension JoinedIdentity {
    init(_ record: FederatedIdentityRecord) throws {
        self.init(
            id: try JoinedIdentityID(Base64URL.encode(record.digest)), provider: try ProviderID(record.providerID),
            joinedAt: NumericDate(clamping: record.linkedAt.seconds))
    }
}
