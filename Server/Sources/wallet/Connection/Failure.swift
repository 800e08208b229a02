import Foundation
import Programs
import WalletAuth
import WalletAuthWire

/// A failure in one line: what went wrong, and what to do about it. The texts by subject are in extensions: the `Failure+…`
/// files, and next to the options and checks that they concern.
struct Failure: Error {
    /// A stable name, for scripts.
    let code: String
    var message: String
    /// The next step.
    var advice: String
    /// The server's numeric code for wallet apps, if any.
    var statusCode: Int?
    /// The trace id of the call in the server's log.
    var traceID: String?
    /// What the message sums up, one by one.
    var causes: [String] = []

    /// The names that a failure mentions.
    struct Place {
        /// The authorization server.
        var server: String?
        /// Where `server` comes from, if it is not the remembered one.
        var serverNamedBy: ServerSource?
        /// The server of the last sign-in.
        var rememberedServer: String?
        /// The client id of this wallet.
        var client: String?
        var clientNamedBy: ClientSource?
        /// The client id of the last sign-in at this server.
        var rememberedClient: String?
        /// The URL of a call.
        var target: String?
        /// The profile, unless it is the default one.
        var profile: String?
        /// The user name that the advice's commands are for.
        var username: String?

        /// The server that caused `error`.
        fileprivate func asked(_ error: WalletError) -> String {
            (error.operation == .perform ? target : nil) ?? server ?? "the server"
        }
    }

    init(code: String, message: String, advice: String) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// The line for the terminal. The terminal escapes it, since parts may come from the other side.
    var line: String { "wallet: \(message); \(advice)" }

    /// The same for scripts.
    var document: FailureDocument {
        var document = FailureDocument(code, message, hint: advice)
        if !causes.isEmpty { document.error.causes = causes.map { FailureDocument.Cause($0) } }
        document.error.statusCode = statusCode
        document.error.traceID = traceID
        return document
    }
}

extension Failure {
    /// Converts any error. Errors that the SDK does not declare are mistakes in this program and are reported as such.
    init(_ error: any Error, at place: Place) {
        switch error {
        case let failure as Failure: self = failure
        case let error as WalletError:
            self.init(error, code: Self.code(of: error), Self.text(error, place))
        case let failure as UserAgentFailure where failure.kind == .unavailable:
            let text = Self.noPage(failure.reason)
            self.init(
                code: WalletError.Code.userAgentUnavailable.rawValue, message: text.message, advice: text.advice)
        case let failure as UserAgentFailure:
            self.init(
                code: failure.kind == .cancelledByPerson || failure.kind == .timedOut
                    ? WalletError.Code.cancelledByPerson.rawValue : WalletError.Code.userAgentUnavailable.rawValue,
                message: "the browser did not return here: \(failure.reason)",
                advice: "start again; if the page shows an error, follow its instructions")
        case let failure as TransportFailure:
            self.init(
                code: WalletError.Code.temporarilyUnavailable.rawValue,
                message: "the server cannot be reached (\(failure.reason))",
                advice: "nothing is lost; try again later")
        case is CancellationError: self.init(code: "cancelled", message: "cancelled", advice: "nothing was changed")
        default:
            self.init(
                code: "internal_error", message: "unexpected: \(type(of: error))", advice: "please report this")
        }
        self = named(at: place)
        if let profile = place.profile { advice = Self.naming(profile, in: advice) }
        if let username = place.username { advice = Self.naming(username: username, in: advice) }
    }

    /// An error of the SDK, with its text and what the server added.
    /// - Parameter code: the name for scripts; nil for the error's own.
    init(_ error: WalletError, code: String? = nil, _ text: Text) {
        self.init(code: code ?? error.code.rawValue, message: text.message, advice: text.advice)
        causes = error.openPayments.map(Self.words)
        statusCode = error.statusCode
        traceID = error.traceID
    }

    /// Adds the profile to the commands in an advice.
    static func naming(_ profile: String, in advice: String) -> String {
        let commands =
            #/\bwallet (?:sign-in|sign-out|recover|status|balance|call|transfer|payees(?: add| remove)?|(?:account|approvals|biometrics|device|device-token|identity|mfa|passkey|pin|transactions) [a-z-]+)(?! --profile)\b(?!-)/#
        return advice.replacing(commands) { "\($0.output) --profile \(profile)" }
    }

    struct Text {
        let message: String
        let advice: String

        init(_ message: String, _ advice: String) { (self.message, self.advice) = (message, advice) }
    }

    private static func text(_ error: WalletError, _ place: Place) -> Text {
        if let text = textOfCode(error, place) { return text }
        let server = place.asked(error)
        switch error.outcome {
        case .signedOut(.tokenExpired):
            return Text(
                "your token for \(server) has expired, and it came without a refresh token",
                "sign in with: wallet sign-in; many servers issue a refresh token for: --scope \"openid offline_access\""
            )
        case .signedOut(let reason):
            return Text(signedOut(reason, at: server) + endingWords(error), "sign in with: wallet sign-in")
        case .temporarilyUnavailable(let retryAfter): return unavailable(error, server, retryAfter)
        case .offline: return Text("there is no network", "nothing is lost; try again when you are online")
        case .keyLost(.signInAgain):
            return Text("the key that your session is bound to is gone", "sign in again with: wallet sign-in")
        case .keyLost(.enrollAgain):
            return Text("the device's key is gone", "enroll this device again with: wallet device enroll DEVICE-NAME")
        case .keyLost(.setPINAgain):
            return Text("this device's data for your PIN is gone", "sign in with your password, then: wallet pin set")
        case .keyLost(.enableBiometricsAgain):
            return Text("the face or fingerprints on this device have changed", "sign in with your PIN or password")
        case .storeUnavailable(let failure):
            return Text("the wallet's folder cannot be used: \(reason(error))", advice(failure))
        case .cancelledByPerson:
            return Text("the sign-in was not completed: \(reason(error))", "start again with: wallet sign-in")
        case .stepUp:
            return Text("this needs a stronger or more recent sign-in", "sign in again with: wallet sign-in --again")
        case .refused where error.code == .badRequest || error.code == .unacceptableAnswers:
            return Text("refused: \(reason(error))", "correct what you typed; see --help")
        case .refused: return Text("refused: \(reason(error))", "try again, or sign in again with: wallet sign-in")
        case .misconfigured where isWebPage(error):
            return Text(said(error), "\(networkSignIn); otherwise ask the server's operator")
        case .misconfigured where error.isFromWalletAuth:
            return Text(
                reason(error),
                "have the server's operator check the client with: walletauth client show \(place.client ?? "CLIENT-ID")"
            )
        case .misconfigured:
            return Text(said(error), "compare --issuer and --client-id with the information from the server's operator")
        }
    }

    /// Another server's explanation of a session's end, if it gives one.
    private static func endingWords(_ error: WalletError) -> String {
        guard !error.isFromWalletAuth, error.answeredBy != nil, let start = error.reason.firstIndex(of: "(") else {
            return ""
        }
        return " " + error.reason[start...]
    }

    /// The other side's own words, and its URL.
    static func said(_ error: WalletError) -> String {
        let code = error.code.rawValue
        let isTold = error.reason.contains(code) || error.answeredBy == nil || error.reason.hasPrefix("http")
        let words = isTold ? reason(error) : "\(code): \(reason(error))"
        guard let place = error.answeredBy?.absoluteString, !words.contains(place) else { return words }
        return "\(words) (\(place))"
    }

    /// A session that continues although its token is not renewed.
    /// - Parameter hasExpired: whether the token has expired, so that nothing can be called until it is renewed.
    /// - Returns: nil if nothing is wrong, or if waiting helps and the token is still valid.
    init?(notRenewing error: WalletError?, at server: String, hasExpired: Bool) {
        guard let error else { return nil }
        let signedIn = "you are signed in at \(server)"
        let text: Text
        switch error.outcome {
        case .offline, .temporarilyUnavailable:
            guard hasExpired else { return nil }
            text = Text(
                "\(signedIn), but your token has expired and could not be renewed: \(Self.said(error))",
                error.reachedServer || error.code == .renewalInterrupted
                    ? "try again; if that does not help, replace the session with: wallet sign-in --again"
                    : "nothing is lost; try again when the server can be reached")
        default:
            text = Text(
                "\(signedIn), which does not renew your token: \(Self.said(error))",
                "try again later, or replace the session with: wallet sign-in --again")
        }
        self.init(code: error.code.rawValue, message: text.message, advice: text.advice)
        traceID = error.traceID
    }

    /// Texts by error code, where the code says more than the outcome.
    private static func textOfCode(_ error: WalletError, _ place: Place) -> Text? {
        // After a recovery's own code there is nothing to request a new one with.
        if error.code == .invalidCredentials, error.concernsAnswer, error.operation != .recover {
            return Text("the code is wrong or has expired", "check it, or request a new one")
        }
        if let text = PasswordRules.text(of: error) ?? textOfAccount(error, place) ?? textOfTransaction(error)
            ?? textOfRecovery(error) ?? textOfAttestation(error, place) ?? textOfPIN(error)
            ?? textOfDeviceToken(error, place) ?? textOfPasskey(error, place)
            ?? textOfRegistration(error, place) ?? textOfOtherServer(error, place)
        {
            return text
        }
        return switch error.code {
        case .invalidCredentials where error.operation == .loginByNonce:
            Text(
                "the nonce is wrong, already used, expired, or meant for another app, device or purpose",
                "request a new one")
        case .invalidCredentials where error.operation == .loginByApple:
            Text(
                "Apple refused the sign-in, or its response does not belong to this sign-in",
                "start again: Apple's code works once, within five minutes")
        case .invalidCredentials where error.operation == .loginByFederatedIdentity:
            Text(
                "the identity provider refused the sign-in, or its response is not valid here",
                "check the name and password, or --provider-client-id: the operator finds it with walletauth provider show"
            )
        case .usernameTaken: Text("the user name is taken, or looks like one that is", "choose another one")
        case .addressTaken:
            Text("the address has an account already", "sign in to it, or: wallet recover --username NAME")
        case .phoneNotTaken: Text("the server sends no text messages", "use --email")
        case .invalidCredentials where error.operation == .changePassword:
            Text("the current password is wrong", "try again")
        case .invalidCredentials:
            Text(
                "the user name or the password is wrong",
                "try again (after many attempts, wait a few minutes first), or set a new password with: "
                    + "wallet recover --username NAME")
        case .invalidCode where error.operation == .changeFactors:
            Text(
                "the code is wrong or has expired",
                "wait for the app's next code; only the most recently shown secret works")
        case .invalidCode: Text("the code is wrong or has expired", "check it, or request a new one")
        case .anotherPerson:
            Text(
                "a different person signed in; the existing session continues",
                "step up as the person who is signed in (wallet status), or switch with: wallet sign-in --again")
        case .walletDeactivated:
            Text(
                "this wallet is deactivated",
                "if too many wrong passwords were the cause and your e-mail address is confirmed, recover it with: wallet recover "
                    + "--username NAME; otherwise ask the wallet's issuer")
        case .deviceDeactivated:
            Text(
                "this device is locked",
                "if wrong passwords locked it, its cooling period is over and your e-mail address is confirmed, unlock it with: "
                    + "wallet recover --username NAME; otherwise ask the server's operator")
        case .deviceSuspended: Text("this device is suspended", "ask the wallet's issuer")
        case .invalidSession: Text("the sign-in took too long", "start again")
        case .insufficientUserAuthentication where takesAnyFactor(error):
            Text(
                "this needs a sign-in with your password or another of your factors within the last few minutes",
                "sign in again with: wallet sign-in --again --username NAME, then repeat this")
        case .insufficientUserAuthentication where Self.otherStepUp(error) != nil:
            Text("this needs a stronger or more recent sign-in", Self.otherStepUp(error) ?? "")
        case .insufficientUserAuthentication:
            Text(
                "this needs a sign-in with two factors within the last few minutes",
                "sign in again with: wallet sign-in --username NAME --two-factors, then repeat this"
                    + (Self.takeAllFactors.contains(error.operation) ? "" : "; \(Self.ofOneFactor)")
            )
        case .deviceNotFound: Text("your account has no such device", "see: wallet device list")
        case .tooManyDevices: Text(reason(error), "remove one first: wallet device list")
        case .signInInterrupted:
            Text(
                error.reachedServer ? said(error) : "the server's last response was lost",
                "start the sign-in again; nothing else is needed")
        case .renewalInterrupted:
            Text(
                "\(place.asked(error))'s response to the renewal was lost: \(reason(error))",
                "try again; if your session has ended, run: wallet sign-in --again")
        case .invalidIDToken where error.outcome == .misconfigured:
            Text(
                "\(place.asked(error)) returned no ID token: it does not support OpenID Connect",
                "name a scope that it knows instead of openid: wallet sign-in --issuer \(place.server ?? "URL") --client-id "
                    + "\(place.client ?? "ID") --scope SCOPE")
        case .invalidIDToken where error.operation == .stepUp:
            Text(
                "refused: \(reason(error)); you are still signed in",
                "if the server showed no sign-in page, ask for one with: --prompt login")
        case .renewalRefused:
            Text(
                said(error), "try again later; if that does not help, replace the session with: wallet sign-in --again")
        case .userAgentUnavailable: noPage(reason(error))
        case .issuerMismatch where error.outcome == .misconfigured:
            textOfAnotherIssuer(error)
        case .requestRefused:
            Text(reason(error), "use https; plain http is only for a server on this machine")
        default: textOfRefusal(error, place)
        }
    }

    /// There is no port to listen on.
    private static func noPage(_ reason: String) -> Text {
        Text(
            "no page can be shown: \(reason)",
            "if another program uses the port, end it, or use a --redirect-uri with a free port; many servers also accept one "
                + "without a port")
    }

    /// The first step for an account whose only factor is its password, and which therefore cannot step up to two.
    static let ofOneFactor = "if you have no second factor yet, first run: wallet mfa authenticator"

    /// What needs two factors only where the account has a second one.
    private static let takeAllFactors: Set<WalletError.Operation> = [
        .changeFactors, .changeContact, .exportAccount, .closeAccount,
    ]

    /// Whether any factor satisfies the step-up. The account then has no second factor, and its sign-in is too old or
    /// based only on a backend's assertion.
    private static func takesAnyFactor(_ error: WalletError) -> Bool {
        guard case .stepUp(let requirements) = error.outcome else { return false }
        return requirements.acrValues == ["urn:wallet-auth:acr:1fa"]
    }

    /// The advice for a step-up to classes other than walletauth's own.
    private static func otherStepUp(_ error: WalletError) -> String? {
        guard case .stepUp(let requirements) = error.outcome,
            !requirements.acrValues.contains(where: { $0.hasPrefix("urn:wallet-auth:acr:") })
        else { return nil }
        // Any server that the person calls names them, and the line is there to be pasted into a shell.
        let arePlain = requirements.acrValues.allSatisfy {
            $0.wholeMatch(of: #/[A-Za-z0-9:._\/+][A-Za-z0-9:._~\/+-]{0,199}/#) != nil
        }
        let classes = arePlain ? requirements.acrValues.map { " --acr \($0)" }.joined() : " --acr CLASS"
        let age = requirements.maximumAge.map { " --max-age \($0)" } ?? ""
        // What a shell could misread is not repeated.
        let explanation = arePlain ? "" : "; CLASS is the class it needs: ask the called server's operator for its name"
        return "step up with: wallet sign-in --step-up\(classes)\(age), then repeat this\(explanation)"
    }

    private static func unavailable(_ error: WalletError, _ server: String, _ retryAfter: Duration?) -> Text {
        guard error.reachedServer else {
            if error.code == .untrustedConnection {
                return Text(
                    "the connection to \(server) cannot be trusted: \(reason(error))",
                    "nothing was sent\(TerminalTransport.adviceOnAuthorities)")
            }
            return Text(
                "\(server) cannot be reached (\(reason(error)))",
                error.operation == .perform
                    ? "is it running? Check before you repeat a command that changes something"
                    : "is the server running? Nothing is lost: try again later")
        }
        let seconds = retryAfter.map { " in \($0.components.seconds) s" } ?? " later"
        let message = error.reason.hasPrefix("http") ? reason(error) : "\(server) cannot respond now: \(reason(error))"
        if error.operation == .refresh, error.code == .malformedAnswer {
            let first = isWebPage(error) ? networkSignIn : "try again"
            return Text(message, "\(first); if that does not help, replace the session with: wallet sign-in --again")
        }
        if isWebPage(error) { return Text(message, "nothing is lost; \(networkSignIn); otherwise try again later") }
        return Text(message, "nothing is lost; try again\(seconds)")
    }

    private static func signedOut(_ reason: WalletError.SignOutReason, at server: String) -> String {
        switch reason {
        case .neverSignedIn: "no one is signed in at \(server)"
        case .loggedOut: "you signed out at \(server)"
        case .sessionEnded: "\(server) ended your session"
        case .tokenExpired: "your token for \(server) has expired"
        case .replacedByAnotherSignIn: "another person has since signed in at \(server)"
        case .keyLost: "the key that your session at \(server) was bound to is gone"
        case .appleCredentialRevoked: "you stopped using your Apple Account with this app at \(server)"
        }
    }

    private static func advice(_ failure: WalletError.StoreFailure) -> String {
        switch failure {
        case .locked: "unlock the device and try again"
        case .full: "make room on the disk and try again"
        case .denied: "make the folder accessible only to you, or choose another one with --home"
        case .damaged: "restore the folder, or sign in again in another one with --home"
        case .busy: "wait for the other wallet command to finish"
        case .failed: "check the folder, or choose another one with --home"
        }
    }

    /// The cause, for the middle of a line: without the full stop of a server's sentence, but with the trace id for the
    /// operator.
    static func reason(_ error: WalletError) -> String {
        let text = error.reason.hasSuffix(".") ? String(error.reason.dropLast()) : error.reason
        return text + (error.traceID.map { " (trace \($0))" } ?? "")
    }
}
