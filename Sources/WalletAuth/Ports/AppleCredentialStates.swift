/// Reports whether people still let this app sign them in with Apple.
///
/// Only Apple's answer counts: an adapter throws if it cannot ask Apple, and that signs no one out.
public protocol AppleCredentialStates: Sendable {
    /// Returns the state of one person's credential.
    /// - Parameter user: Apple's identifier for the person, the `sub` of the identity token.
    /// - Throws: the error that kept Apple from answering.
    func state(ofUser user: String) async throws -> AppleCredentialState

    /// Yields a value whenever Apple reports that a credential of this app was revoked, without saying whose. Each
    /// access creates a new stream.
    var revocations: AsyncStream<Void> { get }
}

/// The state of a person's credential for this app.
public enum AppleCredentialState: String, Sendable, Hashable, CaseIterable {
    /// The person may stay signed in.
    case authorized
    /// The person stopped using their Apple Account with this app, or Apple closed the account.
    case revoked
    /// The Apple Account on this device does not know the person, for instance after a switch to another account.
    case notFound = "not_found"
    /// The app moved to another developer team, where the person has another identifier.
    case transferred
}
