import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Programs
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
            "; if the certificate is from an authority of your own, name its file in \(authoritiesVariable)"
        #else
            ""
        #endif
    }

    private let client: HTTPClient

    /// The program's only client. It is never shut down, because it ends with the process.
    private static let shared = Result {
        try client(trusting: ProcessInfo.processInfo.environment[authoritiesVariable].flatMap { $0.isEmpty ? nil : $0 })
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
        var outgoing = HTTPClientRequest(url: request.url.absoluteString)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.headers.all { outgoing.headers.add(name: field.name, value: field.value) }
        if !outgoing.headers.contains(name: "User-Agent") {
            outgoing.headers.add(name: "User-Agent", value: "wallet/\(ProgramVersion.current) (\(Self.system))")
        }
        // On a connection that the server is about to close, nobody would know whether the request arrived.
        outgoing.headers.add(name: "Connection", value: "close")
        if let body = request.body { outgoing.body = .bytes(body) }
        do {
            return try await exchange(outgoing, within: request.timeout)
        } catch {
            try Task.checkCancellation()
            throw TransportFailure(error, to: request.url)
        }
    }

    /// Limits the complete response. The client's own timeout ends with the head.
    private func exchange(_ request: HTTPClientRequest, within limit: Duration) async throws -> HTTPResponse {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { [client] group in
            defer { group.cancelAll() }
            group.addTask {
                let response = try await client.execute(request, timeout: TimeAmount(limit))
                let body = try await response.body.collect(upTo: URLSessionTransport.defaultMaximumAnswer)
                return HTTPResponse(
                    status: Int(response.status.code),
                    headers: HTTPFields(response.headers.map { (name: $0.name, value: $0.value) }),
                    body: Data(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw HTTPClientError.deadlineExceeded
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static var system: String {
        #if os(Linux)
            "Linux"
        #else
            "macOS"
        #endif
    }
}

extension TransportFailure {
    /// Classifies an error of the HTTP client. A request counts as unsent only if that is certain.
    init(_ error: any Error, to url: URL) {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            self.init(.unreachable, reason: "the server's name could not be resolved")
        case let error as NIOConnectionError:
            self.init(connectingTo: url, error.connectionErrors.map(\.error))
        // The host is an address. A connection that is open may end with the same codes, long after the request arrived.
        case let error as IOError where error.isOfConnecting:
            self.init(connectingTo: url, [error])
        case NIOSSLError.handshakeFailed:
            self = .untrusted
        case let error as NIOSSLExtraError where Self.refusals.contains(error):
            self = .untrusted
        case is NIOTooManyBytesError:
            self.init(
                .lost, reason: "the response is longer than \(URLSessionTransport.defaultMaximumAnswer) bytes")
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout:
                self.init(.unreachable, reason: "the server did not accept a connection in time")
            case .tlsHandshakeTimeout: self = .untrusted
            case .deadlineExceeded: self.init(.lost, reason: "there was no answer in time")
            default: self = .broken
            }
        default: self = .broken
        }
    }

    /// The errors of a handshake about the server's name.
    private static let refusals: [NIOSSLExtraError] = [
        .failedToValidateHostname, .serverHostnameImpossibleToMatch, .cannotUseIPAddressInSNI, .invalidSNIHostname,
    ]
    private static let untrusted = TransportFailure(
        .untrusted, reason: "the server's certificate is not trusted, or the server does not speak TLS")
    private static let broken = TransportFailure(
        .lost, reason: "the connection broke, or what answered does not speak HTTP")

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

extension IOError {
    /// Whether it ended an attempt to connect. SwiftNIO tells that by its words alone; under other words, a request counts as
    /// one that may have arrived.
    fileprivate var isOfConnecting: Bool {
        let attempts = ["connect(", "finishing a non-blocking connect failed"]
        return attempts.contains { description.hasPrefix($0) }
            && [ECONNREFUSED, ENETUNREACH, ENETDOWN].contains(errnoCode)
    }
}
