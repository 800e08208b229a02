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
        /// The person must choose the number that the other device's page shows, or say that it is not them.
        case confirm = "CONFIRM"
        /// The person must enter the second factor. No earlier sign-in or PIN replaces this.
        case verifySecondFactor = "VERIFY_SECOND_FACTOR"
    }

    /// What is asked, by a flow of the SDK's or by a sign-in elsewhere.
    enum Question: Sendable {
        case flow(UserInteraction)
        case signIn(LoginFlow.Confirmation)
        case signInFactor(LoginFlow.SecondFactor)
    }

    let question: Question

    /// The kind of question.
    public var type: `Type` {
        switch question {
        case .flow(.chooseAccount): .chooseAccount
        case .flow(.confirmTransaction): .confirmTransaction
        case .flow(.verifySecondFactor), .signInFactor: .verifySecondFactor
        case .signIn: .confirm
        }
    }

    var choice: UserInteraction.AccountChoice? {
        if case .flow(.chooseAccount(let choice)) = question { choice } else { nil }
    }
    var confirmation: UserInteraction.Confirmation? {
        if case .flow(.confirmTransaction(let confirmation)) = question { confirmation } else { nil }
    }
    var secondFactor: UserInteraction.SecondFactor? {
        if case .flow(.verifySecondFactor(let factor)) = question { factor } else { nil }
    }
    private var loginConfirmation: LoginFlow.Confirmation? {
        if case .signIn(let confirmation) = question { confirmation } else { nil }
    }
    private var loginFactor: LoginFlow.SecondFactor? {
        if case .signInFactor(let factor) = question { factor } else { nil }
    }

    /// The sign-in to show, with its three numbers; nil for any other flow.
    public var signIn: ElsewhereSignIn? { loginConfirmation?.signIn ?? loginFactor?.signIn }

    /// The accounts to choose from, the last one signed in first.
    public var accounts: [Account] { choice?.accounts ?? [] }

    /// The transaction to show; nil for one that the app began.
    public var transaction: TransactionDetails? { confirmation?.details ?? secondFactor?.details }

    /// The second factors to ask for; nil if the question is another one.
    public var secondFactorInfo: InteractionSecondFactorInfo? {
        (secondFactor?.allowed ?? loginFactor?.allowed).map { allowed in
            InteractionSecondFactorInfo(allowedSecondFactors: allowed.map { .init($0) })
        }
    }

    /// The tries left and the fault of the last answer, for a second factor.
    var lastAnswer: (remainingAttempts: Int?, fault: UserInteraction.SecondFactor.Fault?)? {
        secondFactor.map { ($0.remainingAttempts, $0.fault) } ?? loginFactor.map { ($0.remainingAttempts, $0.fault) }
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

    /// Says which number is on the other device's page. A wrong one ends the sign-in.
    /// - Parameter number: one of ``signIn``'s numbers, as the person chose it.
    public func choose(number: Int) { loginConfirmation?.answer(.number(number)) }

    /// Rejects the transaction or the sign-in for the person, and tells the server. This takes no second factor.
    /// - Parameter reason: the person's reason; a sign-in has none.
    public func reject(_ reason: RejectionReason = .unexpected) {
        confirmation?.reject(reason)
        loginConfirmation?.answer(.rejected)
    }

    /// Signs with this device's PIN. A wrong one costs one of five tries, and the flow asks again.
    /// - Parameter pin: the PIN as the person typed it.
    public func inputSecondFactor(_ pin: String) {
        secondFactor?.pin(pin)
        loginFactor?.answer(.pin(pin))
    }

    /// Signs after a face or fingerprint check.
    /// - Parameter reason: shown in the device's prompt, in the person's language. Name amount and payee.
    public func inputSecondFactor(biometrics reason: String) {
        secondFactor?.biometrics(reason: reason)
        loginFactor?.answer(.biometrics(reason))
    }

    /// Cancels the flow without telling the server.
    public func cancel() {
        choice?.cancel()
        confirmation?.cancel()
        secondFactor?.cancel()
        loginConfirmation?.answer.cancel()
        loginFactor?.answer.cancel()
    }
}
