import Foundation
import Testing
import WalletAuth

/// A till's app, which learns its merchant from the employee who signs in.
@Suite("An employee of several merchants")
struct MerchantAgainstServerTests {
    /// A client that requires a merchant, and a person who works for two that have it.
    private func withEmployee(_ body: (RunningServer, RegisteredClient, Person) async throws -> Void) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient(options: ["--require-merchant"])
            let person = try await server.makeAccount()
            for (id, name) in [("kiosk", "Kiosk"), ("shop", "Corner Shop")] {
                try await server.require(["merchant", "create", id, "--name", name])
                try await server.require(["merchant", "install-client", id, "--client", client.id])
                try await server.require(["merchant", "add-employee", id, person.username])
            }
            try await body(server, client, person)
        }
    }

    @Test("The SDK offers the merchants of an employee, and the session is for the one chosen")
    func sdk() async throws {
        try await withEmployee { server, client, person in
            let device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let wallet = try device.wallet(issuer: await server.issuer, client: client)
            let choice = try await wallet.login(username: person.username, password: person.password).merchantChoice()
            #expect(choice.merchants.map(\.name) == ["Corner Shop", "Kiosk"])
            let shop = try #require(choice.merchants.first { $0.id == "shop" })
            try await choice.choose(shop).signedIn()
            #expect(wallet.identity?.merchantID == "shop")
        }
    }

    @Test("An employee of two merchants names one in the terminal, and the session is for it", .onceForAllEngines)
    func terminal() async throws {
        try await withEmployee { server, client, person in
            let wallet = await TerminalWallet(server, client)
            let input = person.password + "\nkiosk\n"
            let signIn = try await wallet.run(
                ["sign-in", "--username", person.username, "--password-stdin"], input: input)
            #expect(signIn.succeeded, "\(signIn.errors)")
            #expect(signIn.errors.contains("shop  Corner Shop"), "\(signIn.errors)")
            #expect(try await wallet.run("status", "--json").json["merchantId"] as? String == "kiosk")

            let other = wallet.onAnotherDevice("other")
            let refused = try await other.run(
                ["sign-in", "--username", person.username, "--password-stdin"], input: person.password + "\nbank\n")
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("enter the id of one of the listed merchants"), "\(refused.errors)")
        }
    }
}
