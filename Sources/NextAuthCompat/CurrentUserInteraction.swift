import WalletAuth
import WalletAuthPIN
public import WalletAuthWire

/// A question of a flow to the person. The first answer counts; an answer to another kind of question does nothing.
public struct CurrentUserInteraction: Sendable {
    /// The kinds of question.
    public enum `Type`: String, Hashable, Sendable {
        /// Several accounts on this device could sign.
        case chooseAccount = "CHOOSE_ACCOUNT"
        /// The person must read the transaction, and confirm or reject it.
        case confirmTransaction = "CONFIRM_TRANSACTION"
        /// The person must enter the second factor. No earlier sign-in or PIN replaces this.
        case verifySecondFactor = "VERIFY_SECOND_FACTOR"
    }

    let question: UserInteraction

    /// The kind of question.
    public var type: `Type` {
        switch question {
        case .chooseAccount: .chooseAccount
        case .confirmTransaction: .confirmTransaction
        case .verifySecondFactor: .verifySecondFactor
        }
    }

    /// The accounts to choose from, the last one signed in first.
    public var accounts: [Account] {
        guard case .chooseAccount(let choice) = question else { return [] }
        return choice.accounts.map { Account($0) }
    }

    /// The transaction to show; nil for one that the app began.
    public var transaction: TransactionInfo? {
        switch question {
        case .chooseAccount: nil
        case .confirmTransaction(let question): TransactionInfo(question.details)
        case .verifySecondFactor(let question): question.details.map { TransactionInfo($0) }
        }
    }

    /// The second factors to ask for; nil if the question is another one.
    public var secondFactorInfo: InteractionSecondFactorInfo? {
        guard case .verifySecondFactor(let question) = question else { return nil }
        return InteractionSecondFactorInfo(allowedSecondFactors: question.allowed.map { .init($0) })
    }

    /// The second factors that the transaction allows and this device has, the PIN first.
    public var allowedSecondFactors: [InteractionSecondFactorInfo.SecondFactorType] {
        secondFactorInfo?.allowedSecondFactors ?? []
    }
}

// MARK: - Answers

extension CurrentUserInteraction {
    /// Chooses the account that signs.
    /// - Parameter account: one of ``accounts``.
    public func choose(_ account: Account) {
        if case .chooseAccount(let choice) = question { choice.choose(account.enrolled) }
    }

    /// Confirms the transaction for the person. The second factor comes next.
    public func confirm() { if case .confirmTransaction(let question) = question { question.confirm() } }

    /// Rejects the transaction for the person, and tells the server. This takes no second factor.
    /// - Parameter reason: the person's reason.
    public func reject(_ reason: RejectionReason = .unexpected) {
        if case .confirmTransaction(let question) = question { question.reject(reason) }
    }

    /// Signs with this device's PIN. A wrong one costs one of five tries, and the flow asks again.
    /// - Parameter pin: the PIN as the person typed it.
    public func inputSecondFactor(_ pin: String) {
        if case .verifySecondFactor(let question) = question { question.pin(pin) }
    }

    /// Signs after a face or fingerprint check.
    /// - Parameter reason: shown in the device's prompt, in the person's language. Name amount and payee.
    public func inputSecondFactor(biometrics reason: String) {
        if case .verifySecondFactor(let question) = question { question.biometrics(reason: reason) }
    }

    /// Cancels the flow without telling the server.
    public func cancel() {
        switch question {
        case .chooseAccount(let choice): choice.cancel()
        case .confirmTransaction(let question): question.cancel()
        case .verifySecondFactor(let question): question.cancel()
        }
    }
}
