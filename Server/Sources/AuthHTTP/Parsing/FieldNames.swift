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

    /// Only called with names written in this file, so no request can reach the failure.
    private static func literal(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(name.description) else { preconditionFailure("not a field name: \(name)") }
        return name
    }
}

extension HTTPFields {
    /// The single value of the field; `nil` if absent.
    /// - Throws: ``RequestFault/doubledHeader`` if the field appears twice. With a second `Authorization` or `DPoP`, a
    ///   request could mean one thing to a proxy and another to the server.
    func single(_ name: HTTPField.Name) throws(RequestFault) -> String? {
        // One pass without a copy: the subscript joins the values of a field even if there is only one.
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { throw .doubledHeader(name.canonicalName) }
            found = field.value
        }
        return found
    }
}
