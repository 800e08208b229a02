import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Testing
import WalletAuthWire

@testable import Web

/// A wallet's backend and Maria's phone, over HTTP.
struct ShopOverHTTP: Sendable {
    let phone: PhoneOverHTTP
    let backend: String
    let account: String
    let session: String

    static func open(
        _ server: TestServer, _ client: any TestClientProtocol, scopes: [String] = ["wallet_operations"],
        _ adjust: (inout ClientRegistration) -> Void = { _ in }
    ) async throws -> ShopOverHTTP {
        let phone = try await PhoneOverHTTP.enrolled(server, client, adjust)
        let secret = try await server.makeBackend { $0.scopes = scopes }
        let answer = try await client.post(
            "/oauth2/token",
            ["grant_type": "client_credentials", "client_id": "backend", "client_secret": secret])
        let payload = try #require(phone.token.reveal().split(separator: ".").dropFirst().first)
        let bytes = try #require(Base64URL.decode(String(payload)))
        let claims = try JSONValue.object(parsing: bytes)
        return ShopOverHTTP(
            phone: phone, backend: try #require(try answer.member("access_token"), "\(answer.text)"),
            account: try #require(claims["sub"]?.string), session: try #require(claims["sid"]?.string))
    }

    static let operation = """
        "type":"TRANSFER","amount":{"value":"9000","currency":"EUR"},"payee":{"name":"Anna","account":"DE02"}
        """

    func request(_ id: String = "op-1", _ operation: String = ShopOverHTTP.operation) -> String {
        #"{"walletOperationId":"\#(id)","accountId":"\#(account)","sessionId":"\#(session)",\#(operation)}"#
    }

    /// A call of the backend's.
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = "", key: String? = nil,
        accept: String? = nil
    ) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.accept] = accept
        if let token { headers[.authorization] = "Bearer \(token.isEmpty ? backend : token)" }
        headers[.idempotencyKey] = key
        if body != nil { headers[.contentType] = "application/json" }
        return try await phone.client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    func ask(_ id: String = "op-1") async throws -> String {
        let answer = try await call(.post, "/v1/wallet-operations", request(id))
        try #require(answer.status == .created, "\(answer.text)")
        return try #require(try answer.member("eventId"))
    }

    func challenge(_ event: String, _ channel: String = "EMAIL", id: String = "op-1") async throws -> TestResponse {
        try await phone.send(
            .post, "/v1/sca/events/\(event)/challenges",
            #"{"walletOperationId":"\#(id)","verification":{"method":"OTP","channel":"\#(channel)"}}"#)
    }

    func attempt(_ value: String, _ event: String, id: String = "op-1") async throws -> TestResponse {
        try await phone.send(
            .post, "/v1/sca/events/\(event)/attempts",
            #"{"walletOperationId":"\#(id)","verification":{"method":"OTP","channel":"EMAIL"},"value":"\#(value)"}"#
        )
    }

    func code() async throws -> String {
        let messages = try await phone.server.server.messages?.recent(limit: 10) ?? []
        return try #require(messages.first { $0.kind == "consent_code" }?.code)
    }
}

extension ShopOverHTTP {
    static let returnURL = "https://app.example.com/agreed"

    /// Challenges what is entered on the hosted page, the password unless another method is named.
    func challengePage(
        _ event: String, id: String = "op-1", method: String = "PASSWORD", returnURL: String = Self.returnURL
    ) async throws -> TestResponse {
        try await phone.send(
            .post, "/v1/sca/events/\(event)/challenges",
            """
            {"walletOperationId":"\(id)","verification":{"method":"\(method)","channel":"REDIRECT"},\
            "action":{"returnUrl":"\(returnURL)"}}
            """)
    }
}
