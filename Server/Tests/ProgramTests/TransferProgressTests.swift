import Foundation
import Programs
import Synchronization
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What `wallet transfer` keeps while it runs", .covers("the terminal wallet pays a transfer twice"))
struct TransferProgressTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
    private var begun: BegunTransfers { BegunTransfers(folder: folder) }

    /// A backend that notes whether a transfer may have been paid when a request arrives.
    private final class Backend: HTTPTransport {
        let begun: BegunTransfers
        let seen = Mutex<[Bool]>([])

        init(_ begun: BegunTransfers) { self.begun = begun }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            let mayBePaid = try !begun.all(of: "ada").isEmpty
            seen.withLock { $0.append(mayBePaid) }
            return HTTPResponse(status: 200)
        }
    }

    private func begin() throws -> (TransferProgress, Backend, WatchedTransport, HTTPRequest) {
        let url = try #require(URL(string: "https://wallet.example.com/transfers"))
        let transfer = BegunTransfer(
            key: "k-1", backend: url, subject: "ada", payee: "Dune Bakery",
            amount: try Money(minorUnits: 3100, currency: Currency("EUR")), begunAt: Date())
        #expect(try begun.begin(transfer, again: false))
        let progress = TransferProgress(transfer, in: begun, of: nil)
        let backend = Backend(begun)
        let watch = RequestWatch()
        watch.before { if $0.headers["Idempotency-Key"] == "k-1" { try progress.send() } }
        let request = HTTPRequest(method: "POST", url: url, headers: ["idempotency-key": "k-1"])
        return (progress, backend, WatchedTransport(base: backend, watch: watch), request)
    }

    @Test("The request and its repetition with the approval are sent only while the list says that they may pay")
    func sent() async throws {
        defer {
            InterruptNotice.clear()
            try? FileManager.default.removeItem(at: folder)
        }
        let (progress, backend, transport, request) = try begin()
        _ = try await transport.send(request)
        progress.ask()
        #expect(progress.stage == .unapproved)
        #expect(try begun.all(of: "ada").isEmpty)
        // What approves is no payment yet, and has a key of its own.
        let attempt = HTTPRequest(method: "POST", url: request.url, headers: ["Idempotency-Key": "k-2"])
        _ = try await transport.send(attempt)
        progress.ask()
        _ = try await transport.send(request)
        #expect(progress.stage == .approved)
        _ = try await transport.send(request)
        #expect(backend.seen.withLock { $0 } == [true, false, true, true])
        progress.withdraw()
        #expect(try begun.all(of: "ada").isEmpty, "one request, however often it was sent")
    }

    @Test("Where the list cannot be written, the approval is not sent")
    func unwritable() async throws {
        defer {
            InterruptNotice.clear()
            try? FileManager.default.removeItem(at: folder)
        }
        let (progress, backend, transport, request) = try begin()
        progress.ask()
        try Data("damaged".utf8).write(to: folder.appending(path: "transfers.json"))
        await #expect(throws: TransportFailure.self) { try await transport.send(request) }
        #expect(progress.stage == .unapproved)
        #expect(backend.seen.withLock { $0.isEmpty })
    }

    @Test("race: an approval that is typed as the person ends the command is not sent")
    func interrupted() async throws {
        defer {
            InterruptNotice.clear()
            try? FileManager.default.removeItem(at: folder)
        }
        let (progress, backend, transport, request) = try begin()
        _ = try await transport.send(request)
        await #expect(throws: TransferProgress.Interrupted.self) {
            try await progress.interruptible {
                progress.ask()
                progress.interrupt()
                _ = try await transport.send(request)
                return JSONObject()
            }
        }
        #expect(backend.seen.withLock { $0 } == [true])
        #expect(progress.stage == .unapproved)
    }

    @Test("A question ends with its task, although no one answers it")
    func abandoned() async throws {
        let isAsked = FirstResult<Void>()
        let isOver = DispatchSemaphore(value: 0)
        let asking = Task {
            try await AbandonableQuestion.ask {
                isAsked.give(.success(()))
                isOver.wait()
            }
        }
        try await isAsked.value
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        isOver.signal()
    }
}
