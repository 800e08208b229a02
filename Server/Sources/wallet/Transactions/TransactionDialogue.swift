import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// Follows a flow on the terminal: shows what is signed, asks, and tells how it ended.
struct TransactionDialogue: Sendable {
    /// The PIN, and the answers of a person.
    let answers: Answers
    let terminal: Terminal
    let decision: Decision
    /// The factor to sign with; nil for the PIN where it is allowed.
    let factor: TransactionFactor?
    /// Who signs; nil for the person's choice.
    let account: AccountID?
    /// The accounts of this device, by whose names a person knows them.
    let accounts: [Wallet.EnrolledAccount]

    /// The answer to what is shown.
    enum Decision: Sendable {
        /// The person's.
        case ask
        /// Yes, for a script.
        case agree
        /// No.
        case reject(RejectionReason)
    }

    /// Follows a flow to its end.
    /// - Throws: ``Failure``, `WalletError`.
    func follow(_ flow: Flow) async throws -> SigningReport {
        for await update in flow {
            switch update.state {
            case .processing: continue
            case .waitForInput(.chooseAccount(let choice)): choice.choose(try choose(choice.accounts))
            case .waitForInput(.confirmTransaction(let question)): try confirm(question)
            case .waitForInput(.verifySecondFactor(let question)): try prove(question)
            case .done(let signed): return SigningReport(signed)
            case .rejected(let reason): return SigningReport(rejected: reason)
            case .failed(let error): throw error
            }
        }
        throw CancellationError()
    }

    // MARK: Asking

    private func choose(_ accounts: [Wallet.EnrolledAccount]) throws -> Wallet.EnrolledAccount {
        terminal.say("This device has several accounts. Who signs?")
        for (number, account) in accounts.enumerated() {
            terminal.say("  \(number + 1)  \(account.username ?? account.id.rawValue)")
        }
        let person = Answers.person(instead: "--account NAME")
        while true {
            let typed = try person.next(asking: "Number: ", shown: .visible)
            if let number = Int(typed), accounts.indices.contains(number - 1) { return accounts[number - 1] }
            terminal.say("Type a number from 1 to \(accounts.count).")
        }
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

    /// Why the person rejects. The shop may take "unexpected" for a fraud, so it is sent only where the person says it.
    private func reason(from person: Answers) throws -> RejectionReason {
        terminal.say("Why not? The shop reads the reason.")
        let reasons = RejectionReason.allCases
        for (number, reason) in reasons.enumerated() { terminal.say("  \(number + 1)  \(Self.words(reason))") }
        while true {
            let typed = try person.next(
                asking: "Number (Enter alone: \(Self.words(.other).lowercased())): ", shown: .visible)
            if typed.isEmpty { return .other }
            if let number = Int(typed), reasons.indices.contains(number - 1) { return reasons[number - 1] }
            terminal.say("Type a number from 1 to \(reasons.count).")
        }
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
        let chosen = factor ?? question.allowed.first ?? .pin
        guard question.allowed.contains(chosen) else {
            let able = question.allowed.map { $0.rawValue.lowercased() }.joined(separator: " or ")
            throw Failure(
                code: "second_factor_unavailable",
                message: "this cannot be signed by \(chosen.rawValue.lowercased()) here",
                advice: "leave --by out: you can sign by \(able)")
        }
        switch chosen {
        case .pin:
            // A file holds one PIN: what was wrong once is wrong again, and costs a try.
            if case .given = answers, question.fault != nil { throw Failure.wrongPIN(question.remainingAttempts) }
            question.pin(try answers.next(asking: "PIN: ", shown: .hidden))
        case .biometric:
            question.biometrics(reason: question.details?.words.joined(separator: ", ") ?? "Sign")
        }
    }

    private static func words(_ fault: UserInteraction.SecondFactor.Fault, _ left: Int?) -> String {
        switch fault {
        case .pinFailed:
            "The PIN is wrong.\(left.map { $0 == 1 ? " One try is left." : " \($0) tries are left." } ?? "")"
        case .pinMalformed: "No PIN looks like this; it cost no try."
        case .pinRemoved: "This device's PIN cannot be used any more."
        case .biometricsDeclined: "You did not confirm."
        case .biometricsLockedOut: "The sensor is locked."
        case .biometricsRemoved: "What this device knows you by has changed."
        }
    }
}

extension TransactionDetails {
    /// What the person has to read, row by row. The payee's account is ahead of the name, which the payee chose, and what others
    /// wrote is in quotation marks: nothing in it passes for a row of its own.
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
    fileprivate static func wrongPIN(_ left: Int?) -> Failure {
        Failure(
            code: "invalid_credentials", message: "the PIN is wrong\(left.map { ": tries left: \($0)" } ?? "")",
            advice: "correct the file, and sign again")
    }
}
