public import Observation

// Stand for the models of WalletAuthUI, whose other files this package leaves out: as much of them as the views look at.

/// The texts of the screens.
struct ScreenTexts: Sendable {
    func callAsFunction(_ label: ScreenLabel) -> String { label.rawValue }
}

/// A session.
@Observable @MainActor
public final class WalletSession {
    var isBusy: Bool { false }
    var message: String? { nil }
    let texts = ScreenTexts()
    func signIn() async {}
}

/// A consent.
@Observable @MainActor
public final class ConsentModel {
    private(set) var phase = ConsentPhase.idle
    private(set) var summary: PaymentSummary?
    private(set) var question: VerificationQuestion?
    private(set) var isDisowned = false
    var input = ""
    var message: String? { nil }
    let texts = ScreenTexts()
    func submit() {}
    func useBiometrics() {}
    func openPage() {}
    func resend() {}
    func use(_ alternative: VerificationQuestion.Alternative) {}
    func decline(isDisowned: Bool = false) {}
    func dismiss() {}
}

/// The reasons of a rejection that the sheet offers.
enum RejectionReason { case unexpected, other }

/// A transaction.
@Observable @MainActor
public final class TransactionModel {
    private(set) var phase = TransactionPhase.idle
    private(set) var summary: PaymentSummary?
    private(set) var question: VerificationQuestion?
    private(set) var accounts: [VerificationQuestion.Alternative] = []
    private(set) var isDisowned = false
    var input = ""
    var message: String? { nil }
    let texts = ScreenTexts()
    func choose(_ account: VerificationQuestion.Alternative) {}
    func confirm() {}
    func reject(_ reason: RejectionReason) {}
    func submit() {}
    func useBiometrics() {}
    func use(_ alternative: VerificationQuestion.Alternative) {}
    func cancel() {}
}
