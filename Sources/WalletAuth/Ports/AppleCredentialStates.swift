/// Knows whether people still let this app sign them in with Apple.
///
/// Only an answer of Apple's counts: an adapter throws where Apple could not be asked, and nobody is signed out for that.
public protocol AppleCredentialStates: Sendable {
    /// Asks Apple about one person.
    /// - Parameter user: Apple's identifier for the person, the `sub` of the identity token.
    /// - Throws: whatever kept Apple from answering.
    func state(ofUser user: String) async throws -> AppleCredentialState

    /// A value each time Apple says that somebody revoked a credential of this app; it does not say who. Each access makes a
    /// stream of its own.
    var revocations: AsyncStream<Void> { get }
}

/// What Apple says about a person's credential for this app.
public enum AppleCredentialState: String, Sendable, Hashable, CaseIterable {
    /// The person may be signed in.
    case authorized
    /// The person stopped using their Apple Account with this app, or Apple closed the account.
    case revoked
    /// The Apple Account on this device does not know the person, as after a change of the account.
    case notFound = "not_found"
    /// The app moved to another team, where the person has another identifier.
    case transferred
}
