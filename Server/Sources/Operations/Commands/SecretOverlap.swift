internal import Core

extension Duration {
    /// How long a secret that is replaced may still work.
    static let longestOverlap = Duration.days(30)

    /// Reads the value of `--overlap`; `nil` for `now`.
    /// - Throws: `AdministrationRefusal` for any other text, and for more than 30 days.
    static func overlap(_ text: String) throws -> Duration? {
        guard text != "now" else { return nil }
        guard let duration = Duration(typed: text), duration > .zero, duration <= longestOverlap else {
            throw AdministrationRefusal(
                "--overlap must be a duration with its unit up to 30d, such as 30m, 24h or 7d, or `now`.",
                code: "malformed")
        }
        return duration
    }
}
