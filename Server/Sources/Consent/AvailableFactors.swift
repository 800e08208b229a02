internal import Kernel
package import WalletAuthWire

/// The factors with which a person can agree, given their account and session.
package struct AvailableFactors: Hashable, Sendable {
    /// The factors that the account and the session's device have, with their `amr` values (RFC 8176).
    package var methods: [SCAVerification: [String]]

    package init(methods: [SCAVerification: [String]]) { self.methods = methods }

    /// The factors that advance the consent, the least demanding first.
    ///
    /// A factor of a category that is already proved does not advance it. If nothing is proved yet, a factor is
    /// included if it completes the consent alone or together with another one.
    /// - Parameter proved: the `amr` values of the sign-in and the event.
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
