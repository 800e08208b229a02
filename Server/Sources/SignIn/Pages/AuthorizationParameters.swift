internal import Core
internal import Kernel
internal import WalletAuthWire

/// The parameters of an authorization request, whether they came by query, form or push: as they are, or as the claims of a request object
/// (RFC 9101).
struct AuthorizationParameters: Sendable {
    let form: FormParameters
    /// The object that the client signed, if the parameters are its claims.
    private(set) var requestObject: RequestObject?

    /// Parameters that no one signed.
    init(_ form: FormParameters) { self.form = form }

    /// If there is a request object, its claims are the parameters, and nothing outside counts (RFC 9101 §6.3).
    /// - Throws: `invalid_request_object` for one that is not signed by the client, or not for now and this server.
    init(_ outer: FormParameters, of client: RegisteredClient, issuer: Issuer, now: Timestamp) throws(OAuthError) {
        // A client without keys gets "not supported" with the other faults of a request.
        guard let text = outer["request"], !client.requestKeys.isEmpty else {
            form = outer
            return
        }
        do throws(JOSEError) {
            let jws = try CompactJWS(text)
            // FAPI 2.0 Message Signing has the specific type, and other clients have none or the general one.
            guard [nil, .jwt, .requestObject].contains(jws.header.type) else { throw JOSEError.wrongType }
            let claims = try jws.verified(by: client.requestKeys).claims()
            try Self.validate(claims, of: client, issuer: issuer, now: NumericDate(clamping: now.seconds))
            form = try Self.form(claims.object)
        } catch { throw OAuthError(.invalidRequestObject, "the request object \(error)") }
        guard form["request"] == nil, form["request_uri"] == nil else {
            throw OAuthError(.invalidRequestObject, "the request object contains another request")
        }
        guard form["client_id"] == client.id.rawValue else {
            throw OAuthError(.invalidRequestObject, "client_id in the request object is not the client's")
        }
        do { requestObject = try RequestObject(text) } catch { throw OAuthError(error) }
    }

    /// As FAPI 2.0 Message Signing §5.3.1 bounds the times; `nbf` only clients of FAPI must have.
    private static let lifetime = Duration.hours(1)

    private static func validate(
        _ claims: JWTClaims, of client: RegisteredClient, issuer: Issuer, now: NumericDate
    ) throws(JOSEError) {
        let rules = JWTRules(
            issuer: client.id.rawValue, audiences: [issuer.rawValue], maximumLifetime: lifetime)
        try claims.validate(rules, now: now)
        if let start = client.settings.fapi ? try claims.requiredDate("nbf") : try claims.date("nbf") {
            guard now <= start.advanced(by: lifetime + rules.leeway) else { throw .claim(name: "nbf", .expired) }
            guard try claims.requiredDate("exp") <= start.advanced(by: lifetime) else {
                throw .claim(name: "exp", .tooFar)
            }
        }
        // Such a JWT could be taken for the client's assertion (RFC 9101 §10.8).
        guard claims.subject != client.id.rawValue else { throw .claim(name: "sub", .mismatch) }
    }

    /// The claims of the JWT itself.
    private static let registered: Set = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    private static let parameters = Set(AuthorizationRequest.shape.members.map(\.name))

    /// The other claims as parameters: texts, numbers, and lists of what may be repeated.
    /// - Throws: `malformed` for a parameter of another type. Left out, it would have the person sign in to less than the client signed.
    private static func form(_ claims: JSONObject) throws(JOSEError) -> FormParameters {
        var form = FormParameters()
        for member in claims.members where !registered.contains(member.name) {
            switch member.value {
            case .string(let text): form.append(member.name, text)
            case .integer(let number): form.append(member.name, String(number))
            case .null: continue
            // It may be of an extension that has no parameter here.
            default:
                guard parameters.contains(member.name) else { continue }
                if member.name == AuthorizationDetails.field || member.name == ClaimsRequest.field {
                    form.append(member.name, member.value.text)
                    continue
                }
                guard member.name == "resource", let resources = member.value.strings else {
                    throw .claim(name: member.name, .malformed)
                }
                for resource in resources { form.append(member.name, resource) }
            }
        }
        return form
    }
}

extension AuthorizationRequest {
    /// - Throws: `Refusal`, which says whether to report it to the client.
    init(_ parameters: AuthorizationParameters) throws(Refusal) {
        try self.init(form: parameters.form)
        requestObject = parameters.requestObject
    }
}
