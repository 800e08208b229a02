import Crypto
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

/// A backend on a ledger of its own, its authorization server, and a person with a phone.
struct World: Sendable {
    static let url = "https://wallet.example"
    let server: StandInServer
    let ledger: Ledger
    let ada: Phone

    /// Runs a test in a world of its own.
    static func with(_ body: @escaping @Sendable (World, any TestClientProtocol) async throws -> Void) async throws {
        try await TemporaryLedger.with { ledger in
            let server = try StandInServer()
            let issuer = TrustedIssuer(server.issuer, transport: server, clock: server.clock)
            var settings = AccessTokenVerifier.Settings()
            settings.metadata = try Backend.metadata()
            let backend = Backend(
                verifier: AccessTokenVerifier(
                    issuer: issuer, audience: url, externalURL: try WebURL(url), settings: settings),
                operations: WalletOperations(
                    issuer: issuer, credential: .secret(try ClientID(StandInServer.client), try ClientSecret("secret"))),
                ledger: ledger)
            let world = World(server: server, ledger: ledger, ada: try Phone(server: server))
            try await Application(router: try backend.router()).test(.router) { try await body(world, $0) }
        }
    }
}

/// A person's app: a key, a session and a token that is bound to the key.
struct Phone: Sendable {
    let server: StandInServer
    let account: AccountID
    let session: SessionID
    let key = P256Signer(P256.Signing.PrivateKey(), keyID: "app")

    init(server: StandInServer) throws {
        self.server = server
        account = try AccountID(UUID().uuidString.lowercased())
        session = try SessionID(UUID().uuidString.lowercased())
    }

    struct Answer {
        let status: Int
        let json: JSONObject
        let body: [UInt8]
        let challenges: [String]
        var code: String? { json["code"]?.string }
        /// What the app repeats its request with, after a 403 that asks for consent.
        var details: SCADetails {
            get throws {
                let required = try #require(
                    SCARequired(problem: json), "\(status) \(String(decoding: body, as: UTF8.self))")
                return SCADetails(eventID: required.eventID, operationID: required.operationID)
            }
        }
    }

    func call(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
        key idempotencyKey: String? = nil, scope: String = "accounts payments",
        acr: String = AuthenticationStrength.twoFactors[0], proof: String? = nil
    ) async throws -> Answer {
        let token = try server.token(of: self, boundTo: key, scope: scope, acr: acr, audience: World.url)
        var headers = HTTPFields()
        headers[.authorization] = "DPoP \(token)"
        if let name = HTTPField.Name("DPoP") {
            let target = String(path.prefix { $0 != "?" })
            headers[name] = try proof ?? self.proof(of: token, method: method.rawValue, path: target)
        }
        if let idempotencyKey, let name = HTTPField.Name(IdempotencyKey.headerName) { headers[name] = idempotencyKey }
        return try await Self.send(client, method, path, headers, body)
    }

    static func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:],
        _ body: String? = nil
    ) async throws -> Answer {
        let response = try await client.executeRequest(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
        let bytes = Array(response.body.readableBytesView)
        return Answer(
            status: response.status.code, json: (try? JSONValue.object(parsing: bytes)) ?? JSONObject(), body: bytes,
            challenges: response.headers[values: .wwwAuthenticate])
    }

    func proof(of token: String, method: String, path: String) throws -> String {
        try DPoPProofContent(
            id: UUID().uuidString, method: method, target: try HTTPTarget(World.url + path),
            issuedAt: server.clock.now(), nonce: nil, accessToken: try AccessToken(token)
        ).signed(by: key)
    }

    /// Asks for a transfer, the second time with what carries the consent.
    func transfer(
        _ client: any TestClientProtocol, _ cents: Int, to payee: String = "Bakery", key idempotencyKey: String,
        _ details: SCADetails? = nil
    ) async throws -> Answer {
        var body = JSONObject()
        body.set("to", payee)
        body["amount"] = .object(JSONObject(strings: ["value": String(cents), "currency": "EUR"]))
        if let details { body["scaDetails"] = .object(details.json) }
        return try await call(
            client, .post, "/transfers", String(decoding: body.bytes, as: UTF8.self), key: idempotencyKey)
    }

    func addBakery(_ client: any TestClientProtocol) async throws {
        let added = try await call(client, .post, "/payees", #"{"name":"Bakery","account":"DE02120300000000202051"}"#)
        #expect(added.status == 201)
    }

    /// What is in the wallet, in cents.
    func balance(_ client: any TestClientProtocol) async throws -> String? {
        try await call(client, .get, "/balance").json["balance"]?.object?["value"]?.string
    }
}

/// A ledger in a folder that is removed again.
enum TemporaryLedger {
    static func with(_ body: (Ledger) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try Ledger(
            path: folder.appending(path: "ledger.db").path,
            opening: Money(minorUnits: 1_000_00, currency: Currency("EUR")))
        try await body(ledger)
        let isInOrder = try await ledger.isInOrder()
        #expect(isInOrder, "the books are in order after every test")
        try ledger.pool.close()
    }
}
