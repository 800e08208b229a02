import Foundation
import WalletAuth
import WalletAuthPIN

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExampleScreens {
    func show(_ operation: SCA.Operation) {}

    func approve(_ payment: URLRequest, _ person: ExamplePerson, _ wallet: Wallet) async throws -> Int {
        let screen = self
        let (data, response) = try await wallet.perform(payment) { prompt in
            screen.show(prompt.operation)  // amount, payee: what the person approves; `await` on the main actor
            switch prompt.verification {
            case .deviceBiometric: return .biometrics(reason: "Pay Blumen Huber")
            case .devicePIN: return .pin(await person.ask("Your PIN"))  // with `import WalletAuthPIN`
            case .sms, .email: return .code(await person.ask("The code that we sent you"))
            case .authenticator: return .code(await person.ask("The code of your authenticator app"))
            case .devicePasskey: return .passkey  // the system's sheet shows neither amount nor payee
            case .push: return .elsewhere  // waits: the person approves on another device
            default: return .page  // .passkey, .password, .hostedPIN: on the server's page
            }
        }
        show(data)
        return response.statusCode
    }

    func approveThis(
        _ payment: URLRequest, amount: Money, account: String, asking ask: @escaping SCA.Handler, _ wallet: Wallet
    ) async throws -> Data {
        let result = try await wallet.perform(payment) { prompt in
            guard prompt.operation.amount == amount, prompt.operation.payee?.account == account else { return .refuse }
            return try await ask(prompt)  // as above
        }
        return result.0
    }

    func agrees(to operation: SCA.Operation) async -> Bool { true }
    func showApproved() {}
    private func follow(_ flow: Flow) {}

    func approveWaiting(_ person: ExamplePerson, _ wallet: Wallet) async throws {
        for pending in try await wallet.transactions.pending() {
            switch pending {
            case .transaction(let transaction): follow(try wallet.flows.start(pending: transaction))
            case .payment(let payment):
                show(payment.operation)  // amount and payee, from the bytes that are signed
                guard await agrees(to: payment.operation) else { break }
                let attempt = try await wallet.transactions.approve(payment, with: .pin(await person.ask("Your PIN")))
                if attempt.status == .verified { showApproved() }
            }
        }
    }

    func goOn(with wallet: Wallet, asking ask: @escaping SCA.Handler) async throws {
        let screen = self
        for pending in try await wallet.pendingSCA {
            let (data, _) = try await wallet.resume(pending, onSCA: ask)
            screen.show(data)
        }
    }

    func approveByHand(
        _ data: Data, _ response: HTTPURLResponse, _ person: ExamplePerson, _ wallet: Wallet
    ) async throws -> SCA.Details? {
        let screen = self
        guard let required = SCA.Required(data: data, response: response) else { return nil }
        let verification = SCA.Verification(method: .otp, channel: .sms)
        // 1. Also to have the code sent again. The channel .redirect needs an action with its returnURL.
        let challenge = try await wallet.authentication.sendSCAChallenge(
            eventID: required.eventID,
            request: SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: verification))
        screen.show(challenge.operation)
        // 2.
        let attempt = try await wallet.authentication.submitSCAAttempt(
            eventID: required.eventID,
            request: SCA.AttemptRequest(
                walletOperationID: required.walletOperationID, verification: verification,
                value: await person.ask("The code that we sent you")))
        guard attempt.status == .verified else { return nil }
        // 3. A member of the repeated request's body, under the name scaDetails.
        return SCA.Details(eventID: required.eventID, walletOperationID: required.walletOperationID)
    }
}
