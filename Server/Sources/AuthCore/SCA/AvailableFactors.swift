package import WalletAuthWire

/// By which ways a person can agree, as their account and their session stand.
package struct AvailableFactors: Hashable, Sendable {
    /// The ways that the account and the session's device have, with what each is in `amr` (RFC 8176).
    package var methods: [SCAVerification: [String]]

    /// - Parameter methods: the ways, with what each is in `amr`.
    package init(methods: [SCAVerification: [String]]) { self.methods = methods }

    /// The ways that bring the consent on, those first that ask least of the person.
    ///
    /// A way that only proves a category which is proved already brings nothing. Where nothing is proved yet, a way counts
    /// that completes the consent alone, or together with another one.
    /// - Parameter proved: what the sign-in and the event have proved, as `amr` says it.
    package func needed(beside proved: [String]) -> [SCAVerification] {
        let have = AuthenticationStrength.categories(of: proved)
        let all = SCAVerification.all.compactMap { way in
            methods[way].map { (way, AuthenticationStrength.categories(of: $0)) }
        }
        return all.compactMap { way, categories in
            let reached = have.union(categories)
            guard reached.count > have.count || (have.count >= 2 && !categories.isEmpty) else { return nil }
            if reached.count >= 2 { return way }
            return all.contains { $0.1.union(reached).count >= 2 } ? way : nil
        }
    }
}
