package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// The people whom clients name.
package struct BackchannelPeople: Sendable {
    private let hints: IDTokenHints
    private let sealing: SealingKeys

    package init(_ context: ServerContext) {
        hints = IDTokenHints(issuer: context.settings.issuer, keyRing: context.keyRing)
        sealing = context.sealing
    }

    /// A hint in a form that the accounts know.
    package enum Name: Sendable {
        case account(UniqueID)
        case typed(Username)
        /// No account can have this name.
        case impossible
    }

    /// - Returns: a refusal for an ID token that this server did not issue to the client.
    package func name(
        _ hint: BackchannelAuthenticationRequest.Hint, by client: RegisteredClient, now: Timestamp
    ) async throws -> Result<Name, OAuthRefusal> {
        switch hint {
        case .login(let text): return .success((try? Username(text)).map { Name.typed($0) } ?? .impossible)
        case .idToken(let token):
            try await hints.keyRing.refreshIfStale(now: now)
            guard let claims = hints.claims(of: token), claims.audience == [client.id.rawValue] else {
                return .failure(
                    .invalidRequest("id_token_hint is not an ID token that this server issued to the client"))
            }
            return .success(UniqueID(uuid: claims.subject).map { Name.account($0) } ?? .impossible)
        }
    }

    /// The person of a name, if they could approve a sign-in to the client now. Whether there is no such person, the account is locked, has
    /// no phone, or never gave another company's client access, looks the same to the client.
    package func find(
        _ name: Name, for client: RegisteredClient, scope: Scope, now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountRecord? {
        let brand = try client.accountBrand
        let named: AccountRecord? =
            switch name {
            case .account(let id): try Accounts.find(id, on: connection)
            case .typed(let name):
                try Accounts.find(typed: name, brand: brand, sealing: sealing, now: now, on: connection)
            case .impossible: nil
            }
        guard let account = named, account.state == .active, account.brandID == brand.rawValue,
            try Devices.list(of: account.id, on: connection).contains(where: { $0.state == .active })
        else { return nil }
        guard !client.isFirstParty else { return account }
        let consent = try ClientConsentRecords.find(account.id, to: client.id.rawValue, on: connection)
        return try ClientConsentRule.covers(scope, consent, named: consent?.id.bytes) ? account : nil
    }
}

/// How often a client may ask a person.
package enum BackchannelAttempts {
    /// Counts a request. Call this in the write that puts it to the person.
    /// - Returns: until when the client has to wait; `nil` if it may ask.
    package static func count(
        _ account: UniqueID, by client: RegisteredClient, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        if let held = try Attempts.state(refusal(of: account, client.id.rawValue), now: now, on: connection)?.heldUntil
        {
            return held
        }
        let own = Digests.of("backchannel-for-person", account.bytes + Array(client.id.rawValue.utf8))
        guard
            case .refuse(let until) = try Attempts.count(
                own, under: BackchannelLimits.ofPerson, now: now, on: connection)
        else { return nil }
        return until ?? now + BackchannelLimits.window
    }

    /// Records that the person did not expect a client's request. Call this in the write of the refusal.
    package static func refused(
        _ account: UniqueID, by client: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let subject = refusal(of: account, client)
        // The hour is that of the last refusal.
        try Attempts.clear(subject, on: connection)
        _ = try Attempts.count(subject, under: BackchannelLimits.afterRefusal, now: now, on: connection)
    }

    private static func refusal(of account: UniqueID, _ client: String) -> [UInt8] {
        Digests.of("backchannel-refused", account.bytes + Array(client.utf8))
    }
}

extension SignInGate {
    /// Decides on a sign-in that the person approved on their phone, for a client that named them. It can ask for nothing more.
    /// - Parameters:
    ///   - client: the authenticated client.
    ///   - id: of the request, which opens one session.
    ///   - consent: the account's to another company's client.
    package func admit(
        _ approval: BackchannelApproval, to client: RegisteredClient, asking content: DeviceGrantContent, id: UniqueID,
        consent: ClientConsentRecord?, origin: RequestOrigin, now: Timestamp
    ) async throws -> AdmittedGrant? {
        var intent = SignInIntent(
            client: client, scope: content.scope, keyThumbprint: content.keyThumbprint, resources: content.resources,
            entrance: .backend, origin: origin)
        intent.grantID = id.bytes
        intent.isOnTrustedDevice = true
        intent.authorizationDetails = content.authorizationDetails
        // No earlier consent covers details: the signature does, which is over them. It replaces no consent that was withdrawn since.
        if let details = content.authorizationDetails, let consent, let granted = try? Scope(consent.scope),
            content.scope.isSubset(of: granted)
        {
            intent.consent = .given(
                ClientConsentOffer(new: content.scope, consent: consent.id.bytes, granted: granted, details: details))
        }
        let factors = SignInPolicy.Factors(
            securityVersion: approval.securityVersion, amr: approval.methods, authTime: approval.at)
        guard
            case .admitted(let admission) = try await admit(
                approval.account, factors: factors, intent: intent, now: now)
        else { return nil }
        return AdmittedGrant(admission, approvedElsewhereBy: AuthenticationStrength.backchannel)
    }
}
