import Foundation
import WalletAuthWire

/// The hosted pages that are open in this process, so that the person's return by the app's URL handler ends the waiting.
///
/// The URL says nothing that is believed: the server is asked what came of the page. So a forged one ends the waiting, and
/// nothing more.
final class PageReturns: Sendable {
    private struct Page: Sendable {
        let returnURL: URL
        let returned: AsyncStream<Void>.Continuation
    }

    private let open = Protected<[UUID: Page]>([:])

    /// Waits until the person came back: by the user agent, or by the app's URL handler.
    /// - Throws: what `present` throws; `CancellationError`.
    func wait(at returnURL: URL, _ present: @escaping @Sendable () async throws -> UserAgentOutcome) async throws {
        let id = UUID()
        let (returned, continuation) = AsyncStream.makeStream(of: Void.self)
        open.withLock { $0[id] = Page(returnURL: returnURL, returned: continuation) }
        defer { open.withLock { $0.removeValue(forKey: id) }?.returned.finish() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await present() != .opened }
            group.addTask {
                for await _ in returned {}
                try Task.checkCancellation()
                return true
            }
            defer { group.cancelAll() }
            while let isBack = try await group.next(), !isBack {}
        }
    }

    /// Takes a URL with which the app was opened.
    /// - Returns: whether a page was waiting for it. The answer to a sign-in at the same address has a `state`.
    func receive(_ url: URL) -> Bool {
        let form = try? FormParameters(parsing: url.query(percentEncoded: true) ?? "")
        guard form?["state"] == nil, url.fragment == nil else { return false }
        let returned = open.withLock { open in
            open.values.filter { $0.returnURL.isSamePlace(as: url) }.map(\.returned)
        }
        for page in returned { page.finish() }
        return !returned.isEmpty
    }
}

extension URL {
    fileprivate func isSamePlace(as other: URL) -> Bool {
        scheme == other.scheme && host() == other.host() && port == other.port && path() == other.path()
    }
}

extension Wallet.Configuration {
    /// Where a hosted page comes back to.
    var pageReturnURL: URL? {
        if let consentReturnURL { return consentReturnURL }
        if case .full(let redirectURI) = signIn { return redirectURI }
        return nil
    }
}
