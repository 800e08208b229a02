/// What a person is told where a code was asked for and none was sent, since the last one went out a moment ago.
enum SentCode {
    /// - Parameter resendAfter: when another can be sent.
    static func tooSoon(_ resendAfter: Duration?) -> String {
        let wait = resendAfter.map { " Ask again in \($0.components.seconds) s for another." } ?? ""
        return "No new code was sent: the last one still counts.\(wait)"
    }
}
