/// Whether a step sent a code, and when another can be sent: the `sent_code` member of an answer.
public struct CodeSending: WireMessage {
    /// Whether a code was sent. If not, a code sent before is still valid.
    public var isSent: Bool
    /// Seconds until another code can be sent; nil if none can be.
    public var resendAfter: Int64?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(isSent: Bool, resendAfter: Int64?) {
        self.isSent = isSent
        self.resendAfter = resendAfter
    }

    enum CodingKeys: String, CodingKey {
        case isSent = "sent"
        case resendAfter = "resend_after"
    }
}
