package import Store
package import WalletAuthWire

// Consent to third-party clients: the scopes that an account has granted, those that are missing, granting and withdrawal.
//
// This folder does not know sign-in methods or commands: the gate asks it, and `Tokens` again at the redemption of
// codes. Consent to a payment is separate (`Consent`).

/// The consent that a sign-in requires.
package enum ClientConsentTerms: Sendable, Hashable {
    /// An earlier consent is enough.
    case remembered
    /// The person is asked for all scopes again (`prompt=consent`).
    case asked
    /// The person just pressed "Allow" on a page with this offer.
    case given(ClientConsentOffer)
}

/// The content of a consent page, and the earlier consent behind it. The page's form carries it sealed. If another tab granted or
/// withdrew something since, the person is asked again.
package struct ClientConsentOffer: Codable, Sendable, Hashable {
    /// The scopes that "Allow" adds, or that are asked for again.
    package var new: Scope
    /// The ID of the earlier consent, 16 bytes; `nil` for none.
    package var consent: [UInt8]?
    /// The scopes of the earlier consent.
    package var granted: Scope
    /// What "Allow" grants besides, for this authorization alone.
    package var details: AuthorizationDetails?
}

/// The question to a person.
package struct ClientConsentQuestion: Sendable, Hashable {
    /// The scopes to grant.
    package var new: Scope
    /// The scopes that the client already has.
    package var granted: Scope
    /// The meaning of "Allow".
    package var offer: ClientConsentOffer

    /// Whether nothing in it is new, because the client requests what it has.
    package var isRepeated: Bool {
        offer.details == nil && offer.consent != nil && offer.new.isSubset(of: offer.granted)
    }

    package init(new: Scope, granted: Scope, offer: ClientConsentOffer) {
        self.new = new
        self.granted = granted
        self.offer = offer
    }
}

/// Decides which scopes of a sign-in need consent.
package enum ClientConsentRule {
    /// The decision for a sign-in at a third-party client.
    package enum Verdict: Sendable, Hashable {
        /// This consent covers it.
        case covered(UniqueID)
        /// The person has just granted it; store this scope.
        case allowed(Scope)
        /// The person has to be asked.
        case missing(ClientConsentQuestion)
    }

    /// - Parameters:
    ///   - scope: the scope of the code. A sign-in without scope needs consent too, because it identifies the person.
    ///   - consent: the account's earlier consent.
    ///   - details: what the client asks for besides. No earlier consent covers them.
    /// - Throws: `MalformedValue` if the row is damaged, or if it would exceed the limits of a scope.
    package static func decide(
        _ scope: Scope, _ consent: ClientConsentRecord?, _ terms: ClientConsentTerms,
        details: AuthorizationDetails? = nil
    ) throws(MalformedValue) -> Verdict {
        let granted = try consent.map { row throws(MalformedValue) in try Scope(row.scope) } ?? .none
        func question(_ new: Scope) throws(MalformedValue) -> Verdict {
            let offer = ClientConsentOffer(new: new, consent: consent?.id.bytes, granted: granted, details: details)
            return .missing(ClientConsentQuestion(new: new, granted: try granted.without(new), offer: offer))
        }
        switch terms {
        case .remembered: break
        case .asked:
            // Only new scopes if there are any, otherwise all of them again.
            let missing = try scope.without(granted)
            return try question(missing.isEmpty ? scope : missing)
        case .given(let offer)
        where offer.consent == consent?.id.bytes && offer.granted == granted && offer.details == details:
            let together = try Scope(tokens: granted.tokens + offer.new.tokens)
            if scope.isSubset(of: together) { return .allowed(together) }
        // The page was based on another consent; the current one decides.
        case .given: break
        }
        if details == nil, let consent, scope.isSubset(of: granted) { return .covered(consent.id) }
        // With details, the page says everything that this authorization grants.
        return try question(details == nil ? scope.without(granted) : scope)
    }

    /// Whether a code may open a session: its consent still exists and covers the scope.
    package static func covers(
        _ scope: Scope, _ consent: ClientConsentRecord?, named id: [UInt8]?
    ) throws(MalformedValue) -> Bool {
        guard let consent, let id, consent.id.bytes == id else { return false }
        return scope.isSubset(of: try Scope(consent.scope))
    }
}

extension Scope {
    fileprivate func without(_ other: Scope) throws(MalformedValue) -> Scope {
        try Scope(tokens: tokens.filter { !other.contains($0) })
    }
}
