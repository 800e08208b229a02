public import WalletAuth
import WalletAuthWire

/// A flow as it is now.
///
/// Differs from nextAuth: a rejected transaction ends with ``State/error`` and ``NextAuthError/Code/rejected``, so that
/// ``State/done`` always means a signature.
public struct FlowUpdate: Sendable {
    /// The kinds of flow: `SIGN_TRANSACTION`, and `LOGIN` for a sign-in in another device's browser. A sign-in in the app, enrollment and
    /// changes of the PIN are calls of `wallet`, and no flows.
    public typealias `Type` = WalletAuth.Flow.Kind

    /// The states of a flow.
    public enum State: String, Hashable, Sendable {
        /// The flow is working and needs no input.
        case processing = "PROCESSING"
        /// The flow waits for an answer to ``FlowUpdate/currentUserInteraction``.
        case waitForInput = "WAIT_FOR_INPUT"
        /// The transaction is signed.
        case done = "DONE"
        /// The flow ended without a signature, or without the answer that confirms one; see ``FlowUpdate/error``.
        case error = "ERROR"
    }

    /// The kind of flow.
    public let type: `Type`
    /// The state of the flow.
    public let state: State
    /// ``state``, by the name that the vendor's page prints where it says "as its State".
    public var itsState: State { state }
    /// The question that the flow asks.
    public private(set) var currentUserInteraction: CurrentUserInteraction?
    /// How the answer to the question before was received.
    public private(set) var previousInteractionResult: PreviousInteractionResult?
    /// What the server said about the second factor.
    public private(set) var secondFactorAccount: SecondFactorAccount?
    /// The transaction; nil until it is known, and for one that the app began.
    public private(set) var transaction: TransactionDetails?
    /// The signed transaction, by which the backend finds it.
    public private(set) var signedTransactionID: String?
    /// Why the flow ended without a signature.
    public private(set) var error: NextAuthError?

    var isLast: Bool { state == .done || state == .error }

    /// - Parameter asked: the question before.
    init(_ update: WalletAuth.FlowUpdate, after asked: CurrentUserInteraction.`Type`?) {
        type = update.kind
        switch update.state {
        case .processing: state = .processing
        case .waitForInput(let question):
            state = .waitForInput
            ask(CurrentUserInteraction(question: .flow(question)), after: asked)
        case .done(let signed):
            state = .done
            transaction = signed.details
            signedTransactionID = signed.id.rawValue
            previousInteractionResult = PreviousInteractionResult(of: asked, nil)
        case .rejected(let reason):
            state = .error
            error = NextAuthError(
                .rejected, .cancelledByPerson, during: .signTransaction, reachedServer: true,
                reason: "the person rejected the transaction (\(reason.rawValue)), and the server knows")
        case .failed(let failure):
            state = .error
            fail(failure)
        }
    }

    /// An update of a sign-in in another device's browser.
    init(_ step: LoginFlow.Step, after asked: CurrentUserInteraction.`Type`?) {
        type = .login
        switch step {
        case .processing: state = .processing
        case .asking(let question):
            state = .waitForInput
            ask(CurrentUserInteraction(question: question), after: asked)
        case .done(let id):
            state = .done
            signedTransactionID = id.rawValue
            previousInteractionResult = PreviousInteractionResult(of: asked, nil)
        case .failed(let failure):
            state = .error
            fail(failure)
        }
    }

    private mutating func ask(_ interaction: CurrentUserInteraction, after asked: CurrentUserInteraction.`Type`?) {
        currentUserInteraction = interaction
        transaction = interaction.transaction
        let last = interaction.lastAnswer
        previousInteractionResult = PreviousInteractionResult(of: asked, last?.fault)
        secondFactorAccount = last.map {
            SecondFactorAccount(remainingAttempts: $0.remainingAttempts, pinBlocked: false)
        }
    }

    private mutating func fail(_ failure: NextAuthError) {
        error = failure
        guard failure.code == .pinLocked || failure.code == .pinExhausted else { return }
        secondFactorAccount = SecondFactorAccount(remainingAttempts: 0, pinBlocked: true)
    }
}

/// How an answer was received.
public struct PreviousInteractionResult: Hashable, Sendable {
    /// The results.
    public enum `Type`: String, Hashable, Sendable {
        /// The answer was accepted.
        case success = "SUCCESS"
        /// The PIN was wrong and cost a try, or cannot be a PIN and cost none.
        case pinFail = "PIN_FAIL"
        /// This device's PIN can no longer be used. Another factor remains.
        case pinRemoved = "PIN_REMOVED"
        /// The person did not confirm by face or fingerprint.
        case biometricsFail = "BIOMETRICS_FAIL"
        /// The sensor is locked. Another factor remains.
        case biometricsLockedOut = "BIOMETRICS_LOCKED_OUT"
        /// This device's enrolled faces or fingerprints have changed. Another factor remains.
        case biometricsRemoved = "BIOMETRICS_REMOVED"
        /// The app's policy for biometric approvals requires the PIN first.
        case pinRequired = "PIN_REQUIRED"
    }

    /// The result.
    public let type: `Type`
    /// The question that was answered.
    public let interactionType: CurrentUserInteraction.`Type`

    /// Nil if there was no question.
    fileprivate init?(of question: CurrentUserInteraction.`Type`?, _ fault: UserInteraction.SecondFactor.Fault?) {
        guard let question else { return nil }
        interactionType = question
        type =
            switch fault {
            case nil: .success
            case .pinFailed, .pinMalformed: .pinFail
            case .pinRemoved: .pinRemoved
            case .biometricsDeclined: .biometricsFail
            case .biometricsLockedOut: .biometricsLockedOut
            case .biometricsRemoved: .biometricsRemoved
            case .pinRequired: .pinRequired
            }
    }
}

/// What the server said about an account's second factor.
public struct SecondFactorAccount: Hashable, Sendable {
    /// The PIN tries left after a wrong one.
    public let remainingAttempts: Int?
    /// Whether the PIN is locked.
    public let pinBlocked: Bool
}
