import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// Runs a transaction flow on the terminal: shows the content, asks for the decision and the factor, and reports the
/// end.
///
/// This folder owns the commands and the dialogue for signing transactions. The flow is the SDK's.
struct TransactionDialogue: Sendable {
    /// The source of the PIN and of a person's answers.
    let answers: Answers
    let terminal: Terminal
    let decision: Decision
    /// The factor; nil takes the PIN where it is allowed.
    let factor: TransactionFactor?
    /// The signing account; nil lets the person choose.
    let account: AccountID?
    /// The accounts of this device, with the names people know.
    let accounts: [Wallet.EnrolledAccount]

    /// The decision about the content shown.
    enum Decision: Sendable {
        /// Ask the person.
        case ask
        /// Agree, for scripts.
        case agree
        case reject(RejectionReason)
    }

    /// Runs a flow to its end.
    /// - Throws: ``Failure``, also if the person answers no; `WalletError`.
    func follow(_ flow: Flow) async throws -> SigningReport {
        for await update in flow {
            switch update.state {
            case .processing: continue
            case .waitForInput(.chooseAccount(let choice)): choice.choose(try choose(choice.accounts))
            case .waitForInput(.confirmTransaction(let question)): try confirm(question)
            case .waitForInput(.verifySecondFactor(let question)): try prove(question)
            case .done(let signed): return SigningReport(signed)
            case .rejected(let reason):
                // A script that asked for a signature must not take the answer "no" for one.
                guard case .reject = decision else { throw Failure.rejected }
                return SigningReport(rejected: reason)
            case .failed(let error): throw error
            }
        }
        throw CancellationError()
    }

    // MARK: Asking

    private func choose(_ accounts: [Wallet.EnrolledAccount]) throws -> Wallet.EnrolledAccount {
        terminal.say("This device has several accounts. Who signs?")
        let names = accounts.map { $0.username ?? $0.id.rawValue }
        guard let chosen = try Answers.person(instead: "--account NAME").choice(among: names, terminal) else {
            throw CancellationError()
        }
        return accounts[chosen]
    }

    private func confirm(_ question: UserInteraction.Confirmation) throws {
        terminal.say("You are asked to sign:")
        question.details.words.forEach { terminal.say("  \($0)") }
        terminal.say("  for \(name(of: question.details.account))")
        switch decision {
        case .agree: question.confirm()
        case .reject(let reason): question.reject(reason)
        case .ask:
            let person = Answers.person(instead: "--yes, or: wallet transactions reject")
            while true {
                switch try person.next(asking: "Sign this? (yes/no) ", shown: .visible).lowercased() {
                case "yes", "y": return question.confirm()
                case "no", "n": return question.reject(try reason(from: person))
                default: terminal.say("Type yes or no.")
                }
            }
        }
    }

    /// The reason of a rejection. The shop may treat "unexpected" as fraud, so it is sent only if the person chose it.
    private func reason(from person: Answers) throws -> RejectionReason {
        terminal.say("Why not? The shop will see the reason.")
        let reasons = RejectionReason.allCases
        let other = Self.words(.other).lowercased()
        let chosen = try person.choice(among: reasons.map(Self.words), terminal, enter: ": \(other)")
        return chosen.map { reasons[$0] } ?? .other
    }

    private static func words(_ reason: RejectionReason) -> String {
        switch reason {
        case .wrongData: "The data is wrong"
        case .unexpected: "I did not expect this"
        case .other: "Another reason"
        }
    }

    private func name(of account: AccountID) -> String {
        accounts.first { $0.id == account }?.username ?? account.rawValue
    }

    private func prove(_ question: UserInteraction.SecondFactor) throws {
        if let fault = question.fault { terminal.say(Self.words(fault, question.remainingAttempts)) }
        let chosen = factor ?? Self.usual(of: question.allowed)
        guard question.allowed.contains(chosen) else {
            let able = question.allowed.map { $0.rawValue.lowercased() }.joined(separator: " or ")
            throw Failure(
                code: "second_factor_unavailable",
                message: "this cannot be signed with \(chosen.rawValue.lowercased()) here",
                advice: "omit --factor: you can sign with \(able)")
        }
        switch chosen {
        case .pin:
            // A file contains a single PIN. Sending a wrong one again would only cost an attempt.
            if case .given = answers, question.fault != nil { throw Failure.wrongPIN(question.remainingAttempts) }
            guard let pin = try answers.pin() else {
                question.cancel()
                throw Failure.notSigned
            }
            question.pin(pin)
        case .biometric:
            question.biometrics(reason: question.details?.words.joined(separator: ", ") ?? "Sign")
        }
    }

    /// The factor to use if the person names none. This terminal asks for a PIN, whatever order the server lists.
    static func usual(of allowed: [TransactionFactor]) -> TransactionFactor {
        allowed.contains(.pin) ? .pin : allowed.first ?? .pin
    }

    private static func words(_ fault: UserInteraction.SecondFactor.Fault, _ left: Int?) -> String {
        switch fault {
        case .pinFailed:
            "The PIN is wrong.\(left.map { $0 == 1 ? " You have one attempt left." : " You have \($0) attempts left." } ?? "")"
        case .pinMalformed: "That is not a valid PIN; it did not count as an attempt."
        case .pinRemoved: "This device's PIN can no longer be used."
        case .biometricsDeclined: "You did not confirm."
        case .biometricsLockedOut: "The sensor is locked."
        case .pinRequired: "Type your PIN first."
        case .biometricsRemoved: "The face or fingerprints on this device have changed."
        }
    }
}

extension TransactionDetails {
    /// The content for the person, line by line. The payee's account comes before the name, which the payee chose. Text
    /// from others is in quotation marks, so that it cannot imitate a line.
    var words: [String] {
        [OperationDescription.kind(type)]
            + fields.flatMap { field in
                switch field.content {
                case .amount(let amount): [amount.words]
                case .payee(let payee): payee.words
                case .line(let line): ["\(line.label.quoted): \(line.value.quoted)"]
                }
            }
    }
}

extension Failure {
    fileprivate static let rejected = Failure(
        code: notAgreed.code, message: "you rejected it; nothing was signed", advice: "to sign, ask for a new code")

    /// The transaction stays open.
    fileprivate static let notSigned = Failure(
        code: notAgreed.code, message: "you did not sign it",
        advice: "to sign it, start again; if you did not expect it, stop it: wallet transactions reject")

    fileprivate static func wrongPIN(_ left: Int?) -> Failure {
        Failure(
            code: "invalid_credentials", message: "the PIN is wrong\(left.map { ": attempts left: \($0)" } ?? "")",
            advice: "correct the file, and sign again")
    }
}
