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

    private enum Event<Result: Sendable>: Sendable {
        case opened
        case returned
        case finished(Result)
    }

    /// Waits until the person returns through the user agent or the app's URL handler, or the page is finished.
    /// - Parameters:
    ///   - returnURL: where the page returns to.
    ///   - pageStaysOpen: whether `finish` may end the wait at once, and not only after the page was opened elsewhere.
    ///   - finish: returns once the page is finished.
    ///   - present: shows the page.
    /// - Returns: the result of `finish`; nil if the person returned first.
    /// - Throws: what `present` and `finish` throw; `CancellationError`.
    func wait<Result: Sendable>(
        at returnURL: URL, pageStaysOpen: Bool, finish: @escaping @Sendable () async throws -> Result,
        _ present: @escaping @Sendable () async throws -> UserAgentOutcome
    ) async throws -> Result? {
        let id = UUID()
        let (returned, continuation) = AsyncStream.makeStream(of: Void.self)
        open.withLock { $0[id] = Page(returnURL: returnURL, returned: continuation) }
        defer { open.withLock { $0.removeValue(forKey: id) }?.returned.finish() }
        return try await withThrowingTaskGroup(of: Event<Result>.self) { group in
            group.addTask { try await present() == .opened ? .opened : .returned }
            group.addTask {
                for await _ in returned {}
                try Task.checkCancellation()
                return .returned
            }
            if pageStaysOpen { group.addTask { .finished(try await finish()) } }
            defer { group.cancelAll() }
            while let event = try await group.next() {
                switch event {
                case .opened where !pageStaysOpen: group.addTask { .finished(try await finish()) }
                case .opened: break
                case .returned: return nil
                case .finished(let result): return result
                }
            }
            return nil
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
