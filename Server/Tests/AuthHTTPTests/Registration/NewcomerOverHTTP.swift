import HTTPTypes
import HummingbirdTesting
import Testing

@testable import Kernel
@testable import Operations
@testable import Web

/// A newcomer's app.
struct NewcomerOverHTTP {
    static let password = "a phrase of my own 7"

    let server: TestServer
    let client: any TestClientProtocol
    var issuer = TestServer.issuer
    let key = ProofKey()

    /// A server whose brand takes newcomers.
    static func serve(
        _ body: @escaping @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            try await body(server, client)
        }
    }

    /// An account that has a confirmed address.
    static func makeHolder(_ server: TestServer, _ name: String = "maria") async throws {
        var registration = AccountRegistration(username: name, password: "correct horse battery")
        registration.email = "\(name)@example.com"
        registration.emailVerified = true
        try await server.execute { try await AccountAdministration($0).create(registration) }
    }

    /// - Parameter members: JSON members, without braces.
    func post(_ path: String, _ members: String) async throws -> TestResponse {
        let body = "{\"clientId\":\"wallet\",\"codeChallenge\":\"\(Journey.challenge)\",\(members)}"
        func send(_ nonce: String?) async throws -> TestResponse {
            try await client.post(
                path, body: body, "application/json", [.dpop: key.proof(path, nonce: nonce, issuer: issuer)])
        }
        let first = try await send(nil)
        guard first.status == .badRequest, let nonce = first.headers[.dpopNonce],
            first.text.contains("use_dpop_nonce")
        else { return first }
        return try await send(nonce)
    }

    func begin(_ address: String = "ada@example.com", more: String = "") async throws -> TestResponse {
        let member = address.contains("@") ? "email" : "phone"
        return try await post("/v1/registrations", "\"\(member)\":\"\(address)\"\(more)")
    }

    func confirm(_ session: String, _ code: String, more: String = "") async throws -> TestResponse {
        try await post(
            "/v1/registrations/confirm", "\"authSession\":\"\(session)\",\"code\":\"\(code)\"\(more)")
    }

    func finish(
        _ session: String, _ name: String = "ada", password: String = password, more: String = ""
    ) async throws -> TestResponse {
        try await post(
            "/v1/registrations/finish",
            "\"authSession\":\"\(session)\",\"username\":\"\(name)\",\"password\":\"\(password)\"\(more)")
    }

    /// The session of a newcomer whose address is proved.
    func proved(_ address: String = "ada@example.com") async throws -> String {
        try #require(try await confirmed(address).member("authSession"))
    }

    /// The answer to a newcomer whose address is proved.
    func confirmed(_ address: String = "ada@example.com") async throws -> TestResponse {
        let begun = try await begin(address)
        try #require(begun.status == .ok, "\(begun.text)")
        let session = try #require(try begun.member("authSession"))
        let confirmed = try await confirm(session, try await code(for: address))
        try #require(confirmed.status == .ok, "\(confirmed.text)")
        return confirmed
    }

    var messages: [MessageReader.Message] {
        get async throws { try await server.server.messages?.recent(limit: 100) ?? [] }
    }

    /// The last code that an address got.
    func code(for address: String) async throws -> String {
        try #require(try await messages.first { $0.recipient == address && $0.kind == "registration_code" }?.code)
    }
}
