/// Whether a step had a code sent, and when another can be: the `sent_code` member of an answer.
public struct CodeSending: Hashable, Sendable {
    /// Whether a code was sent. One that was sent before still counts where none was.
    public var isSent: Bool
    /// Seconds until another code can be sent; nil where none can be.
    public var resendAfter: Int64?

    /// Each parameter is the property of its name.
    public init(isSent: Bool, resendAfter: Int64?) {
        self.isSent = isSent
        self.resendAfter = resendAfter
    }

    /// Reads the member.
    /// - Parameter object: its members.
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
