import Foundation
import Testing
import WalletAuth

@testable import wallet

@Suite("What `wallet` advises about a sign-in or a recovery", .covers("a wrong code is reported as a wrong password"))
struct SignInAdviceTests {
    private func line(
        _ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused, during operation: WalletError.Operation
    ) -> String {
        Failure(
            WalletError(code, outcome, during: operation, reachedServer: true, reason: "the server says no"),
            at: Failure.Place(server: "https://auth.example.com", client: "wallet")
        ).line
    }

    @Test(
        "A recovery that is refused says why, and never advises what was just tried or cannot work",
        arguments: [
            WalletError.Code.recoveryUnavailable, .walletDeactivated, .deviceDeactivated, .deviceSuspended,
        ])
    func recovery(code: WalletError.Code) {
        let said = line(code, during: .recover)
        #expect(!said.contains("wallet recover"), "\(said)")
        #expect(!said.contains("wallet sign-in"), "\(said)")
        #expect(said.contains("ask the server's operator"), "\(said)")
    }

    @Test("A wrong code of a recovery is not called a wrong user name or password, and the way on sends another")
    func recoveryCode() {
        for code in [WalletError.Code.invalidCredentials, .invalidSession] {
            let said = line(code, during: .recover)
            #expect(!said.contains("password"), "\(said)")
            #expect(said.contains("wallet recover --username NAME"), "\(said)")
        }
    }

    @Test(
        "A wrong credential is named after the method that was used",
        arguments: [
            (.loginByUsernamePassword, "the user name or the password is wrong"),
            (.generateDeviceToken, "the user name or the password is wrong"),
            (.loginByAccountPIN, "the user name or the PIN is wrong, or the PIN is locked"),
            (.loginByPIN, "the PIN is wrong, or the server no longer knows this device"),
            (.loginByNonce, "the nonce is wrong"), (.changePassword, "the current password is wrong"),
        ] as [(WalletError.Operation, String)])
    func credentials(operation: WalletError.Operation, cause: String) {
        let said = line(.invalidCredentials, during: operation)
        #expect(said.hasPrefix("wallet: \(cause)"), "\(said)")
        #expect(!said.contains("code"), "\(said)")
    }

    @Test("A wrong second factor is called by its own name, and not a wrong password")
    func secondFactors() {
        func failure(_ method: String, during operation: WalletError.Operation) -> Failure {
            Failure(
                secondFactor: WalletError(.invalidCredentials, .refused, during: operation, reason: "no"),
                method: method)
        }
        for (method, cause) in [
            ("totp", "the code is wrong"), ("otp", "the code is wrong"),
            ("recovery_code", "the recovery code is wrong"), ("secret_question", "the answer is wrong"),
        ] {
            let wrong = failure(method, during: .loginByUsernamePassword)
            #expect(wrong.message.hasPrefix(cause), "\(wrong.line)")
            #expect(wrong.code == "invalid_credentials" && !wrong.line.contains("password"), "\(wrong.line)")
            let recovery = failure(method, during: .recover)
            #expect(recovery.message == wrong.message)
            #expect(recovery.advice.contains("wallet recover --username NAME"), "\(recovery.line)")
        }
    }

    @Test("The commands of an advice have the user name that was typed, unless a shell could misread it")
    func typedName() {
        func advice(_ username: String?) -> String {
            let error = WalletError(
                .invalidCredentials, .refused, during: .loginByUsernamePassword, reachedServer: true, reason: "no")
            return Failure(error, at: Failure.Place(profile: "work", username: username)).advice
        }
        for name in ["ada", "ada+wallet@example.com"] {
            #expect(advice(name).contains("wallet recover --profile work --username \(name)"), "\(advice(name))")
        }
        for name in [nil, "ada; rm", "-ada", "ada$(x)"] {
            #expect(advice(name).contains("--username NAME"), "\(advice(name))")
        }
    }

    @Test("A wallet that wrong passwords closed is opened by its holder, and a sign-in says how")
    func deactivated() {
        let said = line(.walletDeactivated, during: .loginByUsernamePassword)
        #expect(said.contains("wallet recover --username NAME"), "\(said)")
    }

    @Test("A device that could not be linked: the person learns what links it")
    func linking() {
        func failure(_ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused) -> Failure {
            Failure(linking: WalletError(code, outcome, during: .enrollDevice, reason: "no"))
        }
        let weak = failure(.insufficientUserAuthentication)
        #expect(weak.message == "the factors you signed in with cannot link a device")
        #expect(weak.advice.contains("--two-factors, then: wallet device enroll DEVICE-NAME"), "\(weak.advice)")
        let full = failure(.tooManyDevices)
        #expect(full.advice == "remove one first: wallet device list, then: wallet device enroll DEVICE-NAME")
        let offline = failure(.offline, .offline)
        #expect(offline.advice.hasSuffix(", then: wallet device enroll DEVICE-NAME"), "\(offline.advice)")
    }

    @Test("Where the server did not learn of a forgotten PIN, a signed-in person is not sent to sign in again")
    func forgottenPIN() {
        func note(_ outcome: WalletError.Outcome) -> String {
            PINCommands.Remove.note(on: WalletError("a_code", outcome, during: .forgetPIN, reason: "no"))
        }
        for outcome in [.offline, .temporarilyUnavailable(retryAfter: nil), .misconfigured] as [WalletError.Outcome] {
            #expect(note(outcome).hasSuffix("When it can be reached, run: wallet pin remove"))
        }
        #expect(note(.signedOut(.loggedOut)).hasSuffix("After you sign in again, run: wallet pin remove"))
    }

    @Test("A page that did not come back is no mistake of this program")
    func page() {
        for kind in [UserAgentFailure.Kind.cancelledByPerson, .timedOut, .unavailable, .failed] {
            let failure = Failure(UserAgentFailure(kind, reason: "nobody came back in time"), at: Failure.Place())
            #expect(!failure.line.contains("please report this"), "\(failure.line)")
            #expect(failure.line.contains("nobody came back in time"), "\(failure.line)")
        }
    }

    @Test("A provider's refusal is shown with what to do about it")
    func provider() throws {
        let page = ProviderPage(
            endpoint: try #require(URL(string: "https://idp.example.com/authorize")), clientID: "wallet-server",
            redirectURI: try #require(URL(string: "http://127.0.0.1/callback")), opener: { _ in })
        #expect(page.refusal("access_denied").message.contains("refused the sign-in"))
        let client = page.refusal("unauthorized_client")
        #expect(client.message == "the provider refused: unauthorized_client")
        #expect(client.advice.contains("--provider-client-id"), "\(client.advice)")
        #expect(client.advice.contains("http://127.0.0.1/callback"), "\(client.advice)")
    }
}
