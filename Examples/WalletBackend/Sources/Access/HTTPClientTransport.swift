import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WalletAuthVerifier

/// Carries the requests to the authorization server with AsyncHTTPClient, over connections that are used again.
///
/// On Linux, `FoundationTransport` keeps a processor busy while a request waits for its answer, and a shop waits for each purchase.
struct HTTPClientTransport: BackendTransport {
    // Their clients are never shut down, because they end with the process.
    static let payments = HTTPClientTransport(requestsAtOnce: 64)
    /// Of its own, so that visitors who wait at the checkout cannot hold up payments. Each waiting page occupies a connection.
    static let shop = HTTPClientTransport(requestsAtOnce: 64 + Checkout.waitingLimit)

    /// A PEM file of certificate authorities that are trusted in addition to the system's; nil for none.
    private static var authorities: String? {
        ProcessInfo.processInfo.environment["WALLET_BACKEND_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: ``Unusable`` if the file of certificate authorities has none.
    static func checkAuthorities() throws {
        guard let authorities else { return }
        do { _ = try NIOSSLCertificate.fromPEMFile(authorities) } catch {
            throw Unusable(reason: "\(authorities) has no certificates in PEM: change WALLET_BACKEND_CA_FILE")
        }
    }

    private let client: HTTPClient

    private init(requestsAtOnce: Int) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities = Self.authorities { tls.additionalTrustRoots = [.file(authorities)] }
        // A redirect would let another host speak as the issuer.
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = requestsAtOnce
        // The verifier decides what is sent again.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.headers { outgoing.headers.add(name: field.name, value: field.value) }
        // It appears in the server's audit log.
        outgoing.headers.replaceOrAdd(name: "User-Agent", value: "wallet-backend")
        if let body = request.body { outgoing.body = .bytes(body) }
        do {
            let response = try await client.execute(outgoing, timeout: TimeAmount(request.timeout))
            let body = try await response.body.collect(upTo: request.maximumAnswer)
            return OutboundResponse(
                status: Int(response.status.code),
                headers: response.headers.map { HeaderField($0.name, $0.value) }, body: Array(body.readableBytesView))
        } catch {
            try Task.checkCancellation()
            throw OutboundFailure(kind(of: error), reason: "\(error)")
        }
    }

    /// Only what is certain counts as not sent.
    private func kind(of error: any Error) -> OutboundFailure.Kind {
        switch error {
        case is NIOConnectionError: .notSent
        // The host is an address.
        case let error as IOError where error.errnoCode == ECONNREFUSED: .notSent
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: .untrusted
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout, .invalidURL, .emptyHost, .emptyScheme: .notSent
            case .tlsHandshakeTimeout: .untrusted
            default: .lost
            }
        default: .lost
        }
    }
}
