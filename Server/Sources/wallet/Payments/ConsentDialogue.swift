import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// The consent to a payment on the terminal: shows the operation, offers the methods, and asks until consent is given
/// or refused. Apps do the same with their screens.
struct ConsentDialogue: Sendable {
    let answers: Answers
    let terminal: Terminal
    /// The method, by its name in ``names``; nil lets the person choose.
    let factor: String?
    /// Whether this device's passkey, or a biometric key, approves without a question.
    var isUnattended = false
    /// The requested amount. The server must show the same one.
    let amount: Money
    let payee: String
    /// The payee's account, if the person named it.
    let account: String?
    /// Why this device's PIN can approve nothing; nil if it can, or another method is named.
    var refusalOfPIN: Failure?

    // MARK: Choosing

    /// Chooses a method: by name, by number, or the first that a script can answer.
    func choose(_ ways: [SCA.AvailableVerification]) throws -> SCA.Verification? {
        if let factor {
            guard let chosen = ways.first(where: { Self.name($0.verification) == factor }) else {
                throw notOffered(factor, ways.map(\.verification))
            }
            return chosen.verification
        }
        guard answers.isPerson else { return try answerable(ways) }
        // The server's version of the operation appears after the choice, and is compared with this one.
        terminal.say("To pay: \(amount.words) to \(payee).")
        switch try pick(ways, resending: .no, enter: "chooses the first") {
        case .way(let way): return way
        case .refuse: throw Failure.notAgreed
        case .resend, nil: return nil
        }
    }

    /// The first way that standard input can answer. A page or another device would be waited for in vain.
    private func answerable(_ ways: [SCA.AvailableVerification]) throws -> SCA.Verification {
        let found = ways.map(\.verification).first { way in
            switch way {
            case .sms, .email, .authenticator, .devicePIN: true
            case .devicePasskey, .deviceBiometric: isUnattended
            default: false
            }
        }
        guard let found else { throw Failure.unanswerable(ways.map { Self.name($0.verification) }) }
        return found
    }

    private enum Resending { case yes, no }
    private enum Choice {
        case resend
        case way(SCA.Verification)
        case refuse
    }

    /// The person picks a number, or presses Enter for the default. Any other input is asked for again.
    /// - Parameter enter: the effect of Enter, as the end of a sentence.
    private func pick(
        _ ways: [SCA.AvailableVerification], resending: Resending, enter: String
    ) throws -> Choice? {
        var choices: [(String, Choice)] = resending == .yes ? [("Send it again", .resend)] : []
        choices += ways.map { (Self.words($0.verification, $0.destination), .way($0.verification)) }
        choices.append(("Do not pay", .refuse))
        return try answers.choice(among: choices.map(\.0), terminal, enter: " \(enter)").map { choices[$0].1 }
    }

    // MARK: Asking

    /// - Throws: ``Failure``; the command withdraws a transfer that the person does not want.
    func ask(_ prompt: SCA.Prompt) throws -> SCA.Answer {
        try check(prompt.operation)
        // A page that opened again at once could not be left, nor could a question whose answer was no.
        if prompt.fault == .declined || prompt.fault == .unfinished && prompt.verification.channel == .redirect {
            return try afterDeclining(prompt)
        }
        if prompt.fault == .unfinished, prompt.verification == .push { return try afterWaiting(prompt) }
        if prompt.fault == nil {
            terminal.say("You are approving this payment:")
            Self.rows(prompt.operation).forEach { terminal.say("  \($0)") }
        }
        if let fault = prompt.fault { terminal.say(Self.words(fault, prompt)) }
        if let factor, prompt.remainingAttempts == nil, Self.name(prompt.verification) != factor {
            guard let other = prompt.alternatives.first(where: { Self.name($0.verification) == factor }) else {
                throw notOffered(factor, [prompt.verification] + prompt.alternatives.map(\.verification))
            }
            return .instead(other.verification)
        }
        switch prompt.verification {
        case .deviceBiometric, .devicePasskey: return Self.answer(to: prompt)
        case let page where page.channel == .redirect: return Self.answer(to: prompt)
        case .push:
            terminal.say(
                "Approve it on another device of yours: in its app, or see: wallet approvals list. Waiting for it; press Ctrl-C to stop."
            )
            return .elsewhere
        default: return try secret(prompt)
        }
    }

    /// Asks for a code or this device's PIN.
    private func secret(_ prompt: SCA.Prompt) throws -> SCA.Answer {
        let isPIN = prompt.verification == .devicePIN
        let name = isPIN ? "PIN" : Self.words(prompt.verification, prompt.challenge.destination)
        let others = answers.isPerson ? " (press Enter for other ways, or to cancel)" : ""
        let typed = try answers.next(asking: "\(name)\(others): ", shown: isPIN ? .hidden : .visible)
        guard typed.isEmpty else { return isPIN ? .pin(typed) : .code(typed) }
        let canResend = prompt.verification.sendsCode && prompt.challenge.resendAfter != nil
        return
            switch try pick(
                prompt.alternatives, resending: canResend ? .yes : .no,
                enter: "goes back to the \(isPIN ? "PIN" : "code")")
        {
        case .resend: .resend
        case .way(let other): .instead(other)
        case .refuse: throw Failure.notAgreed
        case nil: try secret(prompt)
        }
    }

    /// Asks a person how to go on. A script has named its only way.
    private func afterDeclining(_ prompt: SCA.Prompt) throws -> SCA.Answer {
        let isPage = prompt.verification.channel == .redirect
        guard factor == nil, answers.isPerson else { throw isPage ? Failure.leftPage : Failure.declinedHere }
        terminal.say(Self.words(prompt.fault ?? .unfinished, prompt))
        let enter = isPage ? "opens the page again" : "asks again"
        return switch try pick(prompt.alternatives, resending: .no, enter: enter) {
        case .way(let other): .instead(other)
        case .refuse: throw Failure.notAgreed
        case .resend, nil: Self.answer(to: prompt)
        }
    }

    /// The answer of a way that takes no code or PIN.
    private static func answer(to prompt: SCA.Prompt) -> SCA.Answer {
        switch prompt.verification {
        case .deviceBiometric: .biometrics(reason: "Pay \(words(prompt.operation))")
        case .devicePasskey: .passkey
        default: .page
        }
    }

    /// Asks a person how to go on. A script has named its only way, and waits until the payment expires.
    private func afterWaiting(_ prompt: SCA.Prompt) throws -> SCA.Answer {
        guard factor == nil, answers.isPerson else { return .elsewhere }
        terminal.say(Self.words(.unfinished, prompt))
        let canResend = prompt.challenge.resendAfter != nil
        return switch try pick(prompt.alternatives, resending: canResend ? .yes : .no, enter: "waits on") {
        case .way(let other): .instead(other)
        case .refuse: throw Failure.notAgreed
        case .resend: .resend
        case nil: .elsewhere
        }
    }

    /// Compares the operation the server presents with the requested one. If they differ, it was changed on the way.
    private func check(_ operation: SCA.Operation) throws {
        let isPayee = operation.payee.map { paid in
            paid.isCalled(payee) && (account.map { PayeeAccount($0) == PayeeAccount(paid.account) } ?? true)
        }
        let isOnePayment = Self.isOnePayment(operation.type)
        guard operation.amount == amount, isPayee == true, isOnePayment else {
            let words = isOnePayment ? Self.words(operation) : "\(operation.type): \(Self.words(operation))"
            throw Failure(
                code: "operation_differs", message: "you would approve \(words), which is not what you asked for",
                advice: "do not approve it; contact the wallet's issuer")
        }
    }

    /// Whether an operation has no effect beyond itself. A series, or trust in a payee, has the amount and payee of a transfer, and lets
    /// more payments through.
    static func isOnePayment(_ type: String) -> Bool {
        !WalletOperationType.withEffect.contains { $0.rawValue == type }
    }

    // MARK: Words

    /// The operation in one line.
    private static func words(_ operation: SCA.Operation) -> String { rows(operation).joined(separator: " ") }

    private static func rows(_ operation: SCA.Operation) -> [String] {
        [operation.amount?.words ?? "nothing"] + (operation.payee?.words ?? [])
            + operation.details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.quoted)" }
    }

    private static func words(_ fault: SCA.Fault, _ prompt: SCA.Prompt) -> String {
        words(
            fault, by: prompt.verification, remainingAttempts: prompt.remainingAttempts,
            resendAfter: prompt.challenge.resendAfter)
    }

    /// Why the person is asked again.
    static func words(
        _ fault: SCA.Fault, by way: SCA.Verification, remainingAttempts: Int?, resendAfter: Duration?
    ) -> String {
        let left =
            remainingAttempts.map { $0 == 1 ? " You have one attempt left." : " You have \($0) attempts left." }
            ?? ""
        return switch fault {
        case .wrongValue where way == .devicePIN: "That PIN is wrong.\(left)"
        case .wrongValue: "That code is wrong.\(left)"
        case .malformedValue: "That is not a valid code or PIN; it did not count as an attempt."
        case .codeExpired: "The code has expired: request a new one."
        case .codeUsed: "That code was already used: wait for the app's next one. It did not count as an attempt."
        case .noCodeLeft: "No more codes will be sent; the last one works until it expires."
        case .tooSoon: SentCode.tooSoon(resendAfter)
        case .declined where way.channel == .redirect: "You did not answer on the page."
        case .declined where way == .devicePasskey: "You did not agree, or this device has no passkey of yours."
        case .declined: "You did not confirm."
        case .unfinished where way == .push: "It is not approved yet."
        case .unfinished: "You left the page without approving the payment."
        }
    }

    private static func words(_ way: SCA.Verification, _ destination: String?) -> String {
        let place = destination.map { " to \($0)" } ?? ""
        return switch way {
        case .sms: "Code by SMS\(place)"
        case .email: "Code by e-mail\(place)"
        case .authenticator: "Code from your authenticator app"
        case .devicePIN: "This device's PIN"
        case .deviceBiometric: "Face or fingerprint on this device"
        case .devicePasskey: "This device's passkey"
        case .passkey: "Passkey, on a page"
        case .push: "Approval on another of your devices"
        case .password: "Password, on a page"
        case .hostedPIN: "PIN, on a page"
        default: "\(way.method.rawValue) by \(way.channel.rawValue)"
        }
    }

    /// The name of each method on the command line.
    static let names: [SCA.Verification: String] = [
        .sms: "sms", .email: "email", .authenticator: "authenticator", .devicePIN: "pin",
        .deviceBiometric: "biometric", .devicePasskey: "device-passkey", .passkey: "passkey", .push: "push",
        .password: "password",
        .hostedPIN: "account-pin",
    ]

    private static func name(_ way: SCA.Verification) -> String { names[way] ?? "" }

    func notOffered(_ factor: String, _ ways: [SCA.Verification]) -> Failure {
        let others = "use one of: \(ways.map(Self.name).joined(separator: ", "))"
        if var refusalOfPIN, factor == Self.names[.devicePIN] {
            refusalOfPIN.message += "; nothing was paid"
            refusalOfPIN.advice = "\(others); or \(refusalOfPIN.advice)"
            return refusalOfPIN
        }
        return Failure(
            code: "way_not_offered", message: "you cannot approve with \"\(factor)\" here", advice: others)
    }
}

extension Failure {
    /// The person refused.
    static let notAgreed = Failure(
        code: "not_agreed", message: "you did not approve it; nothing was paid", advice: "to pay, start a new transfer")

    /// The person cancelled on the page, or came back from it otherwise.
    static let leftPage = Failure(
        code: "not_agreed", message: "you did not approve it on the page; nothing was paid",
        advice: "to pay, start a new transfer")

    /// The person did not let this device approve, or it has no passkey.
    static let declinedHere = Failure(
        code: "not_agreed",
        message: "you did not agree to it, or this device has no passkey of yours; nothing was paid",
        advice: "to pay, start a new transfer")

    /// - Parameter ways: the names of the ways to approve.
    static func unanswerable(_ ways: [String]) -> Failure {
        Failure(
            code: "no_answer",
            message: "standard input cannot answer any of your ways to approve this; nothing was paid",
            advice: "leave out --answers-stdin, or name the way with --factor and answer it where it asks: "
                + ways.joined(separator: ", "))
    }
}
