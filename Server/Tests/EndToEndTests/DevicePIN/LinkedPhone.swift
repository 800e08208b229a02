import Foundation
import Testing
import WalletAuth

/// A phone that is linked to an account by a code, as a new user's is: what a PIN needs.
struct LinkedPhone: Sendable {
    let server: RunningServer
    let client: RegisteredClient
    let person: Person
    let phone: Device
    let wallet: Wallet

    /// Something else came of a sign-in than the test is about.
    struct Unexpected: Error {
        let what: String
    }

    /// Runs a test's body with a server and a linked phone whose person is signed in.
    /// - Parameters:
    ///   - options: further options of `client create`.
    ///   - arguments: further settings of the server, as flags.
    static func use(
        _ options: [String] = [], serving arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (LinkedPhone) async throws -> Void
    ) async throws {
        try await withServer(arguments, sourceLocation: sourceLocation) { server in
            let client = try await server.makePublicClient(options: options)
            let person = try await server.makeReachableAccount("grace")
            let phone = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
            let linked = LinkedPhone(
                server: server, client: client, person: person, phone: phone,
                wallet: try phone.wallet(issuer: await server.issuer, client: client))
            try await linked.link(person)
            try await body(linked)
        }
    }

    /// Signs a person in by password and the code that they are sent, and links this phone.
    func link(_ person: Person) async throws {
        let asked = try await signIn(person).secondFactor()
        let registration = try await wallet.register(mfa: asked, answer: try await server.newestCode())
        try registration.link.linked()
    }

    /// Signs in by password.
    @discardableResult
    func signIn(_ person: Person) async throws -> LoginOutcome {
        try await wallet.login(username: person.username, password: person.password)
    }

    /// The app started again, in a process of its own.
    func another(_ ports: Wallet.Ports? = nil) async throws -> Wallet {
        try phone.wallet(issuer: await server.issuer, client: client, ports: ports)
    }
}

extension RunningServer {
    /// An account with a confirmed address, to which codes are sent.
    nonisolated func makeReachableAccount(_ username: String) async throws -> Person {
        let person = Person(username: username, password: "Pw-\(UUID().uuidString)")
        ledger.enter(person.password)
        try await require(
            [
                "account", "create", username, "--password-stdin", "--email",
                "\(username)@example.com", "--email-verified",
            ], input: person.password + "\n")
        return person
    }

    /// The newest code in the sandbox's outbox.
    nonisolated func newestCode(digits: Int = 6) async throws -> String {
        let page = try await WebClient(ledger: ledger).get(await url("/sandbox/outbox"))
        let codes = page.text.matches(of: /<code>(\d+)<\/code>/)
        guard let match = codes.first(where: { $0.output.1.count == digits }) else {
            throw LinkedPhone.Unexpected(what: "no code in the outbox")
        }
        return String(match.output.1)
    }
}
