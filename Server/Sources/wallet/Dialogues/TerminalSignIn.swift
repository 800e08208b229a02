import Foundation
import WalletAuth
import WalletAuthWire

/// Sign-in without a browser, with the steps that the server requires after the first.
struct TerminalSignIn {
    let wallet: Wallet
    let answers: Answers
    let terminal: Terminal
    /// The second factor, if one is required; nil lets the server choose.
    var factor: FactorName?
    var unlinkedIdentity = UnlinkedIdentity.askForName
    /// The existing account to link the provider's identity to; nil to sign in with the identity.
    var existingUsername: String?

    /// The action for an identity that is not linked to an account.
    enum UnlinkedIdentity {
        /// Create an account, and ask for its name.
        case askForName
        /// Create an account of this name.
        case create(String)
    }

    /// The person signed in to their account, but an identity was not linked to it.
    struct NotLinked: Error {
        let reason: any Error
    }

    /// Signs in with user name and password.
    /// - Throws: ``Failure``; `WalletError`.
    func run(username: String, strength: Wallet.LoginStrength = .asTheServerAsks) async throws {
        let password = try answers.next(asking: "Password for \(username): ", shown: .hidden)
        try await finish(
            try await wallet.login(username: username, password: password, strength: strength), strength: strength)
    }

    /// Signs in with user name and account PIN.
    /// - Parameter source: of the PIN alone; anything else is asked from `answers`.
    /// - Throws: ``Failure``; `WalletError`.
    func run(
        username: String, accountPINFrom source: Answers, strength: Wallet.LoginStrength = .asTheServerAsks
    ) async throws {
        let pin = try source.next(asking: "Account PIN for \(username): ", shown: .hidden)
        try await finish(
            try await wallet.login(username: username, accountPIN: pin, strength: strength), strength: strength)
    }

    /// Signs in with this device's passkey.
    /// - Parameter username: the name that the account must have; nil for the passkey's account.
    /// - Returns: the account's user name, if the server named it.
    /// - Throws: ``Failure``; `WalletError`.
    func run(passkeyOf username: String?, strength: Wallet.LoginStrength = .asTheServerAsks) async throws -> String? {
        try await finish(
            try await wallet.passkeys.signIn(
                username: username, strength: strength, requestedAttributes: [Self.username]), strength: strength)
    }

    /// Signs in with a nonce issued to a backend.
    /// - Returns: the account's user name, if the server named it.
    /// - Throws: ``Failure``; `WalletError`.
    func run(noncePurpose purpose: String) async throws -> String? {
        let nonce = try answers.next(asking: "Login nonce: ", shown: .hidden)
        return try await finish(
            try await wallet.login(nonce: nonce, purpose: purpose, requestedAttributes: [Self.username]))
    }

    /// The attribute of a sign-in whose person typed no name.
    private static let username = "preferred_username"

    /// Signs in with a name and password of the issuer's own user repository.
    /// - Throws: ``Failure``; `WalletError`.
    func run(username: String, repository: String) async throws -> String? {
        let password = try answers.next(asking: "Password for \(username) at \(repository): ", shown: .hidden)
        return try await run(FederatedIdentity(provider: repository, username: username, password: password))
    }

    /// Signs in with the result of an identity provider.
    /// - Returns: the account's user name, if the server named it.
    /// - Throws: ``Failure``; ``NotLinked``; `WalletError`.
    func run(_ identity: FederatedIdentity) async throws -> String? {
        try await run(saying: "this identity") {
            try await wallet.login(
                federatedIdentity: identity, strength: $0, requestedAttributes: [Self.username])
        }
    }

    /// - Returns: the account's user name, if the server named it.
    /// - Throws: ``Failure``; ``NotLinked``; `WalletError`.
    func run(_ credential: AppleCredential, provider: String) async throws -> String? {
        try await run(saying: "this Apple Account") {
            try await wallet.login(
                apple: credential, provider: provider, strength: $0, requestedAttributes: [Self.username])
        }
    }

    private func run(
        saying identity: String, _ login: (Wallet.LoginStrength) async throws -> LoginOutcome
    ) async throws -> String? {
        guard let existingUsername else { return try await finish(try await login(.asTheServerAsks)) }
        // The account's own sign-in comes first. The session then tells an identity of the same person from another's, and
        // an identity that already signs in to another account does not replace the session.
        try await run(username: existingUsername)
        do {
            try await link(try await login(.required(AuthenticationRequirements())), saying: identity)
        } catch let error as WalletError where error.code == .anotherPerson {
            throw NotLinked(reason: Self.taken(identity, by: "another account", existingUsername))
        } catch is FurtherSteps {
            throw NotLinked(reason: Self.taken(identity, by: "an account", existingUsername))
        } catch {
            throw NotLinked(reason: error)
        }
        return nil
    }

    /// Only an identity that already signs in to an account is asked for more.
    private struct FurtherSteps: Error {}

    private func link(_ outcome: LoginOutcome, saying identity: String) async throws {
        switch outcome {
        case .noMatchingGuest(let guest): try await wallet.enrollment.join(guest)
        case .authenticated: terminal.say("Nothing to link: \(identity) already signs in to your account.")
        default: throw FurtherSteps()
        }
    }

    private static func taken(_ identity: String, by account: String, _ username: String) -> Failure {
        Failure(
            code: WalletError.Code.identityTaken.rawValue,
            message: "\(identity) already signs in to \(account); nothing was changed",
            advice: "you are signed in as \(username); to sign in to the other account, omit --link-to")
    }

    /// Recovers an account after a forgotten password, with the code the server sends and its further steps.
    /// - Throws: ``Failure``; `WalletError`.
    func run(recovering username: String) async throws {
        var challenge = try await wallet.recover(username: username)
        terminal.say(
            "If the server knows this name, it has sent a code of \(challenge.digits) digits to the account's confirmed "
                + "e-mail address. If the account has none, ask the server's operator to unlock it.")
        var left = answers.tries
        while true {
            let again = challenge.resendAfter != nil ? another : ""
            let answer = try answers.next(asking: "Code from the e-mail\(again): ", shown: .visible)
            if answer.isEmpty {
                challenge = try await challenge.resend()
                terminal.say(challenge.wasSent ? "Another code was sent." : SentCode.tooSoon(challenge.resendAfter))
                continue
            }
            do {
                try await finish(
                    try await challenge.answer(answer), choosing: "Choose a new password.", isRecovery: true)
                return
            } catch let error as WalletError where error.code == .invalidCredentials && left > 1 {
                left -= 1
                terminal.say("That code is wrong or has expired. Try again.")
            }
        }
    }

    /// Continues any sign-in until the person is signed in.
    /// - Parameters:
    ///   - begun: the current step.
    ///   - strength: the requested strength.
    ///   - reason: why the person must choose a new password.
    /// - Returns: the account's user name, if the sign-in asked for it and the server named it.
    /// - Throws: ``Failure``; `WalletError`.
    @discardableResult
    func finish(
        _ begun: LoginOutcome, strength: Wallet.LoginStrength = .asTheServerAsks,
        choosing reason: String = "Your password has expired.", isRecovery: Bool = false
    ) async throws -> String? {
        var (outcome, isAsked) = (begun, false)
        while true {
            switch outcome {
            case .authenticated(let attributes):
                if factor != nil, !isAsked { terminal.say(Self.unasked(reached: wallet.identity?.acr)) }
                return attributes[Self.username]?.string
            case .mfaRequired(let challenge):
                isAsked = true
                outcome = try await SecondFactorDialogue(
                    wallet: wallet, answers: answers, terminal: terminal, factor: factor
                ).run(challenge)
            case .passwordChangeRequired(let change):
                terminal.say(change.fault.map(PasswordRules.sentence) ?? reason)
                outcome = try await choosing("New password") { try await change.choose(newPassword: $0) }
            case .emailUnverified(let verification):
                terminal.say(
                    "Confirm your e-mail address: "
                        + (verification.wasSent
                            ? "the server has sent a code to it."
                            : Self.sentEarlier(verification.resendAfter)))
                outcome = try await answering("Code from the e-mail\(another): ", shown: .visible) { [answers] in
                    $0.isEmpty && answers.isPerson
                        ? try await verification.resend() : try await verification.confirm(code: $0)
                }
            case .appInstanceUnverified(let verification):
                terminal.say(
                    "Confirm this installation: "
                        + (verification.wasSent
                            ? "the server has sent you a code."
                            : Self.sentEarlier(verification.resendAfter)))
                outcome = try await answering("Code\(another): ", shown: .visible) { [answers] in
                    $0.isEmpty && answers.isPerson
                        ? try await verification.resend() : try await verification.confirm(code: $0)
                }
            case .merchantRequired(let choice): outcome = try await choice.choose(try merchant(of: choice))
            case .noMatchingGuest(let guest):
                switch unlinkedIdentity {
                case .create(let username):
                    outcome = try await wallet.enrollment.createAndRegister(NewAccount(username: username), for: guest)
                    terminal.say("Created your account here: \(username).")
                case .askForName:
                    terminal.say("The provider knows you, but you have no account here yet.")
                    let asked = answers.isPerson ? Answers.person(instead: "--new-username NAME") : answers
                    outcome = try await answering("User name for the new account: ", shown: .visible, by: asked) {
                        try await wallet.enrollment.createAndRegister(NewAccount(username: $0), for: guest)
                    }
                }
            case .redirectToWeb: throw isRecovery ? Self.recoveryNotHere : Self.notHere(strength)
            }
        }
    }

    /// What to say where the factor that was named was not asked for.
    /// - Parameter acr: the class that the sign-in reached.
    static func unasked(reached acr: String?) -> String {
        let reason =
            acr == Failure.twoFactors ? "this device was the second factor" : "the server asked for no second factor"
        return "Note: --factor was not used, because \(reason)."
    }

    /// Offers a person another code: the first may be lost, or its service down.
    private var another: String { answers.isPerson ? " (press Enter for another one)" : "" }

    private static func sentEarlier(_ resendAfter: Duration?) -> String {
        let wait = resendAfter.map { "; another can be sent in \($0.components.seconds) s" } ?? ""
        return "the server sent a code earlier, which is still valid\(wait).\(SentCode.noneArrives)"
    }

    private static let recoveryNotHere = Failure(
        code: "redirect_to_web", message: "the server requires this recovery to be done on its page",
        advice: "use: wallet sign-in --browser, and follow the link for a forgotten password")

    /// The server requires a step that is not possible here. If two factors were requested, the account has no second
    /// factor, or only one that the page supports.
    private static func notHere(_ strength: Wallet.LoginStrength) -> Failure {
        let onItsPage = "the server requires you to sign in on its page"
        let noFactor = "your account has no second factor yet, or none that can be used here"
        let (message, advice): (String, String) =
            switch strength {
            case .asTheServerAsks: (onItsPage, "use: wallet sign-in --browser")
            case .twoFactors:
                (
                    noFactor,
                    "sign in without --two-factors, then: wallet mfa authenticator (with a passkey: wallet sign-in --again --browser)"
                )
            case .required(let requirements) where requirements.acrValues == ["urn:wallet-auth:acr:2fa"]:
                (
                    noFactor,
                    "you are still signed in: set one up with: wallet mfa authenticator, then step up again (with a passkey: without "
                        + "--username)"
                )
            case .required: (onItsPage, "step up without --username; you are still signed in")
            }
        return Failure(code: "redirect_to_web", message: message, advice: advice)
    }

    /// Asks an employee of several merchants for the id of one.
    private func merchant(of choice: MerchantChoice) throws -> MerchantChoice.Merchant {
        terminal.say("You work for several merchants. Which one is this sign-in for?")
        for merchant in choice.merchants { terminal.say("  \(merchant.id)  \(merchant.name)") }
        for _ in 0..<answers.tries {
            let id = try answers.next(asking: "Id of the merchant: ", shown: .visible)
            if let chosen = choice.merchants.first(where: { $0.id == id }) { return chosen }
            terminal.say("That is not one of them.")
        }
        throw Failure(
            code: "merchant_required", message: "no merchant was chosen",
            advice: "sign in again, and enter the id of one of the listed merchants")
    }

    /// Asks the person to choose a secret.
    private func choosing(
        _ what: String, _ give: (String) async throws -> LoginOutcome
    ) async throws -> LoginOutcome {
        try await retrying(give) { try answers.chosen(what, terminal, fault: PasswordRules.fault) }
    }

    /// Asks, and asks again after a refused answer; the sign-in stays at the same step.
    private func answering(
        _ question: String, shown: Answers.Echo, by others: Answers? = nil,
        _ give: (String) async throws -> LoginOutcome
    ) async throws -> LoginOutcome {
        try await retrying(give) { try (others ?? answers).next(asking: question, shown: shown) }
    }

    private func retrying(
        _ give: (String) async throws -> LoginOutcome, _ ask: () throws -> String
    ) async throws -> LoginOutcome {
        var left = answers.tries
        while true {
            let answer = try ask()
            do {
                return try await give(answer)
            } catch let error as WalletError
                where error.outcome == .refused && error.code != .anotherPerson && left > 1
            {
                left -= 1
                terminal.say(Failure(error, at: Failure.Place()).message)
            }
        }
    }
}
