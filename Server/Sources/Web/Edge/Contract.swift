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
        /// Optional, and a repetition gets no second answer.
        case refused
        /// Only with one of the bodies that the route takes, which has this name.
        case requiredWith(String)
    }

    /// What a request proves besides the route's caller.
    package enum Proof: Sendable {
        case nothing
        /// A key, if it has a header `DPoP` (RFC 9449).
        case key
        /// An OAuth client, in the header or in the form.
        case client
        case clientAndKey
        /// An access token of any client, bound to a key or not.
        case token
    }

    /// What a success means, in a few words.
    package let meaning: String
    /// The body of a request; `nil` for none.
    package let body: WireShape?
    /// The parameters in the URL.
    package let query: [WireObject.Member]
    package let repetition: Repetition
    package let proof: Proof
    package let status: HTTPResponse.Status
    /// The media type of a success; `nil` for the route's, which a client must accept.
    package let mediaType: String?
    /// The body of a success; `nil` for none, or for another type than JSON.
    package let answer: WireShape?
    package let refusals: [EndpointResponse]

    package init(
        _ meaning: String, takes body: WireShape? = nil, query: [WireObject.Member] = [],
        repeats repetition: Repetition = .none, proves proof: Proof = .nothing, _ status: HTTPResponse.Status = .ok,
        as mediaType: String? = nil,
        gives answer: WireShape? = nil, refuses refusals: [EndpointResponse] = []
    ) {
        self.meaning = meaning
        self.body = body
        self.query = query
        self.repetition = repetition
        self.proof = proof
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
    /// One of each kind where an OAuth client authenticates itself.
    package static let ofClients: [OAuthRefusal] = [.invalidRequest(""), .invalidClient(.unknown)]

    /// One of each kind where such a client may send a proof.
    package static let ofProofs = ofClients + [.invalidDPoPProof(""), .useDPoPNonce("")]

    /// One of each kind at the token endpoint.
    package static let ofGrants =
        ofProofs + [
            .clientAttestation(.otherKey), .clientAttestation(.expired), .invalidGrant, .unauthorizedClient,
            .unsupportedGrantType, .invalidScope([]), .invalidTarget, .authorizationPending, .slowDown, .accessDenied,
            .expiredToken,
            .temporarilyUnavailable(retryAfter: 1),
        ]

    /// One of each kind where a device asks for its codes.
    package static let ofDevices =
        ofProofs + [
            .clientAttestation(.otherKey), .clientAttestation(.expired), .unauthorizedClient, .invalidScope([]),
            .invalidTarget, .temporarilyUnavailable(retryAfter: 1),
        ]

    /// One of each kind where a client has a person sign in on their phone.
    package static let ofBackchannel =
        ofProofs + [
            .unauthorizedClient, .invalidScope([]), .invalidTarget, .invalidAuthorizationDetails(""), .unknownUserID,
            .temporarilyUnavailable(retryAfter: 1),
        ]

    /// One of each kind where an app signs in by itself.
    package static let ofApps = ofProofs + [.unauthorizedClient, .invalidScope([])]

    /// One of each kind where a token is presented, but for a scope that it lacks.
    package static let ofResources: [OAuthRefusal] = [
        .invalidRequest(""), .invalidDPoPProof(""), .useDPoPNonce(""), .invalidToken,
        .temporarilyUnavailable(retryAfter: 1),
    ]
}
