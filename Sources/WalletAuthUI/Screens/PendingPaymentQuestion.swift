import WalletAuth
import WalletAuthWire

/// The question about a payment that waits on this device, and its changes from answer to answer.
@MainActor
struct PendingPaymentQuestion {
    private let payment: PendingPayment
    private var usable: [SCA.Verification]
    private var fault: String?
    private var attemptsLeft: Int?
    private(set) var isVerified = false

    init(_ payment: PendingPayment, usable: [SCA.Verification]) {
        self.payment = payment
        self.usable = usable
    }

    var alternatives: [SCA.Verification] { Array(usable.dropFirst()) }

    /// - Throws: `WalletError` if no way is left.
    func question(_ texts: ScreenTexts) throws -> VerificationQuestion {
        guard let first = usable.first else {
            throw WalletError(
                .secondFactorUnavailable, .refused, during: .approvePayment,
                reason: "this device has none of the ways to approve the payment")
        }
        return VerificationQuestion(first, among: usable, fault: fault, attemptsLeft: attemptsLeft, texts: texts)
    }

    mutating func use(_ way: SCA.Verification) {
        usable = [way] + usable.filter { $0 != way }
        fault = nil
    }

    /// - Throws: the error, if asking again would not help.
    mutating func submit(
        _ answer: SCA.Answer, to transactions: Wallet.Transactions, _ texts: ScreenTexts
    ) async throws {
        do {
            let attempt = try await transactions.approve(payment, with: answer)
            isVerified = attempt.status == .verified
            guard !isVerified else { return }
            guard attempt.statusReason == .invalidValue else {
                throw WalletError(
                    .eventNotFound, .refused, during: .approvePayment, reachedServer: true,
                    reason: "the payment no longer waits for an approval on this device")
            }
            (fault, attemptsLeft) = (texts(.wrongValue), attempt.remainingAttempts)
        } catch let error as WalletError { try note(error, texts) }
    }

    private mutating func note(_ error: WalletError, _ texts: ScreenTexts) throws {
        switch (error.code, error.outcome) {
        case (.badRequest, .refused) where !error.reachedServer: fault = texts(.malformedValue)
        case (.cancelledByPerson, _): fault = texts(.notConfirmed)
        case (_, _) where error.isTemporary: fault = texts.text(of: error)
        case (.pinRequired, _), (.biometricsLockedOut, _), (.biometricsNotEnabled, _),
            (_, .keyLost(recovery: .enableBiometricsAgain)):
            try drop(.deviceBiometric, error, texts)
        case (.pinNotSet, _), (.pinServerKeyChanged, _), (_, .keyLost(recovery: .setPINAgain)):
            try drop(.devicePIN, error, texts)
        default: throw error
        }
    }

    private mutating func drop(_ way: SCA.Verification, _ error: WalletError, _ texts: ScreenTexts) throws {
        usable.removeAll { $0 == way }
        guard !usable.isEmpty else { throw error }
        fault = texts.text(of: error)
    }

    /// The end of an approval that the person does not give.
    static let declined = WalletError(
        .cancelledByPerson, .cancelledByPerson, during: .approvePayment, reason: "the person declined")
}
