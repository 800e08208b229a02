import Foundation
import Testing

/// A wallet at an issuer of the scripted server, whose person is signed in there already.
struct OddWallet: Sendable {
    let own: PeerWallet
    let issuer: OddIssuer

    /// Runs a test's body with one.
    /// - Parameters:
    ///   - oddity: how the server differs from a standard one.
    ///   - label: tells the tests apart that want the same oddity.
    static func with(
        _ oddity: String, for label: String = #function, scope: String = "openid profile",
        _ body: (OddWallet) async throws -> Void
    ) async throws {
        let name = label.prefix { $0 != "(" }
        let issuer = try await StandardPeers.scripted().issuer(oddity, for: String(name))
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await body(OddWallet(own: PeerWallet(in: folder.url, issuer: issuer.url, scope: scope), issuer: issuer))
    }

    func callSucceeds(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await own.callSucceeds(issuer.resource, sourceLocation: sourceLocation)
    }

    /// Signs in on the page, which has to work.
    func signIn(
        _ arguments: String..., expired: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let finished = try await tryToSignIn(arguments, expired: expired)
        #expect(finished.succeeded, "\(finished.output)", sourceLocation: sourceLocation)
    }

    /// Begins a sign-in, goes through the page, and waits for the wallet.
    /// - Parameter expired: whether the first token says that it has expired, so that the next command renews.
    func tryToSignIn(_ arguments: [String] = [], expired: Bool = false) async throws -> CommandResult {
        try await issuer.expireFirstTokens(expired)
        let begun = try await own.begin(arguments)
        let callback = try await HeadlessBrowser(ledger: SecretLedger()).signIn(
            at: begun.page, typing: [:], until: begun.redirectURI)
        return try await own.finish(begun, with: callback)
    }
}
