public import Foundation
import WalletAuthWire

extension Wallet {
    /// The purpose of a URL that opened the app: see ``Wallet/handle(_:)``.
    public enum HandledURL: String, Sendable, Hashable {
        /// The callback of a sign-in or a step-up, which is complete now. A callback that arrives twice does no harm.
        case signIn
        /// The return from the page of a consent. The call that opened the page continues.
        case consent
        /// The link of a transaction. Nothing was sent yet: pass the URL's text to ``Wallet/Flows/start(with:account:)``.
        case transaction
        /// Nothing of this wallet's: a link of the app's own, or the link of another server's transaction.
        case unrelated
    }

    /// Passes the wallet any URL that opened the app: `onOpenURL`, a scene delegate's user activity.
    ///
    /// It recognizes the callback of a sign-in, even after the app was killed, the return from a consent's page, and the
    /// link of a transaction. A sign-in's callback is processed as ``receivedOAuthCodeOrToken(_:)`` does.
    /// - Parameter url: the URL from the system. Keep it out of logs: it may carry a code, a token or a secret.
    /// - Returns: what the URL was for.
    /// - Throws: ``WalletError`` if a sign-in's callback fails: what ``receivedOAuthCodeOrToken(_:)`` throws.
    public func handle(_ url: URL) async throws -> HandledURL {
        if let link = try? TransactionLink(url.absoluteString) {
            return link.leads(to: enroller.issuer) ? .transaction : .unrelated
        }
        if consentPages.returns.receive(url) { return .consent }
        guard Self.isCallback(url) else { return .unrelated }
        try await receivedOAuthCodeOrToken(url)
        return .signIn
    }

    /// Whether a sign-in on this device waits for the URL. Any page can open one that claims to be a callback.
    /// - Throws: the failure of the store.
    package func isAwaited(_ url: URL) async throws -> Bool {
        guard Self.isCallback(url) else { return false }
        return try await receiver.isAwaited(url)
    }

    /// Whether the URL claims to be the callback of a sign-in. Only the store knows whether it is one.
    private static func isCallback(_ url: URL) -> Bool {
        [url.query(percentEncoded: true), url.fragment(percentEncoded: true)].contains { part in
            guard let form = part.flatMap({ try? FormParameters(parsing: $0) }) else { return false }
            if form["access_token"] != nil || form["id_token"] != nil { return true }
            return form["state"] != nil && (form["code"] != nil || form["error"] != nil)
        }
    }
}
