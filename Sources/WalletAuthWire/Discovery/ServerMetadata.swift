/// An authorization server's metadata: RFC 8414 and OpenID Connect Discovery in one document, served at both well-known
/// locations.
public struct ServerMetadata: Hashable, Sendable {
    /// `issuer`.
    public var issuer: Issuer
    /// `authorization_endpoint`.
    public var authorizationEndpoint: WebURL?
    /// `token_endpoint`.
    public var tokenEndpoint: WebURL?
    /// `pushed_authorization_request_endpoint` (RFC 9126 §5).
    public var pushedRequestEndpoint: WebURL?
    /// `jwks_uri`.
    public var keysURL: WebURL?
    /// `authorization_challenge_endpoint` (OAuth 2.0 for First-Party Applications).
    public var authorizationChallengeEndpoint: WebURL?
    /// `revocation_endpoint`.
    public var revocationEndpoint: WebURL?
    /// `introspection_endpoint`.
    public var introspectionEndpoint: WebURL?
    /// `device_authorization_endpoint` (RFC 8628 §4).
    public var deviceAuthorizationEndpoint: WebURL?
    /// `backchannel_authentication_endpoint` (OpenID CIBA Core 1.0 §4).
    public var backchannelAuthenticationEndpoint: WebURL?
    /// `userinfo_endpoint`.
    public var userInfoEndpoint: WebURL?
    /// `end_session_endpoint`.
    public var endSessionEndpoint: WebURL?
    /// `scopes_supported`.
    public var scopes: [String] = []
    /// `response_types_supported`.
    public var responseTypes: [String] = []
    /// `response_modes_supported`.
    public var responseModes: [String] = []
    /// `grant_types_supported`.
    public var grantTypes: [String] = []
    /// `backchannel_token_delivery_modes_supported`; empty if the server has no backchannel authentication.
    public var backchannelDeliveryModes: [String] = []
    /// `code_challenge_methods_supported`.
    public var codeChallengeMethods: [String] = []
    /// `token_endpoint_auth_methods_supported`.
    public var clientAuthenticationMethods: [String] = []
    /// `revocation_endpoint_auth_methods_supported`.
    public var revocationAuthenticationMethods: [String] = []
    /// `introspection_endpoint_auth_methods_supported`: without `none`, because unauthenticated clients may not
    /// introspect (RFC 7662 §2.1).
    public var introspectionAuthenticationMethods: [String] = []
    /// `introspection_signing_alg_values_supported` (RFC 9701 §7); empty if answers come as plain JSON only.
    public var introspectionSigningAlgorithms: [String] = []
    /// `token_endpoint_auth_signing_alg_values_supported`, also used for revocation and introspection.
    public var clientAssertionAlgorithms: [String] = []
    /// `client_attestation_signing_alg_values_supported` (draft-ietf-oauth-attestation-based-client-auth-11 §8).
    public var clientAttestationAlgorithms: [String] = []
    /// `dpop_signing_alg_values_supported`; empty if the server does not support DPoP.
    public var dpopAlgorithms: [String] = []
    /// `request_object_signing_alg_values_supported`; empty if the server takes no request objects (RFC 9101).
    public var requestObjectAlgorithms: [String] = []
    /// `authorization_signing_alg_values_supported`; empty if the server signs no authorization responses (JARM §4).
    public var authorizationAlgorithms: [String] = []
    /// `subject_types_supported`.
    public var subjectTypes: [String] = []
    /// `id_token_signing_alg_values_supported`.
    public var idTokenAlgorithms: [String] = []
    /// `acr_values_supported`.
    public var acrValues: [String] = []
    /// `authorization_details_types_supported` (RFC 9396 §10); empty if the server takes no authorization details.
    public var authorizationDetailsTypes: [String] = []
    /// `claims_supported`.
    public var claims: [String] = []
    /// `claims_parameter_supported`: clients may ask for claims one by one (OpenID Connect Core §5.5).
    public var takesClaims = false
    /// `display_values_supported`.
    public var displayValues: [String] = []
    /// `prompt_values_supported`.
    public var promptValues: [String] = []
    /// `ui_locales_supported`.
    public var uiLocales: [String] = []
    /// `authorization_response_iss_parameter_supported` (RFC 9207): clients then require `iss`.
    public var namesIssuerInResponses = false

    /// `backchannel_logout_supported` and `backchannel_logout_session_supported` (OpenID Connect Back-Channel Logout 1.0
    /// §2.1): clients hear of the end of each session, by its `sid`.
    public var announcesLogouts = false

    /// `refresh_attempts_supported`, specific to this project: the server answers a repeated `attempt` of a refresh
    /// with the same successor at any time.
    public var keepsRefreshAttempts = false

    /// `client_id_metadata_document_supported` (draft-ietf-oauth-client-id-metadata-document §5): a `client_id` may be the address of the
    /// client's description.
    public var readsClientDocuments = false

    /// All values of `display` (OpenID Connect Core §3.1.2.1). One page fits all of them.
    public static let displays = ["page", "popup", "touch", "wap"]

    /// Creates a document.
    /// - Parameter issuer: the server.
    public init(issuer: Issuer) { self.issuer = issuer }

    /// Whether the server accepts DPoP proofs with an algorithm that this package supports.
    public var offersDPoP: Bool { dpopAlgorithms.contains(SigningAlgorithm.es256.rawValue) }
}

extension ServerMetadata {
    private static var urlMembers: [(String, WritableKeyPath<ServerMetadata, WebURL?>)] {
        [
            ("authorization_endpoint", \.authorizationEndpoint), ("token_endpoint", \.tokenEndpoint),
            ("pushed_authorization_request_endpoint", \.pushedRequestEndpoint), ("jwks_uri", \.keysURL),
            ("authorization_challenge_endpoint", \.authorizationChallengeEndpoint),
            ("revocation_endpoint", \.revocationEndpoint), ("introspection_endpoint", \.introspectionEndpoint),
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
            ("backchannel_authentication_endpoint", \.backchannelAuthenticationEndpoint),
            ("userinfo_endpoint", \.userInfoEndpoint), ("end_session_endpoint", \.endSessionEndpoint),
        ]
    }

    private static var listMembers: [(String, WritableKeyPath<ServerMetadata, [String]>)] {
        [
            ("scopes_supported", \.scopes), ("response_types_supported", \.responseTypes),
            ("response_modes_supported", \.responseModes), ("grant_types_supported", \.grantTypes),
            ("backchannel_token_delivery_modes_supported", \.backchannelDeliveryModes),
            ("code_challenge_methods_supported", \.codeChallengeMethods),
            ("token_endpoint_auth_methods_supported", \.clientAuthenticationMethods),
            ("revocation_endpoint_auth_methods_supported", \.revocationAuthenticationMethods),
            ("introspection_endpoint_auth_methods_supported", \.introspectionAuthenticationMethods),
            ("introspection_signing_alg_values_supported", \.introspectionSigningAlgorithms),
            ("token_endpoint_auth_signing_alg_values_supported", \.clientAssertionAlgorithms),
            ("client_attestation_signing_alg_values_supported", \.clientAttestationAlgorithms),
            ("dpop_signing_alg_values_supported", \.dpopAlgorithms),
            ("request_object_signing_alg_values_supported", \.requestObjectAlgorithms),
            ("authorization_signing_alg_values_supported", \.authorizationAlgorithms),
            ("subject_types_supported", \.subjectTypes),
            ("id_token_signing_alg_values_supported", \.idTokenAlgorithms), ("acr_values_supported", \.acrValues),
            ("authorization_details_types_supported", \.authorizationDetailsTypes), ("claims_supported", \.claims),
            ("prompt_values_supported", \.promptValues),
            ("display_values_supported", \.displayValues), ("ui_locales_supported", \.uiLocales),
        ]
    }

    /// Reads a document of any standard server.
    /// - Parameters:
    ///   - object: the document.
    ///   - issuer: the issuer it was fetched for; another issuer in the document is an impersonation (RFC 8414 §3.3).
    ///   - members: the members to read; faults in others are ignored. Nil reads all of them.
    /// - Throws: ``MalformedValue`` for another issuer, and for a malformed member.
    public init(
        _ object: JSONObject, of issuer: Issuer, reading members: Set<String>? = nil
    ) throws(MalformedValue) {
        guard try object.string("issuer") == issuer.rawValue else {
            throw MalformedValue(field: "issuer", reason: "is not the one that the metadata was fetched for")
        }
        self.init(issuer: issuer)
        func isRead(_ name: String) -> Bool { members?.contains(name) ?? true }
        for (name, path) in Self.urlMembers where isRead(name) {
            guard let text = try object.string(name) else { continue }
            self[keyPath: path] = try WebURL(text, field: name)
        }
        for (name, path) in Self.listMembers where isRead(name) {
            self[keyPath: path] = try object.strings(name) ?? []
        }
        if isRead("authorization_response_iss_parameter_supported") {
            namesIssuerInResponses = try object.bool("authorization_response_iss_parameter_supported") ?? false
        }
        announcesLogouts =
            object["backchannel_logout_supported"] == true && object["backchannel_logout_session_supported"] == true
        takesClaims = object["claims_parameter_supported"] == true
        keepsRefreshAttempts = object["refresh_attempts_supported"] == true
        readsClientDocuments = object["client_id_metadata_document_supported"] == true
    }

    /// The document. Unsupported features are stated explicitly if the default would be yes (OpenID Connect Discovery
    /// §3).
    public var json: JSONObject {
        var object = JSONObject()
        object.set("issuer", issuer)
        for (name, path) in Self.urlMembers { object.set(name, self[keyPath: path]) }
        for (name, path) in Self.listMembers { object.set(name, self[keyPath: path]) }
        for (endpoint, url) in [("revocation", revocationEndpoint), ("introspection", introspectionEndpoint)]
        where url != nil {
            object.set("\(endpoint)_endpoint_auth_signing_alg_values_supported", clientAssertionAlgorithms)
        }
        object["authorization_response_iss_parameter_supported"] = .bool(namesIssuerInResponses)
        if announcesLogouts {
            object["backchannel_logout_supported"] = true
            object["backchannel_logout_session_supported"] = true
        }
        if !backchannelDeliveryModes.isEmpty { object["backchannel_user_code_parameter_supported"] = false }
        if keepsRefreshAttempts { object["refresh_attempts_supported"] = true }
        if readsClientDocuments { object["client_id_metadata_document_supported"] = true }
        object["claims_parameter_supported"] = .bool(takesClaims)
        object["request_parameter_supported"] = .bool(!requestObjectAlgorithms.isEmpty)
        object["request_uri_parameter_supported"] = false
        return object
    }
}

extension ServerMetadata: WireShaped {
    /// The members of every server; RFC 8414 and OpenID Connect Discovery have the others.
    public static let shape = WireShape.answer(
        ServerMetadata.self,
        [
            .required("issuer", .of(Issuer.self)), .required("authorization_endpoint", .of(WebURL.self)),
            .required("token_endpoint", .of(WebURL.self)),
        ])
}
