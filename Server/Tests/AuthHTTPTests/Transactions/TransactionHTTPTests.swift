import Core
import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite(
    "Transactions over HTTP",
    .covers("/v1/transactions… of a backend and a phone"))
struct TransactionHTTPTests {
    /// A till, and Maria's phone with a biometric key that may sign at once.
    struct Till: Sendable {
        let shop: ShopOverHTTP
        let biometricKey = P256Signer(P256.Signing.PrivateKey())

        var phone: PhoneOverHTTP { shop.phone }

        static func open(_ server: TestServer, _ client: any TestClientProtocol) async throws -> Till {
            let till = Till(shop: try await ShopOverHTTP.open(server, client, scopes: ["transactions"]))
            guard case .p256(let x, let y)? = till.biometricKey.publicJWK?.key,
                let device = UniqueID(uuid: till.phone.id.rawValue)
            else { throw MalformedValue(field: "test", reason: "has no key") }
            try await server.server.context.database.write {
                _ = try $0.execute(
                    """
                    UPDATE devices SET biometric_key = $2, biometric_key_set_at = 0, biometric_key_storage = 'software',
                        biometric_key_voucher = NULL WHERE id = $1
                    """, [.id(device), .blob(x + y)])
            }
            return till
        }

        func purchase(_ more: String = "") -> String {
            #"{"accountId":"\#(shop.account)","type":"PURCHASE","amount":{"value":"1250","currency":"EUR"},"#
                + #""payee":{"name":"Café Zürich","account":"DE02"}\#(more)}"#
        }

        func create(_ body: String? = nil, key: String = "0123456789abcdef") async throws -> TestResponse {
            try await shop.call(.post, "/v1/transactions", body ?? purchase(), key: key)
        }

        /// A request that the phone signs.
        func send(_ path: String, _ body: String) async throws -> TestResponse {
            let key = try IdempotencyKey("0123456789abcdef")
            let nonce = try Nonce(phone.server.server.context.proofs.currentNonce())
            let headers: HTTPFields = [
                .contentType: "application/json", .idempotencyKey: key.rawValue,
                .deviceSignature: try await phone.signature(path, body, nonce: nonce, key: key),
            ]
            return try await phone.client.execute(
                uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
        }

        func claim(_ created: JSONObject) async throws -> TestResponse {
            let qrData = try #require(created["qrData"]?.string)
            return try await send(
                "/v1/transactions/claim", #"{"qrData":"\#(qrData)","deviceId":"\#(phone.id.rawValue)"}"#)
        }

        func confirm(_ transaction: DeviceTransaction) async throws -> TestResponse {
            try await send(
                "/v1/transactions/\(transaction.transactionID)/confirm",
                #"{"deviceId":"\#(phone.id.rawValue)","payloadHash":"\#(PayloadHash.transaction(transaction.payload))"}"#
            )
        }

        func sign(_ transaction: DeviceTransaction) async throws -> TestResponse {
            let challenge = try #require(transaction.challenge)
            let assertion = try await DeviceAssertion(
                audience: Issuer(TestServer.issuer), account: AccountID(shop.account), deviceID: phone.id,
                factor: .biometric, challengeID: challenge.challengeID, nonce: challenge.nonce,
                act: .transaction(transaction.transactionID, .transaction(transaction.payload)),
                issuedAt: PhoneOverHTTP.now()
            ).signed(by: phone.deviceKey, biometricKey)
            let body = String(decoding: TransactionSignature(assertion: assertion).json.bytes, as: UTF8.self)
            return try await phone.client.post(
                "/v1/transactions/\(transaction.transactionID)/sign", body: body, "application/json")
        }
    }

    private func withTill(
        cooling: Duration = .zero, _ body: @Sendable (Till, TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = cooling }) { server in
            try await server.serve { client in try await body(Till.open(server, client), server, client) }
        }
    }

    @Test("The code's drawings and the proof go to a client that accepts their type or JSON, and to no other")
    func acceptedTypes() async throws {
        try await withTill { till, _, _ in
            let told = try await till.create().json
            let path = "/v1/transactions/\(try #require(told["transactionId"]?.string))"
            for (resource, type) in [
                ("qr.svg", "image/svg+xml"), ("qr.png", "image/png"), ("evidence", TransactionEvidence.mediaType),
            ] {
                for accept in [type, "application/json"] {
                    let answer = try await till.shop.call(.get, "\(path)/\(resource)", accept: accept)
                    #expect(answer.status == .ok && answer.headers[.contentType] == type, "\(resource) for \(accept)")
                }
                let other = try await till.shop.call(.get, "\(path)/\(resource)", accept: "text/html")
                #expect(other.status == .notAcceptable, "\(resource)")
            }
        }
    }

    @Test("attack: a cursor from no page is refused, and does not restart the list", .threat("Attacks on transactions"))
    func damagedCursor() async throws {
        try await withTill { till, _, _ in
            let told = try await till.create().json
            let id = try #require(told["transactionId"]?.string)
            for cursor in ["zzz", id.uppercased(), "\(id)0"] {
                let refused = try await till.shop.call(.get, "/v1/transactions?cursor=\(cursor)")
                #expect(refused.status == .badRequest, "\(cursor)")
                #expect(try refused.member("code") == "bad_request")
            }
            let last = try await till.shop.call(.get, "/v1/transactions?cursor=\(id)")
            #expect(try TransactionPage<TransactionReport>(last.json).transactions.isEmpty)
        }
    }

    @Test("A mistyped parameter is refused by its name, with the names of the others")
    func mistypedParameter() async throws {
        try await withTill { till, _, _ in
            let id = try #require(try await till.create().member("transactionId"))
            for (target, detail) in [
                ("/v1/transactions/\(id)?wiat=30", "wiat is not a parameter; known: wait"),
                (
                    "/v1/transactions?status=SIGNED",
                    "status is not a parameter; known: accountId, state, since, cursor"
                ),
                ("/v1/transactions/\(id)?a%20b=1", "query has an unknown parameter; known: wait"),
            ] {
                let refused = try await till.shop.call(.get, target)
                #expect(refused.status == .badRequest, "\(target)")
                #expect(try refused.member("code") == "bad_request")
                let told = try refused.member("detail") ?? ""
                #expect(told.contains(detail), "\(told)")
            }
        }
    }

    @Test("From the till to the phone and back: created, drawn, claimed, confirmed, signed, proved")
    func journey() async throws {
        try await withTill { till, server, _ in
            let created = try await till.create()
            #expect(created.status == .created)
            let told = try created.json
            let id = try #require(told["transactionId"]?.string)
            #expect(told["qrData"]?.string?.hasPrefix("\(TestServer.issuer)/t/\(id)#") == true)
            #expect(told["deepLink"] == told["qrData"])

            let svg = try await till.shop.call(.get, "/v1/transactions/\(id)/qr.svg")
            #expect(svg.headers[.contentType] == "image/svg+xml")
            #expect(svg.text.hasPrefix("<svg"))
            let png = try await till.shop.call(.get, "/v1/transactions/\(id)/qr.png")
            #expect(png.headers[.contentType] == "image/png")
            #expect(Array(png.body.readableBytesView.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
            #expect(png.headers[.cacheControl] == "no-store")

            let claimed = try DeviceTransaction(try await till.claim(told).json)
            #expect(claimed.status == .claimed)
            let confirmed = try DeviceTransaction(try await till.confirm(claimed).json)
            #expect(confirmed.allowedSecondFactors == [.biometric])
            let signed = try await till.sign(confirmed)
            #expect(signed.status == .ok, "\(signed.text)")
            #expect(try signed.member("status") == "SIGNED")

            let report = try TransactionReport(try await till.shop.call(.get, "/v1/transactions/\(id)").json)
            #expect(report.status == .signed)
            #expect(report.payload == claimed.payload)
            let evidence = try await till.shop.call(.get, "/v1/transactions/\(id)/evidence")
            #expect(evidence.headers[.contentType] == TransactionEvidence.mediaType)
            let answer = await server.server.administration.execute(["audit", "key"])
            let keys = try JWKSet(JSONValue.object(parsing: Array(answer.json.utf8)))
            #expect(try TransactionEvidence(evidence.text).verified(by: keys).status == .signed)
            let list = try await till.shop.call(.get, "/v1/transactions?state=SIGNED,REJECTED")
            let page = try TransactionPage<TransactionReport>(list.json)
            #expect(page.transactions == [report])
        }
    }

    @Test("Each refusal has its status and its code, and what belongs to it")
    func refusals() async throws {
        try await withTill { till, _, client in
            func expect(
                _ response: TestResponse, _ status: Int, _ code: String,
                sourceLocation: SourceLocation = #_sourceLocation
            ) throws -> JSONObject {
                let json = try response.json
                #expect(response.status.code == status, "\(response.text)", sourceLocation: sourceLocation)
                #expect(json["code"]?.string == code, sourceLocation: sourceLocation)
                return json
            }
            let created = try await till.create().json
            let id = try #require(created["transactionId"]?.string)
            _ = try expect(await till.create(till.purchase(#","reference":"x""#)), 422, "idempotency_mismatch")
            _ = try expect(
                await till.create(#"{"type":"A","lines":[{"label":"a","value":"b"}]}"#, key: "another-key-0001"), 400,
                "account_required")
            let unknown = till.purchase().replacing(
                till.shop.account, with: "0190b3f2-0000-7000-8000-00000000002a")
            _ = try expect(await till.create(unknown, key: "another-key-0002"), 404, "account_not_found")
            _ = try expect(
                await till.shop.call(.get, "/v1/transactions/0190b3f2-0000-7000-8000-00000000002a"), 404,
                "transaction_not_found")
            let claimed = try DeviceTransaction(try await till.claim(created).json)
            var other = claimed
            other.payload += [0x20]
            _ = try expect(await till.confirm(other), 409, "payload_mismatch")
            let confirmed = try DeviceTransaction(try await till.confirm(claimed).json)
            let cancelled = try await till.shop.call(.delete, "/v1/transactions/\(id)")
            #expect(cancelled.status == .noContent)
            let over = try expect(await till.sign(confirmed), 409, "transaction_over")
            #expect(over["state"]?.string == "CANCELLED")
            _ = try expect(await till.shop.call(.get, "/v1/transactions/\(id)/qr.png"), 409, "transaction_over")
            for number in 0..<20 {
                let made = try await till.create(key: "many-keys-\(1000 + number)-x")
                #expect(made.status == .created)
            }
            let many = try await till.create(key: "one-key-too-many")
            _ = try expect(many, 429, "too_many_transactions")
            #expect(Int(try #require(many.headers[.retryAfter])).map { (1...300).contains($0) } == true)
            let without = try await till.shop.call(.post, "/v1/transactions", till.purchase())
            #expect(without.status == .badRequest)
            #expect(without.text.contains("Idempotency-Key"))
            let anonymous = try await till.shop.call(.get, "/v1/transactions/\(id)", token: nil)
            #expect(anonymous.status == .unauthorized)
            for query in ["state=OPEN", "since=yesterday", "accountId=1", "page=2"] {
                #expect(try await till.shop.call(.get, "/v1/transactions?\(query)").status == .badRequest)
            }
            for wait in ["31", "-1", "soon"] {
                #expect(try await till.shop.call(.get, "/v1/transactions/\(id)?wait=\(wait)").status == .badRequest)
            }
            let unsigned = try await client.post("/v1/transactions/claim", body: "{}", "application/json")
            _ = try expect(unsigned, 401, "use_dpop_nonce")
        }
    }

    @Test("A device in its cooling period learns until when")
    func cooling() async throws {
        try await withTill(cooling: .hours(24)) { till, _, _ in
            let refused = try await till.claim(till.create().json)
            #expect(refused.status == .forbidden)
            let json = try refused.json
            #expect(json["code"]?.string == "device_cooling")
            let until = try #require(json["coolingUntil"]?.integer)
            #expect(until > (try PhoneOverHTTP.now().secondsSince1970))
        }
    }

    @Test("A phone that lacks what a transaction asks for learns what that is, and what keeps its PIN from signing")
    func shortage() async throws {
        try await withTill { till, _, _ in
            let pin = try await till.claim(till.create(till.purchase(#","requiredSecondFactorType":"PIN""#)).json)
            #expect(pin.status == .conflict)
            let told = try pin.json
            #expect(told["code"]?.string == "second_factor_unavailable")
            #expect(told["requiredSecondFactorType"]?.string == "PIN")
            #expect(told["pinState"]?.string == "NOT_SET")
            #expect(SecondFactorShortage(told) == SecondFactorShortage(required: .pin, pin: .notSet))
        }
    }

    @Test("A backend that waits is answered by the cancellation")
    func waits() async throws {
        try await withTill { till, _, client in
            let id = try #require(try await till.create().member("transactionId"))
            let port = try #require(client.port)
            // A connection answers its requests in turn: the one that waits would hold up the cancellation. A client of its own adds
            // no Host.
            let headers: HTTPFields = [
                .authorization: "Bearer \(till.shop.backend)", try #require(HTTPField.Name("host")): "localhost",
            ]
            try await TestClient.withClient(
                host: "localhost", port: port, configuration: .init(timeout: .seconds(300))
            ) { waiting in
                async let waited = waiting.get("/v1/transactions/\(id)?wait=30", headers: headers)
                let cancelled = try await till.shop.call(.delete, "/v1/transactions/\(id)")
                #expect(cancelled.status == .noContent)
                let body = try #require(try await waited.body)
                #expect(try JSONValue.object(parsing: Array(body.readableBytesView))["status"] == "CANCELLED")
            }
        }
    }

    @Test("The guard against slow bodies leaves a poll its whole wait")
    func outlastsGuard() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve(.live) {
                $0.limits.bodyDeadline = .milliseconds(100)
            } _: { client in
                let till = try await Till.open(server, client)
                let id = try #require(try await till.create().member("transactionId"))
                let answer = try await till.shop.call(.get, "/v1/transactions/\(id)?wait=1")
                #expect(answer.status == .ok)
                #expect(try answer.member("status") == "CREATED")
            }
        }
    }
}
