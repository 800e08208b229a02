import WalletAuth
import WalletAuthWire

extension Failure {
    /// The server signed the person in again, and did not confirm what the step-up was for: `acr_values` is voluntary
    /// (OpenID Connect Core §5.5.1.1).
    /// - Parameters:
    ///   - missing: what it did not confirm.
    ///   - acr: the class that it named, if any.
    init(unconfirmed missing: AuthenticationRequirements, by server: String, reached acr: String?) {
        let parts = [Self.words(missing.acrValues), missing.maximumAge.map(Self.words)].compactMap { $0 }
        let named = missing.acrValues.isEmpty ? "" : acr.map { ": it named the class \($0)" } ?? ": it named no class"
        self.init(
            code: "step_up_unconfirmed",
            message: "\(server) signed you in again but did not confirm \(parts.joined(separator: " or "))\(named)",
            advice: missing.acrValues.isEmpty
                ? "a call that requires it may refuse you again"
                : "a call that requires it may refuse you again; ask the server's operator which class to name with --acr"
        )
    }

    private static func words(_ classes: [String]) -> String? {
        switch classes {
        case []: nil
        case ["urn:wallet-auth:acr:2fa"]: "two factors"
        default: "the class \(classes.joined(separator: " or "))"
        }
    }

    private static func words(_ age: Int64) -> String {
        age == 0 ? "that you signed in just now" : "a sign-in within the last \(age) s"
    }
}
