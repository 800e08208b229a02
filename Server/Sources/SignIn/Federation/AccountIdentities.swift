internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The identities at providers that the holder of an account lists, links and unlinks: in an app, or through the backend that has
/// the guest's tokens.
///
/// An e-mail address never links two identities, because control of the address would then give control of the account. A link
/// needs the same app with the same key for both: the sign-in at the provider, and the strongest sign-in that the account allows.
package struct AccountIdentities: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let providers: ProviderVault
    let access: ProviderAccess
    let guestSessions: SealedState<GuestSession>
    let stepUp: StepUp

    /// More than anyone has; everything that can grow has a limit.
    package static let most = 10

    package func list(call: AppCaller) async throws -> JoinedIdentityList {
        let records = try await database.read { try FederatedIdentities.list(of: call.account.id, on: $0) }
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
        let policy = StepUpPolicy(stepUp, call)
        if let refusal = try await policy.refusalUnlessFresh(policy.facts()) { return .failure(refusal) }
        guard let guest = guestSessions.open(request.session.reveal(), now: call.now),
            guest.client == call.client.id, guest.thumbprint == call.thumbprint,
            guest.identity.brand.rawValue == call.account.brandID, try await isStillThere(guest.identity)
        else { return .failure(.invalidSession) }
        return try await add(guest.identity, call: call)
    }

    /// Unlinks an identity, so that its provider no longer opens the account. Ends other sessions that a provider opened, and voids
    /// sign-ins in progress.
    ///
    /// The last way to sign in stays: an account with neither a password nor another identity would be unreachable.
    /// - Parameter call: its sign-in must be minutes old and use two factors, or all that the account has.
    package func leave(_ id: JoinedIdentityID, call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        try await leave(id, by: call)
    }

    /// The same from the account's page. A form that arrives twice succeeds twice.
    func leave(_ id: JoinedIdentityID, by call: some HolderCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = try await refusalOfLeaving(call: call) { return .failure(refusal) }
        guard let digest = Base64URL.decode(id.rawValue) else { return .failure(.identityNotFound) }
        let outcome = try await remove(digest, call: call) { try call.continueSession(on: $0) }
        guard case .failure = outcome else { return outcome }
        return try await call.hasMade(Self.trace(digest), by: stepUp.keyRing, in: database) ? .success(()) : outcome
    }

    /// Why the caller must not unlink an identity; `nil` if it may.
    func refusalOfLeaving(call: some HolderCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        return try await policy.refusalUnlessFresh(policy.facts())
    }

    private static func trace(_ digest: [UInt8]) -> [String] { ["identity-removal", Base64URL.encode(digest)] }

    // MARK: - Guests of a confidential client

    /// Why the guest may change nothing now; `nil` if they may. Asked before a provider's code is redeemed.
    ///
    /// The sign-in must be minutes old and prove what the account can prove: what is protected by a second factor, a device or a passkey
    /// is changed in the operator's own app. A code by e-mail is no such factor where the provider reads that mailbox too. A code that was
    /// sent is not enough: who gets it may have a number that the guest mistyped or gave up, and would keep the account by a link.
    package func refusal(of call: GuestCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        let sent = Set(FactorKind.allCases.map(\.authenticationMethod))
        guard !call.settledMethods.allSatisfy(sent.contains) else {
            if let cooling = policy.cooling { return cooling }
            return policy.anotherSignIn(try await policy.facts())
        }
        return try await policy.refusalUnlessFresh(policy.facts(after: FirstFactor(provedBy: call.methods)))
    }

    /// Links the identity of a person whom a provider has just vouched for. Repeating it changes nothing.
    package func link(
        _ identity: ProvenIdentity, call: GuestCaller
    ) async throws -> Result<JoinedIdentity, FactorRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(refusal) }
        return try await add(identity, call: call)
    }

    /// Unlinks an identity of the guest, except the last way to sign in.
    /// - Parameter digest: the key under which it is linked.
    package func unlink(_ digest: [UInt8], call: GuestCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(refusal) }
        return try await remove(digest, call: call)
    }

    // MARK: - Steps

    /// Links the identity of a person who was proved, in one write.
    private func add(
        _ identity: ProvenIdentity, call: some FactorCaller
    ) async throws -> Result<JoinedIdentity, FactorRefusal> {
        let record = try record(of: identity, for: call)
        let entry = try auditLog.entry(
            IdentityEvent.linked, account: call.account.id, client: call.clientID, origin: call.origin,
            properties: ["provider": identity.provider.rawValue], now: call.now,
            message: IdentityMessage.joined, email: email(of: call))
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        do {
            return try await database.write { connection in
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
                if identity.grant != nil {
                    let provider = try providers.open(provider)
                    try identity.keepGrant(at: provider, by: access, now: call.now, on: connection)
                }
                try entry.write(on: connection)
                return .success(try JoinedIdentity(record))
            }
        } catch is VendorConsentEnded {
            return .failure(.invalidSession)
        }
    }

    /// Unlinks an identity of the caller's account, in one write.
    /// - Parameter proceed: lets the calling session go on under the account's new security version.
    private func remove(
        _ digest: [UInt8], call: some FactorCaller,
        proceed: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in }
    ) async throws -> Result<Void, FactorRefusal> {
        let entry = try auditLog.entry(
            IdentityEvent.unlinked, message: IdentityMessage.left, call: call)
        return try await database.write { connection in
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
                sparing: call.sessionID, now: clock.writeTime(since: call.now), on: connection)
            try proceed(connection)
            try call.remember(Self.trace(digest), by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Whether the provider that vouched still exists with the same settings; another may have taken its name.
    private func isStillThere(_ identity: ProvenIdentity) async throws -> Bool {
        let provider = try await providers.find(identity.provider, brand: identity.brand)
        return provider?.digest(of: identity.subject) == identity.digest
    }

    private func record(
        of identity: ProvenIdentity, for call: some FactorCaller
    ) throws -> FederatedIdentityRecord {
        FederatedIdentityRecord(
            brandID: identity.brand.rawValue, digest: identity.digest, accountID: call.account.id,
            providerID: identity.provider.rawValue,
            subject: try IdentityVault(sealing).seal(identity.subject, .subject, of: identity.digest),
            linkedAt: call.now, assertsAddress: identity.assertsAddress(email(of: call)))
    }

    private func email(of call: some FactorCaller) -> String? {
        AccountVault(sealing).open(call.account.email, .email, of: call.account.id)
    }
}

extension JoinedIdentity {
    init(_ record: FederatedIdentityRecord) throws {
        self.init(
            id: try JoinedIdentityID(Base64URL.encode(record.digest)), provider: try ProviderID(record.providerID),
            joinedAt: NumericDate(clamping: record.linkedAt.seconds))
    }
}

extension GuestCaller: FactorCaller {
    var sessionID: UniqueID { session.facts.id }
    var authTime: Timestamp { session.facts.authTime }
    var clientID: String { client.id.rawValue }
    var formMark: [UInt8]? { nil }

    func isRepeated(on connection: any SQLConnection) throws -> Bool { false }

    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        try Sessions.living(session.facts.id, now: now, on: connection) == nil ? .accountChanged : nil
    }
}
