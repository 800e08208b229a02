package import HTTPTypes
package import Kernel
package import WalletAuthWire

/// What a route takes and answers besides its row, for `/openapi.json`. The messages state their members, and refusals are the answers
/// that people get.
package struct Contract: Sendable {
    /// Whether the route takes an `Idempotency-Key`. Whatever a device signs has one.
    package enum Repetition: Sendable {
        case none
        case optional
        /// Only with one of the bodies that the route takes, which has this name.
        case requiredWith(String)
    }

    /// The body of a request; `nil` for none.
    package let body: WireShape?
    /// The parameters in the URL.
    package let query: [WireObject.Member]
    package let repetition: Repetition
    /// Whether an OAuth client authenticates itself, in the header or in the form.
    package let authenticatesClient: Bool
    package let status: HTTPResponse.Status
    /// The media type of a success; `nil` for the route's, which a client must accept.
    package let mediaType: String?
    /// The body of a success; `nil` for none, or for another type than JSON.
    package let answer: WireShape?
    package let refusals: [EndpointResponse]

    package init(
        takes body: WireShape? = nil, query: [WireObject.Member] = [], repeats repetition: Repetition = .none,
        authenticatesClient: Bool = false, _ status: HTTPResponse.Status = .ok, as mediaType: String? = nil,
        gives answer: WireShape? = nil, refuses refusals: [EndpointResponse] = []
    ) {
        self.body = body
        self.query = query
        self.repetition = repetition
        self.authenticatesClient = authenticatesClient
        self.status = status
        self.mediaType = mediaType
        self.answer = answer
        self.refusals = refusals
    }
}

extension EndpointRequest {
    /// A request of which nothing is known, for answers that depend on none.
    package static var unknown: EndpointRequest {
        EndpointRequest(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil), requestedPath: "/", queryText: nil,
            path: "/", context: RequestFacts(), body: [])
    }
}

extension OAuthRefusal {
    /// One of each kind.
    package static let all: [OAuthRefusal] = [
        .invalidRequest(""), .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        .invalidTarget, .unsupportedTokenType(""), .invalidDPoPProof(""), .useDPoPNonce(""), .invalidToken,
        .insufficientScope(""), .temporarilyUnavailable(retryAfter: 1),
    ]
}
