import ArgumentParser
import WalletAuth
import WalletAuthWire

/// Asks for a second factor until it is right. A person may request another code or use another factor. A script names
/// the factor in advance.
struct SecondFactorDialogue {
    let wallet: Wallet
    let answers: Answers
    let terminal: Terminal
    /// The factor; nil lets the server choose.
    let factor: FactorName?

    /// - Returns: the next step of the sign-in.
    /// - Throws: ``Failure``; `WalletError`.
    func run(_ first: MFAChallenge) async throws -> LoginOutcome {
        var challenge = first
        if let factor, factor.rawValue != FactorName.typed(first.method, first.channel) {
            let offered = first.alternatives.first { FactorName.typed($0.method, $0.channel) == factor.rawValue }
            guard let offered else { throw notOffered(factor, first) }
            guard case .mfaRequired(let chosen) = try await first.choose(offered) else { throw Self.unexpected }
            challenge = chosen
        }
        terminal.say("The server asks for a second factor.")
        var left = answers.tries
        while true {
            if challenge.method == FactorName.passkey.rawValue { return try await usePasskey(for: challenge) }
            if !challenge.isCodeSent {
                // Nothing that is typed could be right, and a script has no one to choose another way.
                if challenge.alternatives.isEmpty || !answers.isPerson { throw Failure(unsent: challenge) }
                terminal.say(Self.unsent(challenge))
            }
            let answer = try answers.next(asking: question(challenge), shown: .visible)
            if answer.isEmpty {
                challenge = try await another(challenge)
                continue
            }
            do { return try await give(answer, to: challenge) } catch let error as WalletError
                where error.code == .invalidCredentials
            {
                left -= 1
                guard left > 0 else { throw Failure(secondFactor: error, method: challenge.method) }
                terminal.say(Self.wrong(challenge))
            }
        }
    }

    private func give(_ answer: String, to challenge: MFAChallenge) async throws -> LoginOutcome {
        next(after: try await wallet.register(mfa: challenge, answer: answer))
    }

    private func usePasskey(for challenge: MFAChallenge) async throws -> LoginOutcome {
        next(after: try await wallet.registerWithPasskey(mfa: challenge))
    }

    private func next(after registration: Wallet.Registration) -> LoginOutcome {
        switch registration.link {
        case .linked(let device):
            terminal.say(
                "This device is linked to your account as \"\(device.name)\"; sign-ins here need only one factor.")
        case .failed(let error):
            let failure = Failure(linking: error)
            terminal.say(
                "You are signed in, but this device could not be linked: \(failure.message). To link it: \(failure.advice)"
            )
        case .notWanted, .signInUnfinished: break
        }
        return registration.login
    }

    /// An authenticator app shows each code for half a minute, and each is valid once. The server does not say which of
    /// the two rules was violated.
    private static func wrong(_ challenge: MFAChallenge) -> String {
        switch challenge.method {
        case "totp": "That code is wrong or was already used: wait for the app's next code."
        case FactorName.secretQuestion.rawValue: "That answer is wrong. Try again."
        default: "That code is wrong. Try again."
        }
    }

    private static func unsent(_ challenge: MFAChallenge) -> String {
        "No code can be sent right now because too many were sent recently: request one \(SentCode.wait(challenge)), or use "
            + "another way."
    }

    // MARK: Asking

    private func question(_ challenge: MFAChallenge) -> String {
        let others = answers.isPerson ? " (press Enter for other ways)" : ""
        return "\(Self.words(challenge))\(others): "
    }

    /// Lists the alternatives, of which the person picks one by number.
    /// - Returns: the challenge of the choice; the same one if there was none.
    private func another(_ challenge: MFAChallenge) async throws -> MFAChallenge {
        let resends = challenge.resendAfter != nil
        let ways = (resends ? ["Send the code again"] : []) + challenge.alternatives.map(Self.words)
        guard !ways.isEmpty else {
            terminal.say("There is no other way for this account.\(SentCode.wayOn(from: challenge.channel))")
            return challenge
        }
        for (number, way) in ways.enumerated() { terminal.say("  \(number + 1)  \(way)") }
        let typed = try answers.next(asking: "Number: ", shown: .visible)
        guard let number = Int(typed), ways.indices.contains(number - 1) else { return challenge }
        let outcome: LoginOutcome =
            if resends, number == 1 {
                try await challenge.resend()
            } else {
                try await challenge.choose(challenge.alternatives[number - (resends ? 2 : 1)])
            }
        guard case .mfaRequired(let next) = outcome else { throw Self.unexpected }
        if next.isCodeSent, !next.wasSent { terminal.say(SentCode.tooSoon(next.resendAfter)) }
        return next
    }

    private static func words(_ challenge: MFAChallenge) -> String {
        guard challenge.isCodeSent else { return "Code" }
        return challenge.question ?? words(challenge.method, challenge.channel, challenge.destination)
    }

    private static func words(_ alternative: MFAChallenge.Alternative) -> String {
        words(alternative.method, alternative.channel, alternative.destination)
    }

    private static func words(_ method: String, _ channel: String?, _ destination: String?) -> String {
        switch method {
        case "otp": "Code sent by \(channel == "SMS" ? "SMS" : "e-mail")\(destination.map { " to \($0)" } ?? "")"
        case "totp": "Code from your authenticator app"
        case "recovery_code": "One of your recovery codes"
        case "secret_question": "Answer to your secret question"
        case FactorName.passkey.rawValue: "This device's passkey"
        default: "Answer (\(method))"
        }
    }

    private func notOffered(_ factor: FactorName, _ challenge: MFAChallenge) -> Failure {
        let offered =
            [FactorName.typed(challenge.method, challenge.channel)]
            + challenge.alternatives.map { FactorName.typed($0.method, $0.channel) }
        return Failure(
            code: "factor_not_offered", message: "your account has no second factor \"\(factor.rawValue)\"",
            advice: "use one of: \(offered.joined(separator: ", "))")
    }

    private static let unexpected = Failure(
        code: "malformed_answer", message: "the server did not ask for the chosen factor",
        advice: "start the sign-in again")
}

extension Failure {
    /// The code that is asked for cannot be sent now, and the account has no other way, or no one to choose it.
    fileprivate init(unsent challenge: MFAChallenge) {
        let others = challenge.alternatives.map { FactorName.typed($0.method, $0.channel) }
        self.init(
            code: "code_not_sent",
            message: "no code can be sent right now because too many were sent recently",
            advice: "sign in again \(SentCode.wait(challenge))"
                + (others.isEmpty
                    ? "; if no code arrives then, ask the server's operator"
                    : ", or with --factor \(others.joined(separator: ", "))"))
    }

    /// A wrong answer to a second factor. The server uses one code for it and for a wrong password.
    init(secondFactor error: WalletError, method: String) {
        self.init(error, at: Place())
        message =
            switch method {
            case FactorName.secretQuestion.rawValue: "the answer is wrong"
            case FactorName.recoveryCode.rawValue: "the recovery code is wrong or was already used"
            default: "the code is wrong, was already used or has expired"
            }
        // The advice for a recovery already says how to start it again.
        if error.operation != .recover { advice = "sign in again; after many attempts, wait a few minutes first" }
    }
}

/// The name of a second factor on the command line.
enum FactorName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case authenticator
    case email
    case sms
    case secretQuestion = "secret_question"
    case recoveryCode = "recovery_code"
    case passkey

    init?(argument: String) { self.init(rawValue: Self.usual(argument)) }

    /// The server's name for an authenticator app's code, which people may type too.
    private static let serversAuthenticator = "totp"

    /// The name of a factor on the command line, for one that may be the server's.
    static func usual(_ name: String) -> String {
        name == serversAuthenticator ? authenticator.rawValue : name
    }

    /// The factors that a recovery can require in addition to the mailbox.
    static let besideMailbox = [authenticator, sms, recoveryCode]

    /// - Parameters:
    ///   - method: the server's name of the method.
    ///   - channel: the channel of a code that is sent.
    /// - Returns: the name to type.
    static func typed(_ method: String, _ channel: String?) -> String {
        method == "otp" ? (channel ?? method).lowercased() : usual(method)
    }

    /// `authenticator, sms or recovery_code`.
    static func words(_ names: [FactorName]) -> String {
        let words = names.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    static func help(_ names: [FactorName]) -> ArgumentHelp {
        ArgumentHelp("The second factor to use: \(words(names)).", valueName: "factor")
    }
}

/// The message if no code was sent because the last one is too recent.
enum SentCode {
    /// - Parameter resendAfter: when the next code can be sent.
    static func tooSoon(_ resendAfter: Duration?) -> String {
        let wait = resendAfter.map { " You can request another in \($0.components.seconds) s." } ?? ""
        return "No new code was sent: the last one is still valid.\(wait)\(noneArrives)"
    }

    /// The way on while the service for messages is down, after the sentence before.
    static let noneArrives =
        " If none arrives, press Ctrl-C and try again later; the server's operator can see whether messages leave."

    /// ``noneArrives`` for a way whose codes are sent; nothing for any other.
    static func wayOn(from channel: String?) -> String { channel == nil ? "" : noneArrives }

    /// When a code can be sent again.
    static func wait(_ challenge: MFAChallenge) -> String {
        challenge.resendAfter.map { "in \(($0.components.seconds + 59) / 60) min" } ?? "later"
    }
}
