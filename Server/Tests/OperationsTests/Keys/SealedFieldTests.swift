import Core
import Store
import Testing
import WalletAuthWire

@testable import Apple
@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

/// A new sealed column needs a line here (`scripts/check-lists`).
@Suite("Sealed columns")
struct SealedFieldTests {
    private func sealed<Field: SealedField>(_ field: Field, of row: Field.Row) -> String {
        "\(field.purpose.rawValue) \(Vault<Field>.label(field, of: row))"
    }

    @Test("Every purpose and label is the one under which stored rows are sealed")
    func labels() throws {
        let text = "0a1b2c3d-0000-4000-8000-00000000000f"
        let id = try #require(UniqueID(uuid: text))
        let epoch = try #require(PINEpoch(exactly: 7))

        #expect(sealed(AccountField.email, of: id) == "personal accounts|email|\(text)")
        #expect(sealed(AccountField.phone, of: id) == "personal accounts|phone|\(text)")
        #expect(sealed(AccountField.profile, of: id) == "personal accounts|profile|\(text)")
        #expect(sealed(AccountField.password, of: id) == "pepper accounts|password|\(text)")
        #expect(sealed(AccountPINField.hash, of: id) == "pepper account_pins|hash|\(text)")

        #expect(sealed(SessionField.app, of: id) == "personal sessions|network|\(text)")
        #expect(sealed(SessionField.browser, of: id) == "personal browser_sessions|network|\(text)")
        #expect(
            sealed(SessionField.authorizationDetails, of: id) == "personal sessions|authorization_details|\(text)")

        #expect(sealed(DeviceField.name, of: id) == "personal devices|name|\(text)")
        #expect(sealed(DeviceField.pushAddress, of: id) == "personal devices|push_address|\(text)")
        #expect(sealed(PasskeyField.name, of: id) == "personal passkeys|name|\(text)")
        #expect(sealed(PINField.evaluationKey, of: (id, epoch)) == "pin pins|evaluation_key|\(text)|7")
        #expect(sealed(PINField.publicKey, of: (id, epoch)) == "pin pins|public_key|\(text)|7")
        #expect(sealed(PINChallengeField.request, of: id) == "pin pin_challenges|request|\(text)")

        #expect(sealed(AuthenticatorField.secret, of: id) == "totp totp_secrets|sealed|\(text)")
        #expect(sealed(SecretQuestionField.answer, of: (id, "pet")) == "pepper secret_questions|answer|\(text)|pet")

        #expect(sealed(IdentityField.subject, of: [1, 2, 255]) == "personal federated_identities|subject|AQL_")
        #expect(
            sealed(ProviderField.secret, of: ("shop", "google")) == "provider identity_providers|secret|shop|google")
        #expect(sealed(AppleGrantField.tokens, of: ("shop", [1, 2, 255])) == "provider apple_grants|sealed|shop|AQL_")

        #expect(sealed(WebhookField.secret, of: id) == "provider webhook_endpoints|secret|\(text)")
        #expect(sealed(WebhookField.formerSecret, of: id) == "provider webhook_endpoints|former_secret|\(text)")

        #expect(sealed(OperationField.content, of: id) == "personal wallet_operations|sealed|\(text)")
        #expect(sealed(OperationField.answer, of: id) == "personal wallet_operations|answer|\(text)")
        #expect(sealed(OperationField.evidence, of: id) == "pin sca_attempts|evidence|\(text)")
        #expect(sealed(OperationField.circumstances, of: id) == "personal sca|circumstances|\(text)")
        #expect(sealed(OperationField.payee, of: id) == "personal trusted_payees|sealed|\(text)")

        #expect(sealed(ScanSignInField.content, of: id) == "personal scan_sign_ins|sealed|\(text)")
        #expect(sealed(ScanSignInField.payload, of: id) == "personal scan_sign_ins|payload|\(text)")
        #expect(sealed(DeviceGrantField.content, of: id) == "personal device_grants|sealed|\(text)")
        #expect(sealed(DeviceGrantField.grant, of: id) == "code device_grants|grant_sealed|\(text)")
        #expect(sealed(TransactionField.content, of: id) == "personal transactions|sealed|\(text)")
        #expect(sealed(TransactionField.payload, of: id) == "personal transactions|payload|\(text)")
        #expect(sealed(TransactionField.assertion, of: id) == "pin transactions|assertion|\(text)")
        #expect(sealed(TransactionField.circumstances, of: id) == "personal transactions|circumstances|\(text)")
    }
}
