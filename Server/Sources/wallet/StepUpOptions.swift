import ArgumentParser
import WalletAuth
import WalletAuthWire

/// The strength and age of a sign-in that a call requires (RFC 9470).
struct StepUpOptions: ParsableArguments {
    @Flag(name: .customLong("step-up"), help: "Sign in again, with stronger or more recent authentication.")
    var isWanted = false

    @Option(
        help: ArgumentHelp(
            "The required authentication context class (acr_values), the preferred one first; may be repeated.",
            valueName: "class"))
    var acr: [String] = []

    @Option(
        name: .customLong("max-age"),
        help: ArgumentHelp(
            "The maximum age of the sign-in in seconds; 0 always requires a new one.", valueName: "seconds"))
    var maximumAge: Int64?

    func validate() throws {
        guard isWanted else {
            guard acr.isEmpty, maximumAge == nil else { throw ValidationError("--acr and --max-age need --step-up") }
            return
        }
        if let maximumAge, maximumAge < 0 { throw ValidationError("--max-age must be a number of seconds, 0 or more") }
        for value in acr where value.isEmpty || value.contains(where: \.isWhitespace) {
            throw ValidationError("--acr \"\(value)\" is not a class: give one word, and repeat the option for others")
        }
    }

    /// The requirements: two factors by default.
    var requirements: AuthenticationRequirements {
        let named = acr.isEmpty && maximumAge == nil ? ["urn:wallet-auth:acr:2fa"] : acr
        return AuthenticationRequirements(acrValues: named, maximumAge: maximumAge)
    }
}
