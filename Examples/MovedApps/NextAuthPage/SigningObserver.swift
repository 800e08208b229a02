import NextAuthCompat

/// Handles the callbacks in the order in which the page lists them.
@MainActor
public final class SigningObserver: NextAuthObserver {
    private let pin: @MainActor (CurrentUserInteraction) -> String
    /// Each update as the page names it, for instance `WAIT_FOR_INPUT CONFIRM_TRANSACTION`.
    public private(set) var steps: [String] = []
    /// The updates.
    public private(set) var updates: [FlowUpdate] = []
    /// The accounts that were reported.
    public private(set) var accounts: [Account] = []

    /// Creates an observer.
    /// - Parameter pin: what the person types at each question.
    public init(pin: @escaping @MainActor (CurrentUserInteraction) -> String) { self.pin = pin }

    /// Answers each question.
    public func flowUpdate(_ update: FlowUpdate) {
        updates.append(update)
        let interaction = update.currentUserInteraction
        steps.append([update.itsState.rawValue, interaction?.type.rawValue].compactMap(\.self).joined(separator: " "))
        switch update.itsState {
        case .processing, .done, .error:
            break
        case .waitForInput:
            guard let interaction else { return }
            switch interaction.type {
            case .chooseAccount:
                interaction.accounts.first.map(interaction.choose)
            case .confirmTransaction:
                interaction.confirm()
            case .confirm:
                // Only the person sees the number on the other screen.
                interaction.reject()
            case .verifySecondFactor:
                if interaction.allowedSecondFactors.contains(.pin) {
                    NextAuth.default.flowService.inputSecondFactor(pin(interaction))
                } else {
                    NextAuth.default.flowService.inputSecondFactor(biometrics: "Sign the transaction")
                }
            }
        }
    }

    /// Notes the account.
    public func accountUpdate(_ account: Account) { accounts.append(account) }

    /// Begins another story.
    public func forget() { (steps, updates) = ([], []) }
}
