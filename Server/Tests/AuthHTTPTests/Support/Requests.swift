import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthWire

extension HTTPFields {
    /// A client's id and secret (HTTP Basic).
    static func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
    }
}

extension FormParameters {
    init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields { append(name, value) }
    }
}

extension TestClientProtocol {
    func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        try await execute(uri: uri, method: .get, headers: headers)
    }

    func post(_ uri: String, _ fields: KeyValuePairs<String, String>, _ headers: HTTPFields = [:]) async throws
        -> TestResponse
    {
        try await post(uri, body: FormParameters(fields).encoded, "application/x-www-form-urlencoded", headers)
    }

    /// Posts, and goes on to the page that answers a form, as browsers do.
    func post(_ uri: String, body: String, _ contentType: String?, _ headers: HTTPFields = [:]) async throws
        -> TestResponse
    {
        let answer = try await postOnly(uri, body: body, contentType, headers)
        guard let page = answer.nextPage else { return answer }
        var headers = headers
        headers[.cookie] = answer.cookies(after: headers[.cookie])
        return try await get(page, headers)
    }

    /// Posts, and follows no redirect.
    func postOnly(_ uri: String, body: String, _ contentType: String?, _ headers: HTTPFields = [:]) async throws
        -> TestResponse
    {
        var headers = headers
        headers[.contentType] = contentType
        return try await execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(string: body))
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    var json: JSONObject {
        get throws { try JSONValue.object(parsing: Array(body.readableBytesView)) }
    }

    func member(_ name: String) throws -> String? { try json[name]?.string }

    /// The value of a hidden field of the page.
    func field(_ name: String) throws -> String {
        let pattern = try Regex("name=\"\(name)\" value=\"([^\"]*)\"")
        let match = try #require(text.firstMatch(of: pattern))
        return String(try #require(match.output[1].substring))
    }

    /// What the page asks the browser for.
    var passkeyOptions: JSONObject {
        get throws {
            let match = try #require(text.firstMatch(of: /id="passkey"[^>]*? data-options="([^"]*)"/), "\(text)")
            let options = String(match.output.1).replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
            return try JSONValue.object(parsing: Array(options.utf8))
        }
    }

    var passkeyChallenge: [UInt8] {
        get throws { try #require(try passkeyOptions["challenge"]?.string.flatMap { Base64URL.decode($0) }) }
    }

    /// The parameters that a redirect carries back.
    var redirectParameters: FormParameters {
        get throws {
            let location = try #require(headers[.location])
            return try FormParameters(parsing: location.split(separator: "?", maxSplits: 1).last ?? "")
        }
    }

    /// The path of the page that answers a form; `nil` unless the form leads to one.
    var nextPage: String? {
        let address = /https?:\/\/[^\/]+(\/(?:.*\/)?(?:sign-in|account|consent|device)\?(?:.*&)?page=.*)/
        guard status == .seeOther, let match = headers[.location]?.wholeMatch(of: address) else { return nil }
        return String(match.1)
    }

    /// The cookies that a browser sends after this answer.
    /// - Parameter header: those that it sent before.
    fileprivate func cookies(after header: String?) -> String? {
        var pairs = header.map { $0.split(separator: ";").map { $0.drop { $0 == " " } } } ?? []
        for cookie in headers[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }
            pairs.removeAll { $0.prefix { $0 != "=" } == pair.prefix { $0 != "=" } }
            if !pair.hasSuffix("=") { pairs.append(pair) }
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    /// The cookies to send next.
    var cookieHeader: String {
        headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
    }
}

/// One person's way through the browser flow.
struct Journey: Sendable {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let redirectURI = "https://app.example.com/callback"

    /// A query for the authorization endpoint, changed as an attack asks.
    static func query(_ changes: [String: String?] = [:]) -> String {
        var fields: [(String, String?)] = [
            ("response_type", "code"), ("client_id", "wallet"), ("redirect_uri", redirectURI),
            ("code_challenge", challenge), ("code_challenge_method", "S256"), ("scope", "openid offline_access"),
            ("state", "state-1"), ("nonce", "nonce-1"),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            if let index = fields.firstIndex(where: { $0.0 == name }) { fields.remove(at: index) }
            fields.append((name, value))
        }
        var form = FormParameters()
        for (name, value) in fields { form.append(name, value) }
        return form.encoded
    }

    static func open(_ client: any TestClientProtocol, _ changes: [String: String?] = [:]) async throws -> TestResponse
    {
        try await client.get("/oauth2/authorize?" + query(changes))
    }

    static func signIn(
        _ client: any TestClientProtocol, on page: TestResponse, username: String = "maria",
        password: String = "correct horse battery"
    ) async throws -> TestResponse {
        try await client.post(
            "/sign-in",
            [
                "request": page.field("request"), "csrf": page.field("csrf"), "action": "sign_in",
                "username": username, "password": password,
            ], [.cookie: page.cookieHeader])
    }

    /// The whole way to a code.
    static func code(_ client: any TestClientProtocol) async throws -> String {
        let answer = try await signIn(client, on: open(client))
        try #require(answer.status == .seeOther, "\(answer.status) \(answer.text)")
        return try #require(try answer.redirectParameters["code"])
    }

    static func redeem(
        _ client: any TestClientProtocol, _ code: String, _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await client.post(
            "/oauth2/token",
            [
                "grant_type": "authorization_code", "client_id": "wallet", "code": code, "code_verifier": verifier,
                "redirect_uri": redirectURI,
            ], headers)
    }
}
