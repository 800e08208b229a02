import Foundation
import Testing

/// A person with an account, as the tests make one.
struct Person: Sendable {
    let username: String
    let password: String
}

/// An OAuth client as registered at the server under test.
struct RegisteredClient: Sendable {
    let id: String
    var secret: String?
    var redirectURI: String
}

/// A command that was expected to work did not.
struct CommandFailed: Error, CustomStringConvertible {
    let description: String
}

extension RunningServer {
    /// Runs an administration command that has to work.
    @discardableResult
    nonisolated func require(_ arguments: [String], input: String = "") async throws -> String {
        let result = try await administer(arguments, input: input)
        guard result.succeeded else {
            throw CommandFailed(description: "\(arguments): \(result.ending) \(result.errors) \(result.output)")
        }
        return result.output
    }

    private static var longTokens: [String] { ["--access-token-lifetime", "1800"] }

    /// Makes an account with a password of its own, unlike any other in the run, so that the search of the logs
    /// cannot find it by chance.
    nonisolated func makeAccount(_ username: String = "ada") async throws -> Person {
        let person = Person(username: username, password: "Pw-\(UUID().uuidString)")
        ledger.enter(person.password)
        try await require(
            ["account", "create", username, "--password-stdin"], input: person.password + "\n")
        return person
    }

    /// Registers a relying app of another company, which may use bearer tokens.
    nonisolated func makeRelyingApp(
        _ id: String = "com.example.relying", redirectURI: String = "com.example.relying:/callback"
    ) async throws -> RegisteredClient {
        try await require([
            "client", "create", id, "--name", "Relying App", "--public", "--redirect-uri", redirectURI,
            "--scope", "openid profile offline_access",
        ])
        return RegisteredClient(id: id, secret: nil, redirectURI: redirectURI)
    }

    /// Registers the operator's own app, which has to use DPoP. Its tokens outlive a test on a busy machine.
    nonisolated func makePublicClient(
        _ id: String = "com.example.wallet", redirectURI: String = "com.example.wallet:/callback",
        options: [String] = []
    ) async throws -> RegisteredClient {
        try await require(
            [
                "client", "create", id, "--name", "Example Wallet", "--public", "--first-party",
                "--redirect-uri", redirectURI, "--scope", "openid profile offline_access",
            ] + Self.longTokens + options)
        return RegisteredClient(id: id, secret: nil, redirectURI: redirectURI)
    }

    /// Registers a confidential client, as a backend is one. The server makes its secret and tells it this once. Its tokens outlive a
    /// test on a busy machine.
    nonisolated func makeConfidentialClient(
        _ id: String = "backend", scope: String = "wallet_operations", options: [String] = []
    ) async throws -> RegisteredClient {
        let output = try await require(
            [
                "client", "create", id, "--name", "Backend", "--confidential", "--auth-method",
                "client_secret_basic", "--scope", scope, "--json",
            ] + Self.longTokens + options)
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        let secret = try #require(object?["clientSecret"] as? String, "client create --json tells the secret")
        ledger.enter(secret)
        return RegisteredClient(id: id, secret: secret, redirectURI: "")
    }
}
