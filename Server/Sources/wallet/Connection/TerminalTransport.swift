import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Programs
import Synchronization
import WalletAuth

/// Sends the wallet's requests over SwiftNIO, each on its own connection.
///
/// Foundation's `URLSession` keeps a processor busy on Linux while a request waits for its response, and a terminal waits
/// often. It also trusts no other certificate authorities than the system's.
struct TerminalTransport: HTTPTransport {
    /// The environment variable that names a PEM file of certificate authorities, trusted in addition to the system's.
    static let authoritiesVariable = "WALLET_CA_FILE"

    /// What a person may do about a certificate that is not trusted. Elsewhere the system's trust is used, and no file.
    static var adviceOnAuthorities: String {
        #if os(Linux)
            if let file = authoritiesFile {
                "; the certificate must name that host and come from an authority of the system or one in \(file)"
            } else {
                "; if your own authority issued the certificate, name its file in \(authoritiesVariable)"
            }
        #else
            ""
        #endif
    }

    private let client: HTTPClient

    /// The program's only client. It is never shut down, because it ends with the process.
    private static let shared = Result {
        try client(trusting: authoritiesFile)
    }

    private static var authoritiesFile: String? {
        ProcessInfo.processInfo.environment[authoritiesVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The transport of the program.
    /// - Throws: ``Failure`` if the file of certificate authorities cannot be used.
    init() throws {
        client = try Self.shared.get()
    }

    /// A transport with its own client.
    /// - Parameter client: it has to be shut down by the caller.
    init(client: HTTPClient) {
        self.client = client
    }

    /// - Parameter file: a PEM file of certificate authorities, trusted in addition to the system's.
    static func client(trusting file: String?) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file {
            do { tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))] } catch {
                throw Failure(
                    code: "invalid_configuration", message: "\(file) holds no certificates in PEM, or cannot be read",
                    advice: "name the file of your certificate authority in \(authoritiesVariable)")
            }
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // The SDK decides what is sent again.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let outgoing: HTTPClient.Request
        do { outgoing = try Self.outgoing(request) } catch {
            throw TransportFailure(.unreachable, reason: "the URL is neither https nor http")
        }
        try Task.checkCancellation()
        let exchange = Exchange(outgoing)
        let notice = WaitingNotice.begin(for: request.url)
        defer { notice?.cancel() }
        let task = client.execute(
            request: outgoing, delegate: exchange, deadline: .now() + TimeAmount(request.timeout))
        do {
            let response = try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
            return HTTPResponse(
                status: Int(response.status.code),
                headers: HTTPFields(response.headers.map { (name: $0.name, value: $0.value) }),
                body: response.body.map { Data($0.readableBytesView) } ?? Data())
        } catch {
            try Task.checkCancellation()
            throw TransportFailure(error, wasSent: exchange.wasSent, to: request.url)
        }
    }

    private static func outgoing(_ request: HTTPRequest) throws -> HTTPClient.Request {
        var headers = HTTPHeaders(request.headers.all.map { ($0.name, $0.value) })
        if !headers.contains(name: "User-Agent") {
            headers.add(name: "User-Agent", value: "wallet/\(ProgramVersion.current) (\(system))")
        }
        // On a connection that the server is about to close, it would not be known whether the request arrived.
        headers.add(name: "Connection", value: "close")
        return try HTTPClient.Request(
            url: request.url.absoluteString, method: HTTPMethod(rawValue: request.method), headers: headers,
            body: request.body.map { .bytes($0) })
    }

    private static var system: String {
        #if os(Linux)
            "Linux"
        #else
            "macOS"
        #endif
    }
}

/// Tells a person at a terminal what the program waits for, once per program and host.
private enum WaitingNotice {
    private static let patience = Duration.seconds(3)
    private static let told = Mutex<Set<String>>([])

    /// Begins to wait; nil if no one reads it.
    static func begin(for url: URL) -> Task<Void, Never>? {
        guard isatty(STDERR_FILENO) == 1, let host = url.host() else { return nil }
        return Task {
            guard (try? await Task.sleep(for: patience)) != nil,
                told.withLock({ $0.insert(host).inserted })
            else { return }
            Terminal(format: .text).say("Waiting for an answer from \(host) …")
        }
    }
}

/// Collects one response, and knows whether its request was sent.
private final class Exchange: HTTPClientResponseDelegate {
    typealias Response = HTTPClient.Response

    private let response: ResponseAccumulator
    private let sent = Atomic(false)

    init(_ request: HTTPClient.Request) {
        response = ResponseAccumulator(request: request, maxBodySize: URLSessionTransport.defaultMaximumAnswer)
    }

    var wasSent: Bool { sent.load(ordering: .relaxed) }

    func didSendRequestHead(task: HTTPClient.Task<Response>, _ head: HTTPRequestHead) {
        sent.store(true, ordering: .relaxed)
    }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        response.didReceiveHead(task: task, head)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        response.didReceiveBodyPart(task: task, part)
    }

    func didReceiveError(task: HTTPClient.Task<Response>, _ error: any Error) {
        response.didReceiveError(task: task, error)
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        try response.didFinishRequest(task: task)
    }
}

extension TransportFailure {
    /// Classifies an error of the HTTP client. A request counts as unsent only if that is certain.
    /// - Parameter wasSent: whether its head was written. An open connection may end with the same errors as one that did not
    ///   open, long after the request arrived.
    init(_ error: any Error, wasSent: Bool, to url: URL) {
        guard !wasSent || error is HTTPClientError || error is ResponseAccumulator.ResponseTooBigError else {
            self = .broken
            return
        }
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            self.init(.unreachable, reason: "the server's name could not be resolved")
        case let error as NIOConnectionError:
            self.init(connectingTo: url, error.connectionErrors.map(\.error))
        // The host is an address.
        case let error as IOError where [ECONNREFUSED, ENETUNREACH, ENETDOWN].contains(error.errnoCode):
            self.init(connectingTo: url, [error])
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
            self = .untrusted
        case is ResponseAccumulator.ResponseTooBigError:
            self.init(
                .lost, reason: "the response is longer than \(URLSessionTransport.defaultMaximumAnswer) bytes")
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout:
                self.init(.unreachable, reason: "the server did not accept a connection in time")
            case .tlsHandshakeTimeout: self = .untrusted
            case .deadlineExceeded: self.init(.lost, reason: "there was no response in time")
            default: self = .broken
            }
        default: self = .broken
        }
    }

    private static let untrusted = TransportFailure(
        .untrusted, reason: "the server's certificate is not trusted, or the server does not speak TLS")
    private static let broken = TransportFailure(
        .lost, reason: "the connection broke, or the other side does not speak HTTP")

    private init(connectingTo url: URL, _ errors: [any Error]) {
        let hasNoNetwork = errors.allSatisfy { error in
            (error as? IOError).map { [ENETUNREACH, ENETDOWN].contains($0.errnoCode) } ?? false
        }
        guard !hasNoNetwork else {
            self.init(.offline, reason: "no network")
            return
        }
        let host = url.host().map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 } ?? ""
        self.init(.unreachable, reason: "the connection to \(host)\(url.port.map { ":\($0)" } ?? "") was refused")
    }
}
