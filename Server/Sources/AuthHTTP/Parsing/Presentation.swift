import AuthCore
import AuthFlows
import Hummingbird
import WalletAuthWire

/// The scheme under which a request presents its access token.
enum AccessTokenScheme: String, Sendable {
    case bearer
    case dpop

    /// - Parameter header: the `Authorization` header; `nil` for another scheme, too.
    init?(_ header: String?) {
        self.init(rawValue: header?.prefix { $0 != " " }.lowercased() ?? "")
    }
}

extension EndpointRequest {
    /// Where the request came from, for counters and audit.
    var origin: RequestOrigin {
        RequestOrigin(
            address: context.client.address?.text ?? "unknown", traceID: context.trace.traceID,
            userAgent: headers[.userAgent], acceptLanguage: context.acceptLanguage)
    }

    /// The DPoP proof, where one was sent.
    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two (RFC 9449 §4.3, check 1).
    func proof() throws(RequestFault) -> PresentedProof {
        PresentedProof(header: try headers.single(.dpop), method: request.method.rawValue, path: request.uri.path)
    }

    /// The `Idempotency-Key`, where one came.
    func idempotencyKey() throws -> IdempotencyKey? {
        try headers.single(.idempotencyKey).map { try IdempotencyKey($0) }
    }

    /// The `Idempotency-Key` of a request that is not taken without one.
    func requiredIdempotencyKey() throws -> IdempotencyKey {
        guard let key = try idempotencyKey() else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        return key
    }

    /// The `Authorization` header, where there is one.
    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two.
    func authorization() throws(RequestFault) -> String? { try headers.single(.authorization) }

    /// A call with an access token and its proof.
    /// - Throws: ``RequestFault`` for doubled or malformed headers.
    func call() throws -> PresentedCredentials {
        PresentedCredentials(authorization: try accessToken(), proof: try proof(), origin: origin)
    }

    /// The access token of the `Authorization` header; `nil` where there is none.
    /// - Throws: ``RequestFault`` for a header that is doubled or of another scheme.
    func accessToken() throws -> PresentedAccessToken? {
        guard let header = try authorization() else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { throw RequestFault.malformed("The Authorization header is malformed.") }
        let token = String(parts[1].trimmed())
        switch AccessTokenScheme(header) {
        case .bearer: return .bearer(try AccessToken(token))
        case .dpop: return .dpop(try AccessToken(token))
        case nil: throw RequestFault.malformed("The scheme of the Authorization header must be Bearer or DPoP.")
        }
    }
}
