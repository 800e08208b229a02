internal import Core
internal import HTTPTypes
package import Kernel
package import WalletAuthWire

/// The scheme of the access token in a request.
package enum AccessTokenScheme: String, Sendable {
    case bearer
    case dpop

    /// - Parameter header: the `Authorization` header. The result is `nil` for any other scheme.
    package init?(_ header: String?) {
        self.init(rawValue: header?.prefix { $0 != " " }.lowercased() ?? "")
    }
}

extension EndpointRequest {
    /// The origin of the request, for rate limits and the audit log.
    package var origin: RequestOrigin {
        RequestOrigin(
            address: context.client.address?.text ?? "unknown", traceID: context.trace.traceID,
            userAgent: headers[.userAgent], brandsHint: headers[.secCHUA], platformHint: headers[.secCHUAPlatform],
            acceptLanguage: context.acceptLanguage)
    }

    /// The DPoP proof, if any.
    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two (RFC 9449 §4.3, check 1).
    package func proof() throws(RequestFault) -> PresentedProof {
        PresentedProof(header: try headers.single(.dpop), method: head.method.rawValue, path: requestedPath)
    }

    package func idempotencyKey() throws -> IdempotencyKey? {
        try headers.single(.idempotencyKey).map { try IdempotencyKey($0) }
    }

    /// The `Idempotency-Key` of a request that requires one.
    package func requiredIdempotencyKey() throws -> IdempotencyKey {
        guard let key = try idempotencyKey() else {
            throw RequestFault.malformed("The Idempotency-Key header is missing.")
        }
        return key
    }

    /// - Throws: ``RequestFault/doubledHeader(_:)`` for two.
    package func authorization() throws(RequestFault) -> String? { try headers.single(.authorization) }

    /// The access token and its proof.
    /// - Throws: ``RequestFault`` for doubled or malformed headers.
    package func credentials() throws -> PresentedCredentials {
        PresentedCredentials(authorization: try accessToken(), proof: try proof(), origin: origin)
    }

    /// The access token in the `Authorization` header; `nil` if there is none.
    /// - Throws: ``RequestFault`` for a doubled header or an unknown scheme.
    package func accessToken() throws -> PresentedAccessToken? {
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
