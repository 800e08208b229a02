import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The hosted pages open in this process. A return through the app's URL handler ends the wait.
///
/// The URL is not trusted: the SDK asks the server for the page's result. A forged URL only ends the wait.
final class PageReturns: Sendable {
    private struct Page: Sendable {
        let returnURL: URL
        let returned: AsyncStream<Void>.Continuation
    }

    private let open = LockedValue<[UUID: Page]>([:])

    /// Waits until the person returns through the user agent or the app's URL handler.
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

    /// Receives a URL that opened the app.
    /// - Returns: whether a page was waiting for it. A sign-in's callback to the same address has a `state`.
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

/// How the hosted pages of consents are opened, and where they return to.
struct ConsentPages: Sendable {
    let userAgent: any UserAgent
    /// Nil if the app has no URL to return to. Then no page can be opened.
    let returnURL: URL?
    let environment: Wallet.Environment
    let returns = PageReturns()
}
