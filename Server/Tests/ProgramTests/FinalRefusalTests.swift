import Testing
import WalletAuth

@testable import wallet

@Suite("What `wallet` advises after a refusal for good")
struct FinalRefusalTests {
    private func failure(
        _ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused,
        during operation: WalletError.Operation = .changePasskeys, reason: String = "the server says no",
        username: String? = nil
    ) -> Failure {
        Failure(
            WalletError(code, outcome, during: operation, reachedServer: true, reason: reason),
            at: Failure.Place(server: "https://auth.example.com", client: "com.example.wallet", username: username))
    }

    @Test(
        "What neither another try nor another sign-in changes does not advise them",
        arguments: [
            WalletError.Code.attestationRequired, .attestationInvalid, .presenceNotAttested, .biometricsNotEnabled,
            .lastWayIn, .tooManyPasskeys, .tooManyIdentities, .tooManyDevices, .identityTaken, .identityNotFound,
            .factorNotFound, .deviceNotFound, .nothingToConfirm, .appNotInstalled, .notAnEmployee, .anotherMerchant,
            .deviceKeyTaken, .deviceNotActive, .deviceSuspended, .deviceDeactivated, .walletDeactivated,
            .nothingToVerify, .insufficientScope, .clientNotAllowed, .returnURLNotRegistered, .idempotencyMismatch,
            .registrationOff, .phoneNotTaken, .passkeyNotTaken, .usernameTaken, .addressTaken, .secretQuestionsOff,
            .deliveryUnavailable, .lastContact, .lastOwner, .contactUnchanged, .exportTooLarge, .closingNotFound,
            .deviceAuthenticationUnsupported, .noDeviceToken, .deviceTokenExpired, .tokenAlreadyExpired,
            .transactionNotFound, .alreadyClaimed, .payloadRefused, .payloadMismatch, .transactionNotConfirmed,
        ])
    func finalRefusals(_ code: WalletError.Code) {
        let failure = failure(code)
        #expect(!failure.advice.hasPrefix("try again"), "\(failure.line)")
    }

    @Test(
        "A server that enrolls attested apps only names the command by which its operator lets a terminal enroll",
        arguments: [WalletError.Code.attestationRequired, .attestationInvalid])
    func attestation(_ code: WalletError.Code) {
        let line = failure(code, during: .enrollDevice).line
        #expect(line.contains("walletauth client update com.example.wallet --attest recorded"), "\(line)")
    }

    @Test("A server at an IP address is said to have no passkeys, and how it gets a name")
    func address() {
        let line = failure(
            .passkeysUnavailable, .misconfigured, reason: "passkeys need a host name, not 127.0.0.1"
        ).line
        #expect(line.hasPrefix("wallet: passkeys need a host name, not 127.0.0.1; "), "\(line)")
        #expect(line.contains("--issuer http://localhost:"), "\(line)")
    }

    @Test("What a newcomer's passkey lacks is said in the server's words, which name each half and its command")
    func newcomer() {
        let missing =
            "No passkey in place of a password: the client needs client update app --add-passkey-origin https://localhost."
        let line = failure(.passkeyNotTaken, during: .register, reason: missing).line
        #expect(line.contains("--add-passkey-origin https://localhost; have the operator run that"), "\(line)")
        #expect(!line.contains("--registration"), "\(line)")
    }

    @Test("An operator reads which origin the wallet states, and how to compare and accept it")
    func origin() {
        let line = failure(.invalidPasskey, reason: "the passkey is not valid").line
        #expect(line.contains("this wallet's origin is https://auth.example.com"), "\(line)")
        #expect(line.contains("walletauth client show com.example.wallet"), "\(line)")
        #expect(line.contains("com.example.wallet --add-passkey-origin https://auth.example.com"), "\(line)")
    }

    @Test("A passkey that is missing or refused is called a passkey, and no password")
    func passkey() {
        let missing = failure(
            .cancelledByPerson, .cancelledByPerson, during: .loginByPasskey,
            reason: "this device has no passkey of that name for auth.example.com", username: "bob"
        ).line
        #expect(missing.hasPrefix("wallet: this device has no passkey of bob; "), "\(missing)")
        let refused = failure(.invalidCredentials, during: .loginByPasskey, username: "bob").line
        #expect(refused.hasPrefix("wallet: the passkey was removed"), "\(refused)")
        for line in [missing, refused] { #expect(!line.contains("password"), "\(line)") }
    }
}
