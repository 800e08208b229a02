import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("The configuration of a wallet")
struct ConfigurationTests {
    @Test("Every option is a parameter of the initializer")
    func everyOption() throws {
        let world = World()
        let policy = Wallet.BiometricPolicy(approvals: 3)
        let configuration = Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
            signIn: .full(redirectURI: World.redirectURI), scopes: ["openid", "profile"], prompt: [.login],
            merchantID: "merchant-17", locales: ["fr-CA"], resources: .only([try url("https://api.example.com")]),
            storeName: "second", linksDevice: false, deviceName: "Alice's phone",
            consentReturnURL: try url("https://app.example.com/agreed"), biometricPolicy: policy, ports: world.ports)
        #expect(Mirror(reflecting: configuration).children.count == 14, "a new option belongs in the initializer")
        #expect(configuration.scopes == ["openid", "profile"])
        #expect(configuration.prompt == [.login])
        #expect(configuration.merchantID == "merchant-17")
        #expect(configuration.locales == ["fr-CA"])
        #expect(configuration.resources == .only([try url("https://api.example.com")]))
        #expect(configuration.storeName == "second")
        #expect(!configuration.linksDevice)
        #expect(configuration.deviceName == "Alice's phone")
        #expect(configuration.consentReturnURL?.path() == "/agreed")
        #expect(configuration.biometricPolicy == policy)
        #expect(configuration.ports != nil)
    }

    @Test("Codes, operations and faults print their value")
    func printed() {
        #expect("\(WalletError.Code.signedOut)" == "signed_out")
        #expect("\(WalletError.Operation.setUp)" == "set_up")
        #expect("\(PasswordFault.tooShort)" == "too_short")
    }
}
