import FlowSupport
import Testing
import WalletAuthWire

@testable import Operations

@Suite("What an operator registers of a provider")
struct ProviderRegistrationTests {
    @Test(
        "A provider on pages needs a label, an endpoint and PKCE, and the operator reads which redirect URI to register"
    )
    func administration() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        var registration = OpenIDRegistration(id: "example", issuer: provider.issuer, clientID: "wallet-server")
        for (isOnSignInPage, label, redirectsToOtherHosts) in [
            (true, nil, false), (false, "Example", false), (false, nil, true),
        ] as [(Bool, String?, Bool)] {
            registration.isOnSignInPage = isOnSignInPage
            registration.label = label
            registration.redirectsToOtherHosts = redirectsToOtherHosts
            let answer = await server.flows.administration.execute {
                try await ProviderAdministration($0).add(registration)
            }
            #expect(answer.status == .refused, "\(answer.lines)")
        }
        (registration.isOnSignInPage, registration.redirectsToOtherHosts) = (true, false)
        registration.label = "Ex\u{202E}ample"
        #expect(
            await server.flows.administration.execute { try await ProviderAdministration($0).add(registration) }.status
                == .refused)
        registration.label = "Example"
        provider.publish("code_challenge_methods_supported", .strings(["plain"]))
        let added = await server.flows.administration.execute { try await ProviderAdministration($0).add(registration) }
        #expect(added.status == .done)
        let text = added.lines.joined(separator: "\n")
        for part in [
            "https://auth.example.com/sign-in/provider/default/example", "no usable authorization_endpoint",
            "PKCE with S256",
        ] { #expect(text.contains(part), "missing: \(part) in \(text)") }
        let shown = try await server.administer(["provider", "show", "example"])
        #expect(shown["pageName"] == "Example")
        #expect(shown["redirectUri"] == "https://auth.example.com/sign-in/provider/default/example")
    }
}
