public import Foundation
public import Observation
public import WalletAuth
import WalletAuthWire

/// The signing of a transaction as a screen shows it: read, confirm, prove, done.
/// `TransactionSheet` shows it.
@Observable @MainActor
public final class TransactionModel {
    /// Answers a question with the PIN that was typed.
    public typealias PINAnswer = @Sendable (UserInteraction.SecondFactor, String) -> Void

    /// The step that the screen shows.
    public private(set) var phase = TransactionPhase.idle
    /// What the person signs; nil before it is read, and for a transaction that the app began.
    public private(set) var summary: PaymentSummary?
    /// The question for the second factor.
    public private(set) var question: VerificationQuestion?
    /// The accounts to choose from.
    public private(set) var accounts: [VerificationQuestion.Alternative] = []
    /// The text of the field for the PIN; empty again once it is answered.
    public var input = ""
    /// The error that ended it.
    public private(set) var error: WalletError?
    /// The signed transaction.
    public private(set) var signed: SignedTransaction?
    /// Whether the person said that they did not start this.
    public private(set) var isDisowned = false

    /// Whether the person cancelled: the screen is closed while the flow still ends.
    private var isCancelled = false
    @ObservationIgnored private var interaction: UserInteraction?
    private let pin: PINAnswer?
    let texts: ScreenTexts
    private let locale: Locale

    /// Creates a model that signs nothing yet.
    /// - Parameters:
    ///   - pin: answers with this device's PIN: `{ $0.pin($1) }` in a file that imports WalletAuthPIN; nil if the app has no
    ///     PIN, which is then not asked for.
    ///   - messages: the texts of the errors and labels.
    ///   - languages: the person's languages in order of preference (BCP 47).
    ///   - locale: how amounts are written.
    public init(
        pin: PINAnswer? = nil, messages: UserErrorMessages = .builtIn,
        languages: [String] = Locale.preferredLanguages, locale: Locale = .current
    ) {
        self.pin = pin
        self.locale = locale
        texts = ScreenTexts(messages: messages, languages: languages)
    }

    /// Signs the transaction of a QR code or link, and returns once it is over.
    /// - Parameters:
    ///   - link: the text of the QR code, or the link.
    ///   - wallet: the wallet.
    public func sign(_ link: String, with wallet: Wallet) async {
        await sign { try wallet.flows.start(with: link) }
    }

    /// Signs a transaction that waits on this device, and returns once it is over.
    /// - Parameters:
    ///   - transaction: one of `Wallet.Transactions.pending()`.
    ///   - wallet: the wallet.
    public func sign(_ transaction: PendingTransaction, with wallet: Wallet) async {
        await sign { try wallet.flows.start(pending: transaction) }
    }

    private func sign(_ start: () throws -> Flow) async {
        let flow: Flow
        do { flow = try start() } catch {
            // The wallet signs one at a time: the screen goes on with the one that it shows.
            guard interaction == nil, phase != .working else { return }
            reset()
            end(error as? WalletError)
            return
        }
        await follow(flow)
    }

    /// Shows a flow, and returns once it is over. Cancelling the task cancels the flow.
    /// - Parameter flow: the flow, which no one else reads.
    public func follow(_ flow: Flow) async {
        reset()
        for await update in flow { show(update.state) }
        (interaction, input) = (nil, "")
        switch phase {
        case .signed, .alreadySigned, .rejected, .failed: break
        // Its task was cancelled.
        case .idle, .working, .choosingAccount, .confirming, .verifying: phase = .idle
        }
    }

    // MARK: The person's answers

    /// Continues with an account.
    /// - Parameter account: one of ``accounts``.
    public func choose(_ account: VerificationQuestion.Alternative) {
        guard case .chooseAccount(let choice) = interaction,
            let chosen = choice.accounts.first(where: { $0.id.rawValue == account.id })
        else { return }
        answered { choice.choose(chosen) }
    }

    /// Confirms what the person has read. The second factor comes next.
    public func confirm() {
        guard case .confirmTransaction(let confirmation) = interaction else { return }
        answered { confirmation.confirm() }
    }

    /// Rejects the transaction, and tells the server why.
    /// - Parameter reason: the person's reason. After `.unexpected`, the screen says what to do next.
    public func reject(_ reason: RejectionReason) {
        guard case .confirmTransaction(let confirmation) = interaction else { return }
        isDisowned = reason == .unexpected
        answered { confirmation.reject(reason) }
    }

    /// Answers with the PIN that was typed.
    public func submit() {
        guard case .verifySecondFactor(let factor) = interaction, question?.kind == .pin, let pin else { return }
        answered { [input] in pin(factor, input) }
    }

    /// Answers with face or fingerprint. The device's prompt names the operation, amount and payee.
    public func useBiometrics() {
        guard case .verifySecondFactor(let factor) = interaction else { return }
        answered { factor.biometrics(reason: summary?.reason ?? texts(.confirmBiometrics)) }
    }

    /// Switches to the other factor.
    /// - Parameter alternative: one of the question's.
    public func use(_ alternative: VerificationQuestion.Alternative) {
        guard case .verifySecondFactor(let factor) = interaction,
            let chosen = usable(factor).first(where: { $0.rawValue == alternative.id })
        else { return }
        question = VerificationQuestion(
            chosen, among: usable(factor), fault: texts.fault(factor.fault), attemptsLeft: factor.remainingAttempts,
            texts: texts)
        input = ""
    }

    /// Cancels without telling the server: the transaction stays open until it expires.
    public func cancel() {
        if interaction != nil { isCancelled = true }
        switch interaction {
        case .chooseAccount(let choice): answered { choice.cancel() }
        case .confirmTransaction(let confirmation): answered { confirmation.cancel() }
        case .verifySecondFactor(let factor): answered { factor.cancel() }
        case nil: if phase != .working { phase = .idle }
        }
    }

    /// Whether the screen is shown. Dismissing it cancels an open question.
    public var isPresented: Bool {
        get { phase != .idle && !isCancelled }
        set { if !newValue { cancel() } }
    }

    /// The text of the error that ended it.
    public var message: String? { error.flatMap { texts.text(of: $0) } }

    // MARK: The flow

    private func reset() {
        (phase, summary, question, accounts, signed) = (.working, nil, nil, [], nil)
        (error, interaction, isDisowned, isCancelled, input) = (nil, nil, false, false, "")
    }

    private func answered(_ answer: () -> Void) {
        interaction = nil
        input = ""
        phase = .working
        answer()
    }

    private func show(_ state: FlowUpdate.State) {
        switch state {
        case .processing: phase = .working
        case .waitForInput(let asked): ask(asked)
        case .done(let transaction):
            signed = transaction
            phase = .signed
        case .rejected: phase = .rejected
        case .failed(let error): end(error)
        }
    }

    private func ask(_ asked: UserInteraction) {
        interaction = asked
        switch asked {
        case .chooseAccount(let choice):
            accounts = choice.accounts.map { .init(id: $0.id.rawValue, label: $0.username ?? $0.id.rawValue) }
            phase = .choosingAccount
        case .confirmTransaction(let confirmation):
            summary = PaymentSummary(confirmation.details, locale: locale, texts: texts)
            phase = .confirming
        case .verifySecondFactor(let factor):
            guard let first = usable(factor).first else { return factor.cancel() }
            question = VerificationQuestion(
                first, among: usable(factor), fault: texts.fault(factor.fault), attemptsLeft: factor.remainingAttempts,
                texts: texts)
            input = ""
            phase = .verifying
        }
    }

    /// The factors that the app has a screen for.
    private func usable(_ factor: UserInteraction.SecondFactor) -> [TransactionFactor] {
        factor.allowed.filter { $0 != .pin || pin != nil }
    }

    private func end(_ error: WalletError?) {
        input = ""
        guard let error, error.outcome != .cancelledByPerson else {
            phase = .idle
            return
        }
        self.error = error
        let isSigned = error.transactionStatus == .signed || error.code == .draftUsed
        phase = isSigned ? .alreadySigned : .failed
    }
}
