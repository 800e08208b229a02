import Foundation

/// The origins that an access token may go to.
struct TokenDestinations: Sendable {
    let issuer: String
    /// In addition to the issuer's. Nil allows a bound token to go to any origin, and a bearer token to the issuer's only.
    let listed: [String]?

    /// - Parameter isBound: whether a proof by a key of this device goes with the token.
    func allows(_ url: URL, isBound: Bool) -> Bool {
        url.origin == issuer || (listed.map { $0.contains(url.origin) } ?? isBound)
    }
}
