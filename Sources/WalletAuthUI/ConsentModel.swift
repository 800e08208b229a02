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

    /// The request whose consent is asked for.
    @ObservationIgnored private var asking: UUID?
    @ObservationIgnored private var prompt: SCA.Prompt?
    /// Until when it can be approved.
    @ObservationIgnored private var expiry: Date?
    /// The consent that was asked for last.
    @ObservationIgnored private var open: (wallet: Wallet, event: String)?
    @ObservationIgnored private var waiting: (id: UUID, continuation: CheckedContinuation<SCA.Answer, any Error>)?
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

    // MARK: The person's answers

    /// Answers with what was typed: the code, or the PIN.
    public func submit() {
        switch question?.kind {
        case .code: answer(.code(input))
        case .pin: if let pin { answer(pin(input)) }
        case .biometrics, .page, .elsewhere, nil: break
        }
    }

    /// Answers with face or fingerprint. The device's prompt names the operation, amount and payee.
    public func useBiometrics() {
        answer(.biometrics(reason: summary?.reason ?? texts(.confirmBiometrics)))
    }

    /// Opens the hosted page.
    public func openPage() { answer(.page) }

    /// Waits for the approval on another device.
    public func waitElsewhere() { answer(.elsewhere) }

    /// Has a new code or another push message sent.
    public func resend() { answer(.resend) }

    /// Switches to another way.
    /// - Parameter alternative: one of the question's.
    public func use(_ alternative: VerificationQuestion.Alternative) {
        guard let way = prompt?.alternatives.first(where: { $0.verification.id == alternative.id }) else { return }
        answer(.instead(way.verification))
    }

    /// Declines for a person who does not want this, or did not start it.
    /// - Parameter isDisowned: whether the person did not start it. The server then ends it for good, and the screen says what to do
    ///   next. If the server cannot be reached, it ends as ``ConsentPhase/failed``, and ``message`` says how long it can be approved.
    public func decline(isDisowned: Bool = false) {
        guard waiting != nil else { return }
        self.isDisowned = isDisowned
        answer(isDisowned ? .disown : .refuse)
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
        guard isNotStopped, let open else { return }
        let run = UUID()
        (asking, error, phase) = (run, nil, .checking)
        do {
            try await open.wallet.disown(open.event)
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
        (asking, prompt, input) = (nil, nil, "")
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
        if asking == nil { (asking, error, isDisowned) = (run, nil, false) }
        let alternatives = prompt.alternatives.filter { pin != nil || $0.verification != .devicePIN }
        if prompt.verification == .devicePIN, pin == nil {
            guard let other = alternatives.first else {
                throw WalletError(
                    .scaUnavailable, .misconfigured, during: .perform,
                    reason: "the device's PIN is the only way left, and the model was created without it")
            }
            return .instead(other.verification)
        }
        (self.prompt, expiry) = (prompt, prompt.operation.expiresAt)
        open = (wallet, prompt.challenge.eventID)
        summary = PaymentSummary(prompt.operation, locale: locale, texts: texts)
        question = VerificationQuestion(prompt, alternatives: alternatives, texts: texts)
        input = ""
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

    private func answer(_ answer: SCA.Answer) {
        guard let waiting else { return }
        self.waiting = nil
        input = ""
        phase = .checking
        waiting.continuation.resume(returning: answer)
    }

    private func giveUp(_ id: UUID) {
        guard let waiting, waiting.id == id else { return }
        self.waiting = nil
        input = ""
        waiting.continuation.resume(throwing: CancellationError())
    }
}

extension SCA.Verification {
    /// Names the way among those of one prompt.
    fileprivate var id: String { "\(method.rawValue) \(channel.rawValue)" }

    fileprivate var label: ScreenLabel {
        switch self {
        case .sms: .bySMS
        case .email: .byEmail
        case .authenticator: .byAuthenticator
        case .devicePIN: .byPIN
        case .deviceBiometric: .byBiometrics
        case .passkey: .byPasskey
        case .push: .byOtherDevice
        case .hostedPIN: .byAccountPIN
        default: .byPassword
        }
    }

    fileprivate var kind: VerificationQuestion.Kind {
        switch self {
        case .devicePIN: .pin
        case .deviceBiometric: .biometrics
        case let way where way.channel == .redirect: .page
        case .push: .elsewhere
        default: .code
        }
    }
}

extension VerificationQuestion {
    @MainActor
    fileprivate init(
        _ prompt: SCA.Prompt, alternatives: [SCA.AvailableVerification], texts: ScreenTexts
    ) {
        let way = prompt.verification
        self.init(
            kind: way.kind, instruction: texts.instruction(for: prompt.challenge),
            fault: texts.fault(prompt.fault, of: way),
            attemptsLeft: texts.attempts(prompt.remainingAttempts),
            canResend: way.isSent && prompt.challenge.resendAfter != nil,
            alternatives: alternatives.map { Alternative(id: $0.verification.id, label: texts($0.verification.label)) })
    }
}

extension ScreenTexts {
    fileprivate func instruction(for challenge: SCA.Challenge) -> String {
        switch challenge.verification {
        case .authenticator: self(.codeFromApp)
        case .sms, .email:
            challenge.destination.map { self(.codeSentTo, ["destination": $0]) } ?? self(.codeSent)
        case .devicePIN: self(.enterPIN)
        case .push: self(.approveElsewhere)
        case let way: self(way.label)
        }
    }

    fileprivate func fault(_ fault: SCA.Fault?, of way: SCA.Verification) -> String? {
        switch fault {
        case nil: nil
        case .wrongValue: self(.wrongValue)
        case .malformedValue: self(.malformedValue)
        case .codeExpired: self(.codeExpired)
        case .codeUsed: self(.codeUsed)
        case .noCodeLeft: text(of: .noCodeLeft)
        case .tooSoon: self(.tooSoon)
        case .declined: self(.notConfirmed)
        case .unfinished: self(way == .push ? .notYetElsewhere : .unfinished)
        }
    }
}
