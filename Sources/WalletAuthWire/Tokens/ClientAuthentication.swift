/// A client's authentication at the token endpoint and related endpoints (RFC 6749 §2.3, RFC 7523).
public enum ClientAuthentication: Hashable, Sendable {
    /// A public client names itself and proves nothing.
    case none(ClientID)
    /// `client_secret_basic`: identifier and secret in the Authorization header.
    case basic(ClientID, ClientSecret)
    /// `client_secret_post`: identifier and secret in the form.
    case post(ClientID, ClientSecret)
    /// `private_key_jwt`: a signed assertion; the identifier is the form's or the assertion's unverified `sub`.
    case privateKeyJWT(ClientID, ClientAssertion)
    /// `attest_jwt_client_auth_dpop`: an attester's word about the key of the request's DPoP proof
    /// (draft-ietf-oauth-attestation-based-client-auth-11); the identifier is the form's or the attestation's unverified `sub`.
    case attestation(ClientID, ClientAttestation)

    /// `client_assertion_type` of RFC 7523 §2.2.
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The claimed client.
    public var clientID: ClientID {
        switch self {
        case .none(let id), .basic(let id, _), .post(let id, _), .privateKeyJWT(let id, _), .attestation(let id, _): id
        }
    }

    /// The method's name in metadata and registrations.
    public var method: ClientAuthenticationMethod {
        switch self {
        case .none: .none
        case .basic: .basic
        case .post: .post
        case .privateKeyJWT: .privateKeyJWT
        case .attestation: .attestation
        }
    }
}

/// The names of the methods (RFC 8414 `token_endpoint_auth_methods_supported`).
public enum ClientAuthenticationMethod: String, Hashable, Sendable, Codable, CaseIterable {
    /// A public client.
    case none
    /// Secret in the Authorization header.
    case basic = "client_secret_basic"
    /// Secret in the form.
    case post = "client_secret_post"
    /// Signed assertion.
    case privateKeyJWT = "private_key_jwt"
    /// An attestation, with a DPoP proof of the attested key.
    case attestation = "attest_jwt_client_auth_dpop"
}

extension ClientAuthentication {
    /// Reads a client's authentication. More than one method at once is refused (RFC 6749 §2.3).
    /// - Parameters:
    ///   - form: the request's parameters.
    ///   - authorization: the Authorization header, or nil.
    ///   - attestation: the OAuth-Client-Attestation header where it counts, or nil.
    /// - Throws: ``OAuthError`` `invalid_client` for malformed or missing credentials, `invalid_request` for several.
    public init(form: FormParameters, authorization: String?, attestation: String? = nil) throws(OAuthError) {
        let secret: ClientSecret? = try form.secret()
        let assertion = try Self.assertion(form)
        let named: ClientID? = try form.value("client_id")
        let methods = [authorization != nil, secret != nil, assertion != nil, attestation != nil].count { $0 }
        guard methods <= 1 else { throw OAuthError(.invalidRequest, "more than one method of client authentication") }

        if let authorization {
            self = try Self.basic(authorization)
            guard named == nil || named == clientID else {
                throw OAuthError(.invalidRequest, "client_id differs from the one in the Authorization header")
            }
        } else if let assertion {
            let claimed =
                if let named { named } else {
                    try Self.subject(of: assertion.reveal(), "client_assertion is malformed")
                }
            self = .privateKeyJWT(claimed, assertion)
        } else if let attestation {
            let malformed = "the OAuth-Client-Attestation header is malformed"
            let claimed = if let named { named } else { try Self.subject(of: attestation, malformed) }
            do { self = .attestation(claimed, try ClientAttestation(attestation)) } catch {
                throw OAuthError(.invalidClient, malformed)
            }
        } else {
            // RFC 6749 §5.2 counts "no client authentication included" as invalid_client.
            guard let named else { throw OAuthError(.invalidClient, "no client authentication, and no client_id") }
            self = secret.map { .post(named, $0) } ?? .none(named)
        }
    }

    private static func assertion(_ form: FormParameters) throws(OAuthError) -> ClientAssertion? {
        let assertion: ClientAssertion? = try form.secret()
        switch (assertion, form["client_assertion_type"]) {
        case (nil, nil): return nil
        case (let assertion?, assertionType?): return assertion
        default: throw OAuthError(.invalidRequest, "client_assertion and client_assertion_type do not go together")
        }
    }

    /// RFC 7521 §4.2 makes `client_id` optional; the assertion or attestation then names the client.
    private static func subject(of text: String, _ fault: String) throws(OAuthError) -> ClientID {
        guard let token = try? CompactJWS(text),
            let claims = try? JWTClaims(parsing: token.unverifiedPayload),
            let subject = claims.subject, let id = try? ClientID(subject)
        else { throw OAuthError(.invalidClient, fault) }
        return id
    }

    /// RFC 6749 §2.3.1: identifier and secret are form-encoded, joined and encoded in base 64.
    ///
    /// An empty secret counts as none, because libraries send public clients' identifiers this way.
    private static func basic(_ header: String) throws(OAuthError) -> ClientAuthentication {
        let malformed = OAuthError(.invalidClient, "the Authorization header is malformed")
        // Splits bytes: splitting characters would first determine their boundaries.
        let words = header.utf8.split(separator: 0x20, omittingEmptySubsequences: true)
        guard words.count == 2, ASCII.equalIgnoringCase(String(Substring(words[0])), "Basic"),
            let credentials = Base64.decodeStandard(String(Substring(words[1]))),
            let colon = credentials.firstIndex(of: 0x3A),
            let id = FormParameters.decode(credentials[..<colon]),
            let secret = FormParameters.decode(credentials[(colon + 1)...])
        else { throw malformed }
        do {
            let clientID = try ClientID(id)
            return secret.isEmpty ? .none(clientID) : .basic(clientID, try ClientSecret(secret))
        } catch { throw malformed }
    }

    /// Adds the form's part.
    /// - Parameter form: the request's parameters.
    public func add(to form: inout FormParameters) {
        switch self {
        case .none(let id), .attestation(let id, _): form.append("client_id", id)
        case .basic: break
        case .post(let id, let secret):
            form.append("client_id", id)
            form.append(secret: secret)
        case .privateKeyJWT(let id, let assertion):
            form.append("client_id", id)
            form.append("client_assertion_type", Self.assertionType)
            form.append(secret: assertion)
        }
    }

    /// The OAuth-Client-Attestation header, or nil if the method has none.
    public var attestationHeader: String? {
        guard case .attestation(_, let attestation) = self else { return nil }
        return attestation.reveal()
    }

    /// The Authorization header, or nil if the method has none.
    public var authorizationHeader: String? {
        guard case .basic(let id, let secret) = self else { return nil }
        var text: [UInt8] = []
        FormParameters.encode(id.rawValue, to: &text)
        text.append(0x3A)
        FormParameters.encode(secret.reveal(), to: &text)
        var encoded: [UInt8] = []
        Base64.append(text, alphabet: Base64.standardAlphabet, to: &encoded)
        encoded.append(contentsOf: repeatElement(0x3D, count: (4 - encoded.count % 4) % 4))
        return "Basic " + String(decoding: encoded, as: UTF8.self)
    }
}

extension ClientAuthentication {
    /// The parameters of a client that authenticates itself in a form.
    static let members: [WireObject.Member] = [
        .optional("client_id", .of(ClientID.self)), .optional("client_secret", .of(ClientSecret.self)),
        .optional("client_assertion", .of(ClientAssertion.self)),
        .optional("client_assertion_type", .choice([assertionType])),
    ]
}
