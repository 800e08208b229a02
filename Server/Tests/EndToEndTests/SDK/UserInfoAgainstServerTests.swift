import Testing
import WalletAuth
import WalletAuthWire

@Suite("A person's claims, from the server to the app", .covers("the person's claims (OpenID Connect Core §5.3)"))
struct UserInfoAgainstServerTests {
    @Test("The name and the e-mail address of an account reach the app as the server has them")
    func claims() async throws {
        try await withServer { server in
            let client = RegisteredClient(
                id: "com.example.wallet", secret: nil, redirectURI: "com.example.wallet:/callback")
            try await server.require([
                "client", "create", client.id, "--name", "Example Wallet", "--public", "--first-party",
                "--redirect-uri", client.redirectURI, "--scope", "openid profile email phone",
            ])
            let ada = try await server.makeReachableAccount("ada")
            try await server.require([
                "account", "update", ada.username, "--name", "Ada Lovelace", "--given-name", "Ada", "--family-name",
                "Lovelace", "--locale", "en-GB",
            ])
            let phone = Device(ledger: server.ledger, person: ada, redirectURI: client.redirectURI)
            let wallet = try phone.wallet(
                issuer: await server.issuer, client: client, scopes: ["openid", "profile", "email", "phone"])
            let asked = try await wallet.login(username: ada.username, password: ada.password).secondFactor()
            try await asked.answer(try await server.newestCode()).signedIn()

            let person = try await wallet.userInfo()
            #expect(person.subject == wallet.identity?.subject)
            #expect(person.name == "Ada Lovelace")
            #expect(person.givenName == "Ada")
            #expect(person.familyName == "Lovelace")
            #expect(person.locale == "en-GB")
            #expect(person.email == "ada@example.com")
            #expect(person.isEmailVerified == true)
            #expect(person.phoneNumber == nil)
            #expect(person.claims["preferred_username"] == .string(ada.username))
        }
    }
}
