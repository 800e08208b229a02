import Foundation
import Observation
import WalletAuth
import WalletAuthPIN
import WalletAuthUI

/// The app's state, and what its buttons do.
@Observable @MainActor
final class AppModel {
    let session: WalletSession
    let consent = ConsentModel(pin: { .pin($0) })
    let transaction = TransactionModel(pin: { $0.pin($1) })
    let scan = ScannedSignInModel(pin: { try await $0.approve(pin: $1) })
    let approvals: PendingApprovalsModel

    /// The result of the last button, or its error, for the person.
    private(set) var result: String?
    private(set) var isBusy = false

    private var wallet: Wallet { session.wallet }

    init(_ session: WalletSession) {
        self.session = session
        approvals = PendingApprovalsModel(consent: consent, transaction: transaction)
    }

    /// A URL that opened the app: the callback of a sign-in, the return from a consent's page, or the link of a transaction.
    func open(_ url: URL) async {
        if await session.handle(url) == .transaction { await sign(url.absoluteString) }
    }

    /// Signs the transaction of a QR code or a link.
    func sign(_ link: String) async {
        await transaction.sign(link.trimmingCharacters(in: .whitespacesAndNewlines), with: wallet)
    }

    /// Signs in on another screen, whose code the person scanned.
    func signIn(scanning code: String) async {
        await scan.read(code.trimmingCharacters(in: .whitespacesAndNewlines), with: wallet)
    }

    func signOut() async {
        approvals.clear()
        await session.signOut()
    }

    func callUserInfo() async {
        await show {
            let endpoint = try Servers.issuer.appending(path: "oauth2/userinfo")
            let (data, response) = try await wallet.perform(URLRequest(url: endpoint))
            return "\(response.statusCode) \(String(decoding: data, as: UTF8.self))"
        }
    }

    func readBalance() async {
        await show { try await Backend(wallet).balance() }
    }

    /// Adds the recipient and pays. The backend requires two factors for the one, and the person's consent for the other.
    func pay(euros: Int64, to recipient: Recipient) async {
        await show {
            let backend = try Backend(wallet)
            let amount = try Money(minorUnits: euros * 100, currency: Currency("EUR"))
            try await withTwoFactors { try await backend.add(recipient) }
            let payment = try Payment.begun(amount, to: recipient)
            let request = try backend.transfer(payment)
            return try await settling(payment.key) { try await consent.perform(request, with: wallet) }
        }
    }

    /// Restores the session, and continues the payments that the end of the app interrupted.
    func restore() async {
        await session.restore()
        guard case .signedIn = session.state else { return }
        await show {
            var text = result
            for pending in try await wallet.pendingSCA {
                let key = pending.request.value(forHTTPHeaderField: "Idempotency-Key")
                text = try await settling(key) { try await consent.resume(pending, with: wallet) }
            }
            return text
        }
    }

    /// Makes a payment, and forgets its key once its result is known.
    private func settling(
        _ key: String?, _ work: () async throws -> (Data, HTTPURLResponse)
    ) async throws -> String {
        do {
            let (data, response) = try await work()
            let receipt = try Backend(wallet).receipt(data, response)
            Payment.settle(key)
            return "You paid \(receipt.amount.written) to \(receipt.to.name)."
        } catch let refusal as Refusal where refusal.isFinal {
            Payment.settle(key)
            throw refusal
        } catch let error as WalletError
            where error.outcome == .cancelledByPerson || (error.code == .dataError && error.remainingAttempts == 0)
        {
            // Nothing was paid.
            Payment.settle(key)
            throw error
        }
    }

    /// Makes this phone one that can sign transactions and approve payments.
    func setUpPhone(pin: String) async {
        await show {
            try await withTwoFactors {
                try await wallet.devices.enroll(name: "Example wallet")
                try await wallet.pin.set(pin)
            }
            return "This phone is set up."
        }
    }

    /// Carries out work that may require a sign-in with two factors. If it does, the browser asks the person for what is missing, and
    /// the work is repeated.
    private func withTwoFactors(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as WalletError {
            guard case .stepUp(let requirements) = error.outcome else { throw error }
            guard try await wallet.stepUp(to: requirements) != .awaitingCallback else { throw error }
            try await work()
        }
    }

    private func show(_ work: () async throws -> String?) async {
        isBusy = true
        defer { isBusy = false }
        do {
            result = try await work()
        } catch let refusal as Refusal {
            result = refusal.text
        } catch let error as WalletError {
            // Nil if the person closed the page or declined: there is nothing to say.
            result = UserErrorMessages.builtIn.text(for: error)
        } catch {
            result = "\(error)"
        }
    }
}
