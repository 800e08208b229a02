internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// Who the holder of an account is at identity providers, for its holder: listed, joined, taken away.
///
/// What joins two people is never an e-mail address: whoever gets hold of an address would get hold of the account. It is the
/// same app, on the same key, that had the provider say who it is, and then signed in to the account as strongly as that can
/// be signed in to.
package struct AccountIdentities: Sendable {
    let context: ServerContext

    /// More than anybody has; what can grow has a limit.
    static let most = 10

    /// The account's identities.
    /// - Parameter call: the app's call.
    /// - Throws: infrastructure errors.
    package func list(call: AppCaller) async throws -> JoinedIdentityList {
        let records = try await context.database.read { try FederatedIdentities.list(of: call.account.id, on: $0) }
        return JoinedIdentityList(identities: try records.map(JoinedIdentity.init))
    }

    /// Joins the identity of a sign-in that found no account to the account that the call is of.
    ///
    /// The same request again, its answer lost, gets the same answer.
    /// - Parameters:
    ///   - request: what carries the federated sign-in on: it is the calling app's and its key's own.
    ///   - call: the app's call; its sign-in has to be minutes old and of two factors, or of all that the account has.
    /// - Throws: infrastructure errors.
    package func join(
        _ request: IdentityJoining, call: AppCaller
    ) async throws -> Result<JoinedIdentity, FactorRefusal> {
        let policy = StepUpPolicy(context: context, call: call)
        if let refusal = try await policy.refusalUnlessFresh(policy.facts()) { return .failure(refusal) }
        guard let guest = Guest.sessions(in: context).open(request.session.reveal(), now: call.now),
            guest.client == call.client.id, guest.thumbprint == call.thumbprint,
            guest.identity.brand.rawValue == call.account.brandID, try await isStillThere(guest.identity)
        else { return .failure(.invalidSession) }
        let record = try record(of: guest.identity, for: call)
        let entry = try AuditLog(context: context).entry(
            .identityLinked, account: call.account.id, client: call.client.id.rawValue, origin: call.origin,
            properties: ["provider": guest.identity.provider.rawValue], now: call.now,
            message: .identityJoined, email: email(of: call))
        let budget = try FactorChangeBudget(call, context: context)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            if let found = try FederatedIdentities.find(record.digest, brand: record.brandID, on: connection) {
                guard found.accountID == call.account.id else { return .failure(.identityTaken) }
                return .success(try JoinedIdentity(found))
            }
            // The provider may have been taken away since; the budget is charged for what joins only.
            guard
                let provider = try IdentityProviders.find(
                    record.providerID, brand: record.brandID, on: connection)
            else { return .failure(.invalidSession) }
            guard try FederatedIdentities.list(of: call.account.id, on: connection).count < Self.most else {
                return .failure(.tooManyIdentities(limit: Self.most))
            }
            if let refusal = try budget.charge(on: connection) { return .failure(refusal) }
            guard try FederatedIdentities.link(record, on: connection) else { return .failure(.identityTaken) }
            if let grant = guest.identity.grant {
                let provider = try ProviderVault(context: context).open(provider)
                try provider.keeping(grant, of: record.digest, in: context, now: call.now)(connection)
            }
            try entry.write(on: connection)
            return .success(try JoinedIdentity(record))
        }
    }

    /// Takes an identity away: its provider's word opens the account no more. Other sessions that a provider opened end, and what was begun is void.
    ///
    /// The last way in stays: an account that has neither a password nor another identity would be nobody's.
    /// - Parameters:
    ///   - id: the identity.
    ///   - call: the app's call; its sign-in has to be minutes old and of two factors, or of all that the account has.
    /// - Throws: infrastructure errors.
    package func leave(_ id: JoinedIdentityID, call: AppCaller) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(context: context, call: call)
        if let refusal = try await policy.refusalUnlessFresh(policy.facts()) { return .failure(refusal) }
        guard let digest = Base64URL.decode(id.rawValue) else { return .failure(.identityNotFound) }
        let entry = try AuditLog(context: context).entry(.identityUnlinked, message: .identityLeft, call: call)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(refusal) }
            guard
                try FederatedIdentities.list(of: call.account.id, on: connection).contains(where: {
                    $0.digest == digest
                })
            else { return .failure(.identityNotFound) }
            // Read here, not before: of two that are taken away at once one has to stay.
            let hasPassword = try Accounts.find(call.account.id, on: connection)?.password != nil
            guard
                try hasPassword
                    || FederatedIdentities.hasAnother(than: digest, of: call.account.id, on: connection)
            else { return .failure(.lastWayIn) }
            guard try FederatedIdentities.unlink(digest, of: call.account.id, on: connection) else {
                return .failure(.identityNotFound)
            }
            // A code that the provider's word has just got opens nothing. A session does not say which identity opened it,
            // and what limits it, a cooling period or a mailbox, is gone with the identity.
            try Accounts.raiseSecurityVersionKeepingSessions(of: call.account.id, on: connection)
            try Sessions.endAll(
                of: call.account.id, openedBy: NativeSignIn.federatedMethod, because: .identityUnlinked,
                sparing: call.session.facts.id, now: call.now, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    // MARK: - Steps

    /// Whether the provider is the one that said it: its name may be another's by now.
    private func isStillThere(_ guest: VouchedGuest) async throws -> Bool {
        let provider = try await ProviderVault(context: context).find(guest.provider, brand: guest.brand)
        return provider?.digest(of: guest.subject) == guest.digest
    }

    private func record(of guest: VouchedGuest, for call: AppCaller) throws -> FederatedIdentityRecord {
        let isOneMailbox = email(of: call).flatMap { own in guest.email.map { ContactDetails.mayBeOneMailbox(own, $0) }
        }
        return FederatedIdentityRecord(
            brandID: guest.brand.rawValue, digest: guest.digest, accountID: call.account.id,
            providerID: guest.provider.rawValue,
            subject: try context.seal(
                Array(guest.subject.utf8), for: .personal, context: GuestAccount.context(digest: guest.digest)),
            linkedAt: call.now, tellsAddress: isOneMailbox ?? false)
    }

    private func email(of call: AppCaller) -> String? {
        AccountVault(context: context).open(call.account.email, .email, of: call.account.id)
    }
}

extension JoinedIdentity {
    init(_ record: FederatedIdentityRecord) throws {
        self.init(
            id: try JoinedIdentityID(Base64URL.encode(record.digest)), provider: try ProviderID(record.providerID),
            joinedAt: NumericDate(clamping: record.linkedAt.seconds))
    }
}
