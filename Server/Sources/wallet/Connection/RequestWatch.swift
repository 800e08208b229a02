import Synchronization
import WalletAuth

/// Lets a command act on requests before they are sent.
final class RequestWatch: Sendable {
    /// Whether the program's transport calls it: elsewhere the platform's own is used.
    #if os(Linux)
        static let isUsed = true
    #else
        static let isUsed = false
    #endif

    private let note = Mutex<(@Sendable (HTTPRequest) throws -> Void)?>(nil)

    /// Has `body` called with each request from now on. What it throws is thrown in place of the response, and the request is not sent.
    func before(_ body: @escaping @Sendable (HTTPRequest) throws -> Void) { note.withLock { $0 = body } }

    fileprivate func note(_ request: HTTPRequest) throws { try note.withLock { $0 }?(request) }
}

/// A transport that a command watches.
struct WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    let watch: RequestWatch

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try watch.note(request)
        return try await base.send(request)
    }
}
