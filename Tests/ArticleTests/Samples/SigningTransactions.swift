import Foundation
import WalletAuth
import WalletAuthPIN

extension ExampleScreens {
    func sign(_ scanned: String, _ wallet: Wallet) async throws {
        for await update in try wallet.flows.start(with: scanned) {
            switch update.state {
            case .processing: showProgress()
            case .waitForInput(.chooseAccount(let choice)): choice.choose(await pick(choice.accounts))
            case .waitForInput(.confirmTransaction(let question)):
                if await agrees(to: question.details) { question.confirm() } else { question.reject(.unexpected) }
            case .waitForInput(.verifySecondFactor(let question)): question.pin(await typedPIN(question))
            case .done(let signed): show(signed)
            case .rejected: showRejected()
            case .failed(let error): show(error)
            }
        }
    }

    func sign(terms: Data, _ wallet: Wallet) async throws {
        let contract = ClientTransaction(
            clientState: Data("checkout".utf8), clientAdditionalData: terms, requiredSecondFactorType: .pin)
        for await update in try wallet.transactions.create(contract) {
            switch update.state {
            case .waitForInput(.verifySecondFactor(let question)): question.pin(await typedPIN(question))
            case .done(let signed): show(signed)
            case .failed(let error): show(error)
            default: showProgress()
            }
        }
    }

    func signInElsewhere(_ scannedText: String, _ wallet: Wallet) async throws {
        let signIn = try await wallet.transactions.scanSignIn(scannedText)
        guard let number = await chosenNumber(for: signIn) else { return try await signIn.reject() }
        let approval = try await signIn.choose(number)
        try await approval.approve(biometrics: "Sign in to \(signIn.service)")
    }

    func showHistory(_ wallet: Wallet) async throws {
        for entry in try await wallet.transactions.history() {
            show(entry.date, entry.payeeName ?? entry.type, entry.amount, entry.outcome)
        }
    }

    func received(_ url: URL, _ wallet: Wallet) async throws {
        switch try await wallet.handle(url) {
        case .transaction: follow(try wallet.flows.start(with: url.absoluteString))
        case .signIn, .consent, .unrelated: break
        }
    }

    private func follow(_ flow: Flow) {}
    private func pick(_ accounts: [Wallet.EnrolledAccount]) async -> Wallet.EnrolledAccount { accounts[0] }
    private func agrees(to details: TransactionDetails) async -> Bool { !details.fields.isEmpty }
    private func typedPIN(_ question: UserInteraction.SecondFactor) async -> String { "493817" }
    private func chosenNumber(for signIn: ElsewhereSignIn) async -> Int? { signIn.numbers.first }
    private func showProgress() {}
    private func showRejected() {}
    private func show(_ signed: SignedTransaction) {}
    private func show(_ error: WalletError) {}
    private func show(_ date: Date, _ title: String?, _ amount: Money?, _ outcome: HistoryEntry.Outcome) {}
}
