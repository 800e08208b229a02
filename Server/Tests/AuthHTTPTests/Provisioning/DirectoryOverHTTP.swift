import HTTPTypes
import HummingbirdTesting
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel

/// A client that provisions accounts, with its token.
struct DirectoryOverHTTP: Sendable {
    let client: any TestClientProtocol
    let token: String

    /// Runs a test with a server that has such a client.
    static func use(
        scopes: [String] = ["scim"],
        _ body: @escaping @Sendable (TestServer, DirectoryOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.scim = true }) { server in
            try await server.serve { client in
                try await body(server, try await open("okta", at: server, client, scopes: scopes))
            }
        }
    }

    static func open(
        _ id: String, at server: TestServer, _ client: any TestClientProtocol, brand: String? = nil,
        scopes: [String] = ["scim"]
    ) async throws -> DirectoryOverHTTP {
        let secret = try await server.makeBackend(id) { ($0.scopes, $0.brand) = (scopes, brand) }
        let answer = try await client.post(
            "/oauth2/token",
            ["grant_type": "client_credentials", "client_id": id, "client_secret": secret, "scope": "scim"])
        return DirectoryOverHTTP(
            client: client, token: try #require(try answer.member("access_token"), "\(answer.text)"))
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.authorization] = "Bearer \(token)"
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/scim+json" }
        return try await client.execute(
            uri: "/scim/v2" + path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    /// Creates a user and returns its id.
    func create(_ members: String) async throws -> String {
        let answer = try await send(.post, "/Users", "{\(members)}")
        try #require(answer.status == .created, "\(answer.text)")
        return try #require(try answer.member("id"))
    }

    /// Creates a group and returns its id.
    func createGroup(_ name: String, members: [String] = []) async throws -> String {
        let members = members.map { #"{"value": "\#($0)"}"# }.joined(separator: ", ")
        let answer = try await send(.post, "/Groups", #"{"displayName": "\#(name)", "members": [\#(members)]}"#)
        try #require(answer.status == .created, "\(answer.text)")
        return try #require(try answer.member("id"))
    }

    func patch(
        _ id: String, of type: String = "Users", _ operations: String, _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let body = """
            {"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [\(operations)]}
            """
        return try await send(.patch, "/\(type)/\(id)", body, headers)
    }

    /// The user names that a list has.
    func names(_ query: String) async throws -> [String] {
        let answer = try await send(.get, "/Users?" + query)
        try #require(answer.status == .ok, "\(answer.text)")
        return try answer.json["Resources"]?.array?.compactMap { $0.object?["userName"]?.string } ?? []
    }
}
