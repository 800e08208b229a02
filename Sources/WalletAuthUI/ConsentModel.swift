public import Observation
public import WalletAuth
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A payment's consent as a screen shows it, one at a time: what the person agrees to, and the question of the moment.
///
/// ``perform(_:with:)`` sends the request, and `ConsentSheet` appears if its backend requires the person's consent.
@Observable @MainActor
public final class ConsentModel {
    /// The step that the screen shows.
    public private(set) var phase = ConsentPhase.idle
    /// What the person agrees to; nil before a question.
    public private(set) var summary: PaymentSummary?
    /// The question; nil before one.
    public private(set) var question: VerificationQuestion?
    /// The text of the field for a code or a PIN; empty again once it is answered.
    public var input = ""
    /// The error that ended the consent or the request.
    public private(set) var error: WalletError?
    /// Whether the person said that they did not start this.
    public private(set) var isDisowned = false
    /// The app, device or browser that asked for it; nil for a payment of this app, and if the server does not say.
    public private(set) var requester: String?

    /// What the person answered.
    private enum Reply: Sendable {
        case answer(SCA.Answer)
        case use(SCA.Verification)
        case decline
        case disown
    }

    /// The request whose consent is asked for.
    @ObservationIgnored private var asking: UUID?
    @ObservationIgnored private var alternatives: [SCA.Verification] = []
    /// Until when it can be approved.
    @ObservationIgnored private var expiry: Date?
    /// Tells the server that the person did not start what was asked for last.
    @ObservationIgnored private var stop: (@Sendable () async throws -> Void)?
    @ObservationIgnored private var waiting: (id: UUID, continuation: CheckedContinuation<Reply, any Error>)?
    private let pin: (@Sendable (String) -> SCA.Answer)?
    let texts: ScreenTexts
    private let locale: Locale

    /// Creates a model that asks nothing yet.
    /// - Parameters:
    ///   - pin: answers with this device's PIN: `{ .pin($0) }` in a file that imports WalletAuthPIN; nil if the app has no
    ///     PIN, which is then not asked for.
    ///   - messages: the texts of the errors and labels.
    ///   - languages: the person's languages in order of preference (BCP 47).
    ///   - locale: how amounts are written.
    public init(
        pin: (@Sendable (String) -> SCA.Answer)? = nil, messages: UserErrorMessages = .builtIn,
        languages: [String] = Locale.preferredLanguages, locale: Locale = .current
    ) {
        self.pin = pin
        self.locale = locale
        texts = ScreenTexts(messages: messages, languages: languages)
    }

    /// Sends a request, asking the person for their consent if its backend requires it.
    /// - Parameters:
    ///   - request: as in `Wallet.perform(_:onSCA:choosing:)`.
    ///   - wallet: the wallet.
    /// - Returns: the response, whatever its status.
    /// - Throws: what `Wallet.perform(_:onSCA:choosing:)` throws.
    public func perform(_ request: URLRequest, with wallet: Wallet) async throws -> (Data, HTTPURLResponse) {
        try await run(of: wallet) { try await wallet.perform(request, onSCA: $0) }
    }

    /// Continues a consent that the app's end interrupted.
    /// - Parameters:
    ///   - pending: one of `Wallet.pendingSCA`.
    ///   - wallet: the wallet.
    /// - Returns: the response, whatever its status.
    /// - Throws: what `Wallet.resume(_:onSCA:choosing:)` throws.
    public func resume(_ pending: SCA.Pending, with wallet: Wallet) async throws -> (Data, HTTPURLResponse) {
        try await run(of: wallet) { try await wallet.resume(pending, onSCA: $0) }
    }

    /// Asks the person about a payment that was begun on another device or in a browser, and returns once it is over.
    /// - Parameters:
    ///   - payment: one of `Wallet.Transactions.pending()`.
    ///   - wallet: the wallet.
    public func approve(_ payment: PendingPayment, with wallet: Wallet) async {
        // One consent at a time: the payment waits until the person opens it again.
        guard asking == nil else { return }
        let (run, transactions) = (UUID(), wallet.transactions)
        begin(run, payment.operation, requester: payment.requester.map { texts.name(of: $0) }) {
            try await transactions.reject(payment)
        }
        do {
            var approval = PendingPaymentQuestion(payment, usable: payment.availableVerifications.filter(isUsable))
            while !approval.isVerified {
                switch try await reply(to: approval.question(texts), instead: approval.alternatives) {
                case .answer(let answer): try await approval.submit(answer, to: transactions, texts)
                case .use(let way): approval.use(way)
                case .disown:
                    try await transactions.reject(payment)
                    throw PendingPaymentQuestion.declined
                case .decline: throw PendingPaymentQuestion.declined
                }
            }
            end(run, nil)
        } catch { end(run, error) }
    }

    // MARK: The person's answers

    /// Answers with what was typed: the code, or the PIN.
    public func submit() {
        switch question?.kind {
        case .code: answer(.answer(.code(input)))
        case .pin: if let pin { answer(.answer(pin(input))) }
        case .biometrics, .page, .elsewhere, nil: break
        }
    }

    /// Answers with face or fingerprint. The device's prompt names the operation, amount and payee.
    public func useBiometrics() {
        answer(.answer(.biometrics(reason: summary?.reason ?? texts(.confirmBiometrics))))
    }

    /// Opens the hosted page.
    public func openPage() { answer(.answer(.page)) }

    /// Waits for the approval on another device.
    public func waitElsewhere() { answer(.answer(.elsewhere)) }

    /// Has a new code or another push message sent.
    public func resend() { answer(.answer(.resend)) }

    /// Switches to another way.
    /// - Parameter alternative: one of the question's.
    public func use(_ alternative: VerificationQuestion.Alternative) {
        guard let way = alternatives.first(where: { $0.id == alternative.id }) else { return }
        answer(.use(way))
    }

    /// Declines for a person who does not want this, or did not start it.
    /// - Parameter isDisowned: whether the person did not start it. The server then ends it for good, and the screen says what to do
    ///   next. If the server cannot be reached, it ends as ``ConsentPhase/failed``, and ``message`` says how long it can be approved.
    public func decline(isDisowned: Bool = false) {
        guard waiting != nil else { return }
        self.isDisowned = isDisowned
        answer(isDisowned ? .disown : .decline)
        // A person who does not want it need not wait: nothing is sent.
        if !isDisowned { phase = .declined }
    }

    /// Whether the person did not start it, and the server may not know: the screen offers ``disownAgain()``.
    public var isNotStopped: Bool {
        guard phase == .failed, isDisowned else { return false }
        return switch error?.outcome {
        // The session is over, and with it what could be approved in it, or can no longer be reached from here.
        case .signedOut, .keyLost: false
        // The server knows of nothing that could still be approved.
        default: error?.code != .dataError && error?.code != .eventNotFound
        }
    }

    /// Tells the server again that the person did not start it. It ends as ``decline(isDisowned:)`` does.
    public func disownAgain() async {
        guard isNotStopped, let stop else { return }
        let run = UUID()
        (asking, error, phase) = (run, nil, .checking)
        do {
            try await stop()
            (asking, phase) = (nil, .declined)
        } catch {
            end(run, error)
        }
    }

    /// Whether the screen is shown. Dismissing it declines an open question.
    public var isPresented: Bool {
        get {
            switch phase {
            case .idle, .approved: false
            case .asking, .checking, .failed: true
            case .declined: isDisowned
            }
        }
        set { if !newValue { dismiss() } }
    }

    /// Closes the screen; declines an open question.
    public func dismiss() {
        switch phase {
        case .asking: decline()
        case .checking: break
        case .idle, .approved, .declined, .failed: phase = .idle
        }
    }

    /// The text of the error that ended it: what went wrong, or that it could not be stopped yet.
    public var message: String? {
        guard isNotStopped, let expiry else { return error.flatMap { texts.text(of: $0) } }
        let time = expiry.formatted(Date.FormatStyle(date: .omitted, time: .shortened, locale: locale))
        return texts(.notStopped, ["time": time])
    }

    // MARK: The run

    private func run(
        of wallet: Wallet, _ work: (@escaping SCA.Handler) async throws -> (Data, HTTPURLResponse)
    ) async throws -> (Data, HTTPURLResponse) {
        let run = UUID()
        do {
            let answer = try await work { [self] in try await ask($0, in: run, of: wallet) }
            end(run, nil)
            return answer
        } catch {
            end(run, error)
            throw error
        }
    }

    private func end(_ run: UUID, _ failure: (any Error)?) {
        // A request that asked nothing is the app's own to show.
        guard asking == run else { return }
        (asking, alternatives, input) = (nil, [], "")
        switch failure {
        case nil: phase = .approved
        case let failure as WalletError where failure.outcome == .cancelledByPerson: phase = .declined
        case let failure as WalletError: (error, phase) = (failure, .failed)
        // Also if its task was cancelled: what the person did not start must not seem to be stopped.
        default: phase = isDisowned ? .failed : .idle
        }
    }

    private func ask(_ prompt: SCA.Prompt, in run: UUID, of wallet: Wallet) async throws -> SCA.Answer {
        guard asking == nil || asking == run else {
            throw WalletError(
                .flowActive, .refused, during: .perform,
                reason: "the model asks for one consent at a time; this one waits in pendingSCA")
        }
        let event = prompt.challenge.eventID
        begin(run, prompt.operation, requester: nil) { try await wallet.disown(event) }
        let alternatives = prompt.alternatives.map(\.verification).filter(isUsable)
        guard isUsable(prompt.verification) else {
            guard let other = alternatives.first else {
                throw WalletError(
                    .scaUnavailable, .misconfigured, during: .perform,
                    reason: "the device's PIN is the only way left, and the model was created without it")
            }
            return .instead(other)
        }
        let question = VerificationQuestion(prompt, alternatives: alternatives, texts: texts)
        return switch try await reply(to: question, instead: alternatives) {
        // The system's sheet for passkeys asks for face or fingerprint.
        case .answer where prompt.verification == .devicePasskey: .passkey
        case .answer(let answer): answer
        case .use(let way): .instead(way)
        case .decline: .refuse
        case .disown: .disown
        }
    }

    /// Shows what the person agrees to. A request may ask several times.
    private func begin(
        _ run: UUID, _ operation: SCA.Operation, requester: String?, stop: @escaping @Sendable () async throws -> Void
    ) {
        if asking == nil { (asking, error, isDisowned) = (run, nil, false) }
        summary = PaymentSummary(operation, locale: locale, texts: texts)
        (self.requester, self.stop, expiry) = (requester, stop, operation.expiresAt)
    }

    /// Whether the app has a screen for it.
    private func isUsable(_ way: SCA.Verification) -> Bool { pin != nil || way != .devicePIN }

    private func reply(to question: VerificationQuestion, instead: [SCA.Verification]) async throws -> Reply {
        (self.question, alternatives, input) = (question, instead, "")
        phase = .asking
        let id = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting = (id, continuation)
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            Task { await self.giveUp(id) }
        }
    }

    private func answer(_ reply: Reply) {
        guard let waiting else { return }
        self.waiting = nil
        input = ""
        phase = .checking
        waiting.continuation.resume(returning: reply)
    }

    private func giveUp(_ id: UUID) {
        guard let waiting, waiting.id == id else { return }
        self.waiting = nil
        input = ""
        waiting.continuation.resume(throwing: CancellationError())
    }
}
