import HTTPTypes

extension HTTPField.Name {
    static let dpop = literal("dpop")
    static let dpopNonce = literal("dpop-nonce")
    static let deviceSignature = literal("wallet-device-signature")
    static let idempotencyKey = literal("idempotency-key")
    static let forwarded = literal("forwarded")
    static let permissionsPolicy = literal("permissions-policy")
    static let crossOriginResourcePolicy = literal("cross-origin-resource-policy")
    static let referrerPolicy = literal("referrer-policy")
    static let secFetchSite = literal("sec-fetch-site")
    static let traceParent = literal("traceparent")
    static let xForwardedFor = literal("x-forwarded-for")
    static let xForwardedProto = literal("x-forwarded-proto")
    static let xFrameOptions = literal("x-frame-options")

    /// Only names written in this file come here, so no request can reach the failure.
    private static func literal(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(name.description) else { preconditionFailure("not a field name: \(name)") }
        return name
    }
}

extension HTTPFields {
    /// The field's one value; `nil` when it is absent.
    /// - Throws: ``RequestFault/doubledHeader`` when it is there twice. A second `Authorization` or `DPoP` is how a
    ///   request means one thing to a proxy and another to the server.
    func single(_ name: HTTPField.Name) throws(RequestFault) -> String? {
        // One pass, and no copy: the subscript joins the values of a field, also where there is one.
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { throw .doubledHeader(name.canonicalName) }
            found = field.value
        }
        return found
    }
}
