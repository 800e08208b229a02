import WalletAuth

/// One line for a person: what went wrong, and what to do about it.
struct Failure: Error, Encodable {
    /// A stable name, for scripts.
    let code: String
    /// What went wrong.
    let message: String
    /// What to do.
    let advice: String
    /// The number that wallet apps switch on, where the server gave one.
    var statusCode: Int?
    /// The server's name for the call in its log.
    var traceID: String?

    init(code: String, message: String, advice: String) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// Puts any error into one line. What the SDK does not name is a mistake in this program, and is said to be one.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as WalletError: self.init(error)
        case is CancellationError: self.init(code: "cancelled", message: "cancelled", advice: "nothing was changed")
        default:
            self.init(
                code: "internal_error", message: "unexpected: \(type(of: error))", advice: "please report this")
        }
    }

    private init(_ error: WalletError) {
        let (message, advice) = Self.text(error)
        self.init(code: error.code.rawValue, message: message, advice: advice)
        statusCode = error.statusCode
        traceID = error.traceID
    }

    private static func text(_ error: WalletError) -> (message: String, advice: String) {
        let trace = error.traceID.map { " (trace \($0))" } ?? ""
        switch error.outcome {
        case .signedOut(let reason):
            return (signedOut(reason), "sign in with: wallet sign-in")
        case .temporarilyUnavailable(let retryAfter):
            let seconds = retryAfter.map { " in \($0.components.seconds) s" } ?? " later"
            return (
                "the server cannot answer now: \(error.reason)\(trace)", "nothing is lost; try again\(seconds)"
            )
        case .offline:
            return ("there is no network", "nothing is lost; try again when there is")
        case .keyLost(.signInAgain):
            return ("the key that your session is bound to is gone", "sign in again with: wallet sign-in")
        case .keyLost(.enrollAgain):
            return ("the device's key is gone", "enroll this device again")
        case .storeUnavailable(let trouble):
            return ("the wallet's folder cannot be used: \(error.reason)", advice(trouble))
        case .cancelledByPerson:
            return ("the sign-in was cancelled", "start it again with: wallet sign-in")
        case .refused: return refused(error, trace)
        case .misconfigured:
            return ("\(error.reason)\(trace)", "check --issuer, --client-id and how the client is registered")
        }
    }

    private static func signedOut(_ reason: WalletError.SignOutReason) -> String {
        switch reason {
        case .neverSignedIn: "nobody is signed in"
        case .loggedOut: "you signed out"
        case .sessionEnded: "the server has ended your session"
        case .tokenExpired: "your token has expired"
        case .replacedByAnotherSignIn: "somebody else has signed in meanwhile"
        case .keyLost: "the key that your session was bound to is gone"
        }
    }

    private static func advice(_ trouble: WalletError.StoreTrouble) -> String {
        switch trouble {
        case .locked: "unlock the device and try again"
        case .full: "make room on the disk and try again"
        case .denied: "make the folder yours alone, or choose another with --home"
        case .damaged: "restore the folder, or sign in again in another with --home"
        case .busy: "wait for the other wallet command to end"
        case .failed: "check the folder, or choose another with --home"
        }
    }

    private static func refused(_ error: WalletError, _ trace: String) -> (message: String, advice: String) {
        switch error.code {
        case .invalidCredentials: ("the username or the password is wrong", "try again")
        case .walletDeactivated: ("this wallet is deactivated", "ask its issuer to activate it again")
        case .deviceDeactivated, .deviceSuspended: ("this device is blocked", "ask the wallet's issuer")
        case .continuationExpired: ("the sign-in took too long", "start it again")
        case .signInInterrupted:
            ("the server's last answer was lost", "start the sign-in again; nothing else is needed")
        case .userAgentUnavailable: ("no page can be shown: \(error.reason)", "use --no-open, or --username NAME")
        case .requestRefused: ("\(error.reason)", "tokens go by https only, or by http to this very machine")
        default: ("refused: \(error.reason)\(trace)", "try again, or sign in again with: wallet sign-in")
        }
    }
}
