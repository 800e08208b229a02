import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WalletAuthVerifier

/// Sends requests over AsyncHTTPClient, to a server whose certificate an authority of its own has issued. On Linux, Foundation's client
/// trusts the system's authorities alone.
struct AuthorityTransport: BackendTransport {
    /// The environment variable that names a PEM file of certificate authorities, trusted in addition to the system's.
    static let variable = "WALLET_BACKEND_CA_FILE"

    private let client: HTTPClient

    /// The program's only one, which ends with the process; nil if the environment names no authority.
    /// - Throws: ``Unusable`` if the file has no certificates.
    static func ofEnvironment() throws -> AuthorityTransport? { try shared.get() }

    private static let shared = Result<AuthorityTransport?, any Error> {
        guard let file = ProcessInfo.processInfo.environment[variable], !file.isEmpty else { return nil }
        return try AuthorityTransport(trusting: file)
    }

    private init(trusting file: String) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        do { tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))] } catch {
            throw Unusable(
                reason: "\(file) has no certificates in PEM: name your certificate authority in \(Self.variable)")
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // The verifier decides what is sent again.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.headers { outgoing.headers.add(name: field.name, value: field.value) }
        // On a connection that the server is about to close, it would not be known whether the request arrived.
        outgoing.headers.replaceOrAdd(name: "Connection", value: "close")
        outgoing.body = request.body.map { .bytes($0) }
        do {
            let response = try await client.execute(outgoing, timeout: TimeAmount(request.timeout))
            let body = try await response.body.collect(upTo: request.maximumAnswer)
            return OutboundResponse(
                status: Int(response.status.code),
                headers: response.headers.map { HeaderField($0.name, $0.value) },
                body: Array(body.readableBytesView))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Self.failure(error)
        }
    }

    /// A request counts as unsent only if that is certain.
    private static func failure(_ error: any Error) -> OutboundFailure {
        let unreachable = OutboundFailure(.notSent, reason: "the server cannot be reached")
        let untrusted = OutboundFailure(.untrusted, reason: "the server's certificate is not trusted")
        return switch error {
        case is NIOConnectionError: unreachable
        // The host is an address.
        case let error as IOError where error.errnoCode == ECONNREFUSED: unreachable
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: untrusted
        case let error as HTTPClientError where [.connectTimeout, .getConnectionFromPoolTimeout].contains(error):
            unreachable
        case let error as HTTPClientError where error == .tlsHandshakeTimeout: untrusted
        default: OutboundFailure(.lost, reason: "the connection broke, or there was no response in time")
        }
    }
}
