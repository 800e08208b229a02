package import AuthStore
package import WalletAuthWire

// Consent to third-party clients: which scopes an account allows, what is missing, allowing it and taking it back.
//
// This target knows no page, no sign-in method and no command: AuthFlows asks it at the gate that makes codes and at the redemption,
// and shows what it answers. Consent to a payment is another thing (SCA).

/// How a sign-in looks at the consent.
package enum ClientConsentTerms: Sendable, Hashable {
    /// What the account allowed before is enough.
    case remembered
    /// The person is asked for all of it again (`prompt=consent`).
    case asked
    /// The person has just pressed "Allow" on a page that offered this.
    case given(ClientConsentOffer)
}

/// What a consent page offers, and the consent that it was drawn from. Its form carries it sealed: where another tab allowed more
/// or took something back since, the person is asked again.
package struct ClientConsentOffer: Codable, Sendable, Hashable {
    /// The scopes that "Allow" adds, or that are asked for again.
    package var new: Scope
    /// The id of the consent that there was, 16 bytes; `nil` for none.
    package var consent: [UInt8]?
    /// All that it allowed.
    package var granted: Scope

    /// Each parameter is the property of its name.
    package init(new: Scope, consent: [UInt8]?, granted: Scope) {
        self.new = new
        self.consent = consent
        self.granted = granted
    }
}

/// What a person is asked to allow.
package struct ClientConsentQuestion: Sendable, Hashable {
    /// What they would allow.
    package var new: Scope
    /// What the client has already.
    package var granted: Scope
    /// What "Allow" stands for.
    package var offer: ClientConsentOffer

    /// Whether nothing of it is new: the client asks for what it has.
    package var isRepeated: Bool { offer.consent != nil && offer.new.isSubset(of: offer.granted) }

    /// Each parameter is the property of its name.
    package init(new: Scope, granted: Scope, offer: ClientConsentOffer) {
        self.new = new
        self.granted = granted
        self.offer = offer
    }
}

/// Which scopes of a sign-in an account allows.
package enum ClientConsentRule {
    /// What a sign-in at a third-party client takes.
    package enum Verdict: Sendable, Hashable {
        /// This consent covers it.
        case covered(UniqueID)
        /// With what the person has just allowed: remember this scope.
        case allowed(Scope)
        /// The person has to be asked.
        case missing(ClientConsentQuestion)
    }

    /// - Parameters:
    ///   - scope: what the code would carry. A sign-in without scope needs a consent as well: it tells who the person is.
    ///   - consent: what the account allowed before.
    ///   - terms: how the sign-in looks at it.
    /// - Throws: `MalformedValue` where the row was damaged, or where it would hold more than a scope can.
    package static func decide(
        _ scope: Scope, _ consent: ClientConsentRecord?, _ terms: ClientConsentTerms
    ) throws(MalformedValue) -> Verdict {
        let granted = try consent.map { row throws(MalformedValue) in try Scope(row.scope) } ?? .none
        func question(_ new: Scope) throws(MalformedValue) -> Verdict {
            let offer = ClientConsentOffer(new: new, consent: consent?.id.bytes, granted: granted)
            return .missing(ClientConsentQuestion(new: new, granted: try granted.without(new), offer: offer))
        }
        switch terms {
        case .remembered: break
        case .asked:
            // What is new, where anything is; else all of it again.
            let missing = try scope.without(granted)
            return try question(missing.isEmpty ? scope : missing)
        case .given(let offer) where offer.consent == consent?.id.bytes && offer.granted == granted:
            let together = try Scope(tokens: granted.tokens + offer.new.tokens)
            if scope.isSubset(of: together) { return .allowed(together) }
        // The page was drawn from another consent: what there is now decides.
        case .given: break
        }
        if let consent, scope.isSubset(of: granted) { return .covered(consent.id) }
        return try question(scope.without(granted))
    }

    /// Whether a code may open a session: its consent is still there, and covers it.
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
