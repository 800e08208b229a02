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
            """
            The maximum age of the sign-in in seconds, when the step-up begins; 0 always requires a new one. Clocks may differ \
            by 10 seconds, or 60 if the server's time is unknown.
            """, valueName: "seconds"))
    var maximumAge: Int64?

    func validate() throws {
        guard isWanted else {
            guard acr.isEmpty, maximumAge == nil else { throw ValidationError("--acr and --max-age need --step-up") }
            return
        }
        if let maximumAge, maximumAge < 0 { throw ValidationError("--max-age must be a number of seconds, 0 or more") }
        for value in acr where value.isEmpty || value.contains(where: \.isWhitespace) {
            throw ValidationError("--acr \"\(value)\" is not a class: use one word, and repeat the option for others")
        }
    }

    /// The requirements: two factors by default.
    var requirements: AuthenticationRequirements {
        let named = acr.isEmpty && maximumAge == nil ? ["urn:wallet-auth:acr:2fa"] : acr
        return AuthenticationRequirements(acrValues: named, maximumAge: maximumAge)
    }
}

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

extension Failure {
    /// A step-up that was refused, by the server or here, or whose answer does not fulfill it.
    /// - Parameters:
    ///   - error: the error.
    ///   - requirements: what the step-up was for.
    ///   - server: the issuer.
    ///   - asksForSignIn: whether the server was asked for its sign-in page.
    /// - Returns: nil for any other error, or if the usual advice helps.
    init?(
        steppingUp error: WalletError, to requirements: AuthenticationRequirements, at server: String,
        asksForSignIn: Bool
    ) {
        if let ended = Self.textOfEnd(error, server) {
            self.init(error, ended)
        } else if let text = Self.text(error, requirements, server, asksForSignIn: asksForSignIn) {
            self.init(error, Text("\(text.message); you are still signed in", text.advice))
        } else {
            return nil
        }
    }

    /// The session ended while the page was open, so that the page's answer was not used.
    private static func textOfEnd(_ error: WalletError, _ server: String) -> Text? {
        // Without an answer, there was no session to begin with.
        guard error.reachedServer, case .signedOut(let reason) = error.outcome else { return nil }
        if reason == .replacedByAnotherSignIn {
            return Text(
                "someone else signed in at \(server) while the page was open, so your sign-in on it was not used",
                "see who is signed in with: wallet status")
        }
        return Text(
            "you signed out at \(server) while the page was open, so your sign-in on it was not used",
            "sign in with: wallet sign-in")
    }

    private static func text(
        _ error: WalletError, _ requirements: AuthenticationRequirements, _ server: String, asksForSignIn: Bool
    ) -> Text? {
        switch error.code {
        case .invalidIDToken where error.reason.contains("has no auth_time"):
            // A sign-in page would change nothing about it.
            return Text(
                "\(server) does not report when you signed in, so it cannot confirm --max-age",
                "step up without --max-age, or ask the server's operator")
        case .invalidIDToken where error.reason.contains("auth_time") && asksForSignIn:
            return Text(
                "refused: \(reason(error)), although \(server) was asked for a new sign-in",
                "sign out on the server's own pages, then step up again")
        // An answer of the page, not of an endpoint. It may well be about something else than the requirements.
        case "invalid_request" where error.answeredBy == nil && error.reachedServer,
            "unmet_authentication_requirements":
            let advice =
                lacksSecondFactor(error, requirements) ? ofOneFactor : Self.advice(otherThan: requirements)
            return Text("\(server) refused the step-up: \(said(error))", advice)
        default: return nil
        }
    }

    /// Whether a walletauth server was asked for two factors, and the account has only one.
    private static func lacksSecondFactor(_ error: WalletError, _ requirements: AuthenticationRequirements) -> Bool {
        error.isFromWalletAuth && error.code == .unmetAuthenticationRequirements
            && requirements.acrValues.contains("urn:wallet-auth:acr:2fa")
    }

    private static func advice(otherThan requirements: AuthenticationRequirements) -> String {
        var others: [String] =
            switch requirements.maximumAge {
            case nil: []
            // The server may not know 0 as a number, or not say when a person signed in.
            case 0?: ["--max-age 1 --prompt login", "no --max-age"]
            case _?: ["another --max-age"]
            }
        if !requirements.acrValues.isEmpty { others.append("another --acr") }
        let ending =
            requirements.acrValues.isEmpty
            ? ", or ask the server's operator" : ": the server's operator knows its classes"
        return "try \(others.joined(separator: " or "))\(ending)"
    }
}
