/// A device's request for the codes with which it asks for tokens (RFC 8628 §3.1).
public struct DeviceAuthorizationRequest: Hashable, Sendable {
    /// The client.
    public var client: ClientAuthentication
    /// The requested scopes; nil requests all of the client's.
    public var scope: Scope?
    /// The resources that the tokens are for (RFC 8707).
    public var resources: [String]

    /// Creates a request.
    /// - Parameters:
    ///   - client: the client.
    ///   - scope: the requested scopes.
    ///   - resources: the resources that the tokens are for.
    public init(client: ClientAuthentication, scope: Scope? = nil, resources: [String] = []) {
        self.client = client
        self.scope = scope
        self.resources = resources
    }

    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    ///   - attestation: the OAuth-Client-Attestation header, or nil.
    /// - Throws: ``OAuthError`` to answer with.
    public init(form: FormParameters, authorization: String?, attestation: String? = nil) throws(OAuthError) {
        client = try ClientAuthentication(form: form, authorization: authorization, attestation: attestation)
        // The page on which the person decides would not show them.
        guard form[AuthorizationDetails.field] == nil else {
            throw OAuthError(.invalidRequest, "\(AuthorizationDetails.field) is not supported for devices")
        }
        scope = try form.scope()
        resources = try ResourceIndicators.read(form)
    }

    /// The body's parameters.
    public var form: FormParameters {
        var form = FormParameters()
        if let scope, !scope.isEmpty { form.append("scope", scope) }
        for resource in resources { form.append("resource", resource) }
        client.add(to: &form)
        return form
    }
}

/// The codes of a device, and what it shows to its holder (RFC 8628 §3.2).
public struct DeviceAuthorizationResponse: Hashable, Sendable {
    /// What the device polls with. It is not shown.
    public var deviceCode: DeviceCode
    /// The code that the person types.
    public var userCode: String
    /// Where the person types it.
    public var verificationURI: WebURL
    /// The same with the code in it, for a QR code.
    public var verificationURIComplete: WebURL?
    /// How long both codes work, in seconds.
    public var expiresIn: Int64
    /// The least time between two polls, in seconds.
    public var interval: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - deviceCode: what the device polls with.
    ///   - userCode: the code that the person types.
    ///   - verificationURI: where the person types it.
    ///   - verificationURIComplete: the same with the code in it.
    ///   - expiresIn: how long both codes work.
    ///   - interval: the least time between two polls.
    public init(
        deviceCode: DeviceCode, userCode: String, verificationURI: WebURL, verificationURIComplete: WebURL?,
        expiresIn: Int64, interval: Int64
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresIn = expiresIn
        self.interval = interval
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("device_code", deviceCode.reveal())
        object.set("user_code", userCode)
        object.set("verification_uri", verificationURI)
        object.set("verification_uri_complete", verificationURIComplete)
        object.set("expires_in", expiresIn)
        object.set("interval", interval)
        return object
    }
}

extension DeviceAuthorizationRequest: WireShaped {
    /// The parameters.
    public static let shape = WireShape.answer(
        DeviceAuthorizationRequest.self,
        [.optional("scope", .of(Scope.self)), .optional("resource", .array(.text(nil)))]
            + ClientAuthentication.members)
}

extension DeviceAuthorizationResponse: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        DeviceAuthorizationResponse.self,
        [
            .required("device_code", .of(DeviceCode.self)), .required("user_code", .text(nil)),
            .required("verification_uri", .of(WebURL.self)), .optional("verification_uri_complete", .of(WebURL.self)),
            .required("expires_in", .integer(nil)), .required("interval", .integer(nil)),
        ])
}
