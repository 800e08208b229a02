public import Foundation

/// The adapter for an app whose pages are opened by itself, or that has none.
public struct NoUserAgent: UserAgent {
    /// Creates the adapter.
    public init() {}

    /// Shows no page.
    /// - Parameter redirectURI: the redirect URI of the sign-in.
    /// - Throws: ``UserAgentFailure`` of kind `unavailable`, always.
    public func begin(redirectURI: URL) async throws -> any UserAgentSession {
        throw UserAgentFailure(
            .unavailable,
            reason: "the app opens no page through the SDK; if it should on Linux, add the product WalletAuthLoopback,"
                + " and give the ports its LoopbackUserAgent")
    }
}
