/// Whether a step sent a code, and when another can be sent: the `sent_code` member of an answer.
public struct CodeSending: Hashable, Sendable {
    /// Whether a code was sent. If not, a code sent before is still valid.
    public var isSent: Bool
    /// Seconds until another code can be sent; nil if none can be.
    public var resendAfter: Int64?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(isSent: Bool, resendAfter: Int64?) {
        self.isSent = isSent
        self.resendAfter = resendAfter
    }

    /// Reads the member.
    /// - Parameter object: its members.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        isSent = try object.required("sent", object.bool("sent"))
        resendAfter = try object.integer("resend_after")
    }

    /// The member.
    public var json: JSONObject {
        var object = JSONObject()
        object["sent"] = .bool(isSent)
        object.set("resend_after", resendAfter)
        return object
    }
}
