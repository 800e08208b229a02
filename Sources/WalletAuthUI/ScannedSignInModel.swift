public import Foundation
public import Observation
public import WalletAuth
import WalletAuthWire

/// A sign-in on another device, whose code the person scanned, as a screen shows it: who asks, which number, PIN or face, done.
/// `ScannedSignInSheet` shows it.
@Observable @MainActor
public final class ScannedSignInModel {
    /// Approves with the PIN that was typed.
    public typealias PINApproval = @Sendable (ElsewhereSignIn.Approval, String) async throws -> Void

    /// The step that the screen shows.
    public private(set) var phase = ScannedSignInPhase.idle
    /// Who asks; nil before the code is read.
    public private(set) var summary: ScannedSignInSummary?
    /// Three numbers, one of which is on the other screen. Show none as chosen.
    public private(set) var numbers: [Int] = []
    /// Why the choice of a number has to be repeated; nil the first time.
    public private(set) var fault: String?
    /// The question for the second factor.
    public private(set) var question: VerificationQuestion?
    /// The text of the field for the PIN; empty again once it is answered.
    public var input = ""
    /// The error that ended it.
    public private(set) var error: WalletError?
    /// Whether the person said that it was not them.
    public private(set) var isDisowned = false

    /// Whether the person closed the screen while an answer was on its way.
    private var isClosed = false
    /// What was read last. A response about anything else comes too late.
    @ObservationIgnored private var run = UUID()
    @ObservationIgnored private var signIn: ElsewhereSignIn?
    @ObservationIgnored private var approval: ElsewhereSignIn.Approval?
    @ObservationIgnored private var factors: SecondFactorQuestion?
    /// Whether the response decides what is true on the other screen.
    @ObservationIgnored private var isDeciding = false
    private let pin: PINApproval?
    let texts: ScreenTexts

    /// Creates a model that has read nothing yet.
    /// - Parameters:
    ///   - pin: approves with this device's PIN: `{ try await $0.approve(pin: $1) }` in a file that imports WalletAuthPIN; nil if
    ///     the app has no PIN, which is then not asked for.
    ///   - messages: the texts of the errors and labels.
    ///   - languages: the person's languages in order of preference (BCP 47).
    public init(
        pin: PINApproval? = nil, messages: UserErrorMessages = .builtIn,
        languages: [String] = Locale.preferredLanguages
    ) {
        self.pin = pin
        texts = ScreenTexts(messages: messages, languages: languages)
    }

    /// Claims the sign-in of a code, and shows who asks. A camera may read the same code many times: while one is shown, others are ignored.
    /// - Parameters:
    ///   - code: the text of the code. Pass only what the camera reads, never a link.
    ///   - account: the account that signs in; nil for the last one signed in.
    ///   - wallet: the wallet.
    public func read(_ code: String, for account: AccountID? = nil, with wallet: Wallet) async {
        guard !isOpen else { return }
        reset(to: .working)
        let run = run
        do {
            let signIn = try await wallet.transactions.scanSignIn(code, account: account)
            let name = await Self.name(of: signIn.account, in: wallet)
            guard run == self.run else { return }
            self.signIn = signIn
            summary = ScannedSignInSummary(signIn, account: name, texts: texts)
            numbers = signIn.numbers
            phase = .choosing
        } catch { end(error, of: run) }
    }

    // MARK: The person's answers

    /// Says which number the other screen shows. A wrong one ends the sign-in.
    /// - Parameter number: one of ``numbers``.
    public func choose(_ number: Int) async {
        guard phase == .choosing, let signIn, numbers.contains(number) else { return }
        (phase, fault) = (.working, nil)
        let run = run
        do {
            let approval = try await signIn.choose(number)
            guard run == self.run else { return }
            (self.approval, factors) = (approval, approval.question)
            try ask()
        } catch let error as WalletError where error.isTemporary && run == self.run {
            (phase, fault) = (.choosing, texts.text(of: error))
        } catch { end(error, of: run) }
    }

    /// Approves with the PIN that was typed.
    public func submit() async {
        guard question?.kind == .pin, let pin else { return }
        await approve { [input] in try await pin($0, input) }
    }

    /// Approves with face or fingerprint. The device's prompt names the service.
    public func useBiometrics() async {
        let reason = summary?.approval ?? texts(.confirmBiometrics)
        await approve { try await $0.approve(biometrics: reason) }
    }

    /// Switches to the other factor.
    /// - Parameter alternative: one of the question's.
    public func use(_ alternative: VerificationQuestion.Alternative) {
        guard phase == .verifying, let chosen = usable.first(where: { $0.rawValue == alternative.id }) else { return }
        show(chosen, fault: question?.fault)
    }

    /// Whether the screen offers ``reject()``.
    public var canReject: Bool {
        switch phase {
        case .choosing, .verifying, .signedIn: true
        case .failed: isNotStopped
        case .idle, .working, .rejected: false
        }
    }

    /// "This was not me": no one signs in by this code any more, and every browser that this account signed in by scanning is signed out.
    public func reject() async {
        guard canReject, let signIn else { return }
        (phase, error, isDisowned, isDeciding, input) = (.working, nil, true, true, "")
        let run = run
        do {
            try await signIn.reject()
            settle(.rejected, of: run)
        } catch { end(error, of: run) }
    }

    /// Closes the screen. The other screen is not signed in, unless an approval is already on its way: if that arrives, the screen
    /// appears again and says so.
    public func cancel() {
        if phase == .working, isDeciding { isClosed = true } else { reset(to: .idle) }
    }

    /// Whether the screen is shown. Dismissing it cancels.
    public var isPresented: Bool {
        get { phase != .idle && !isClosed }
        set { if !newValue { cancel() } }
    }

    /// Whether the person said that it was not them, and the server may not know.
    public var isNotStopped: Bool {
        guard phase == .failed, isDisowned else { return false }
        return error?.code != .transactionNotFound
    }

    /// The text of the error that ended it: what went wrong, or that it could not be stopped yet.
    public var message: String? { isNotStopped ? texts(.scanNotStopped) : error.flatMap { texts.text(of: $0) } }

    // MARK: The steps

    private var isOpen: Bool {
        switch phase {
        case .working, .choosing, .verifying: true
        case .idle, .signedIn, .rejected, .failed: false
        }
    }

    /// The name of an account; nil if this device has no other.
    private static func name(of account: AccountID, in wallet: Wallet) async -> String? {
        guard let accounts = try? await wallet.accounts, accounts.count > 1 else { return nil }
        return accounts.first { $0.id == account }?.username ?? account.rawValue
    }

    private func reset(to phase: ScannedSignInPhase) {
        run = UUID()
        (self.phase, summary, numbers, fault, question, input) = (phase, nil, [], nil, nil, "")
        (error, isDisowned, isClosed, isDeciding) = (nil, false, false, false)
        (signIn, approval, factors) = (nil, nil, nil)
    }

    /// The factors that are left and that the app has a screen for.
    private var usable: [TransactionFactor] { factors?.allowed.filter { $0 != .pin || pin != nil } ?? [] }

    private func ask() throws {
        guard let factors else { return }
        guard let first = usable.first else { throw factors.unavailable }
        show(first, fault: texts.fault(factors.fault))
    }

    private func show(_ factor: TransactionFactor, fault: String?) {
        question = VerificationQuestion(
            factor, among: usable, fault: fault, attemptsLeft: factors?.remainingAttempts, texts: texts)
        (phase, input) = (.verifying, "")
    }

    private func approve(by prove: (ElsewhereSignIn.Approval) async throws -> Void) async {
        guard phase == .verifying, let approval, let factor = question?.kind.factor else { return }
        (phase, input, isDeciding) = (.working, "", true)
        let run = run
        do {
            try await prove(approval)
            settle(.signedIn, of: run)
        } catch let error as WalletError where error.transactionStatus == .signed {
            // The response to an earlier try was lost.
            settle(.signedIn, of: run)
        } catch let error as WalletError where run == self.run {
            do {
                if !error.isTemporary { try factors?.note(error) }
                isDeciding = false
                if isClosed {
                    reset(to: .idle)
                } else if error.isTemporary {
                    show(factor, fault: texts.text(of: error))
                } else {
                    try ask()
                }
            } catch { end(error, of: run) }
        } catch { end(error, of: run) }
    }

    private func settle(_ phase: ScannedSignInPhase, of run: UUID) {
        guard run == self.run else { return }
        isDeciding = false
        // A person who closed the screen meanwhile must know that the other one is signed in.
        if isClosed, phase == .rejected { reset(to: .idle) } else { (self.phase, isClosed) = (phase, false) }
    }

    private func end(_ failure: any Error, of run: UUID) {
        guard run == self.run else { return }
        isDeciding = false
        guard let failure = failure as? WalletError, failure.outcome != .cancelledByPerson || isDisowned else {
            return reset(to: .idle)
        }
        (error, phase) = (failure, .failed)
        if isNotStopped { isClosed = false } else if isClosed { reset(to: .idle) }
    }
}

extension VerificationQuestion.Kind {
    /// The factor that it asks for.
    fileprivate var factor: TransactionFactor? {
        switch self {
        case .pin: .pin
        case .biometrics: .biometric
        case .code, .page, .elsewhere: nil
        }
    }
}
