/// The message if no code was sent because the last one is too recent.
enum SentCode {
    /// - Parameter resendAfter: when the next code can be sent.
    static func tooSoon(_ resendAfter: Duration?) -> String {
        let wait = resendAfter.map { " You can request another in \($0.components.seconds) s." } ?? ""
        return "No new code was sent: the last one is still valid.\(wait)"
    }
}
