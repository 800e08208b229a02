public import WalletAuth
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

    var choice: UserInteraction.AccountChoice? { if case .chooseAccount(let choice) = question { choice } else { nil } }
    var confirmation: UserInteraction.Confirmation? {
        if case .confirmTransaction(let confirmation) = question { confirmation } else { nil }
    }
    var secondFactor: UserInteraction.SecondFactor? {
        if case .verifySecondFactor(let factor) = question { factor } else { nil }
    }

    /// The accounts to choose from, the last one signed in first.
    public var accounts: [Account] { choice?.accounts ?? [] }

    /// The transaction to show; nil for one that the app began.
    public var transaction: TransactionDetails? { confirmation?.details ?? secondFactor?.details }

    /// The second factors to ask for; nil if the question is another one.
    public var secondFactorInfo: InteractionSecondFactorInfo? {
        secondFactor.map { InteractionSecondFactorInfo(allowedSecondFactors: $0.allowed.map { .init($0) }) }
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
    public func choose(_ account: Account) { choice?.choose(account) }

    /// Confirms the transaction for the person. The second factor comes next.
    public func confirm() { confirmation?.confirm() }

    /// Rejects the transaction for the person, and tells the server. This takes no second factor.
    /// - Parameter reason: the person's reason.
    public func reject(_ reason: RejectionReason = .unexpected) { confirmation?.reject(reason) }

    /// Signs with this device's PIN. A wrong one costs one of five tries, and the flow asks again.
    /// - Parameter pin: the PIN as the person typed it.
    public func inputSecondFactor(_ pin: String) { secondFactor?.pin(pin) }

    /// Signs after a face or fingerprint check.
    /// - Parameter reason: shown in the device's prompt, in the person's language. Name amount and payee.
    public func inputSecondFactor(biometrics reason: String) { secondFactor?.biometrics(reason: reason) }

    /// Cancels the flow without telling the server.
    public func cancel() {
        choice?.cancel()
        confirmation?.cancel()
        secondFactor?.cancel()
    }
}
