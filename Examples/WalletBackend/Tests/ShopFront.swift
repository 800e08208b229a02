import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

/// A shop on a ledger of its own.
struct ShopFront: Sendable {
    let server: ShopServer
    let ledger: Ledger
    let checkout: Checkout
    let client: any TestClientProtocol

    func get(_ path: String) async throws -> TestResponse {
        try await client.executeRequest(uri: path, method: .get, headers: [:], body: nil)
    }

    func buy(
        _ form: String = "good=espresso&account=", _ more: [String: String] = [:]
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
        return try await client.executeRequest(
            uri: "/shop/purchases", method: .post, headers: headers, body: ByteBuffer(string: form))
    }

    /// Buys an espresso.
    /// - Returns: the path of the purchase's page, and the transaction.
    func begun() async throws -> (path: String, id: TransactionID) {
        let answer = try await buy()
        #expect(answer.status == .seeOther)
        let location = try #require(answer.headers[.location])
        return ("/shop/\(location)", try #require(server.transactions.last).created.transactionID)
    }

    /// Sells an espresso to a visitor from an address.
    @discardableResult
    func sell(from address: String) async throws -> Purchase {
        let network = VisitorNetwork(try SocketAddress(ipAddress: address, port: 49_152))
        return try await checkout.buy(checkout.goods[0], account: nil, from: network)
    }

    /// Makes the open purchases older.
    func elapse(_ seconds: Int64 = TransactionRequest.defaultLifetime) async throws {
        try await ledger.pool.write { database in
            try database.execute(
                sql: "UPDATE purchase SET begunAt = begunAt - ? WHERE endedAt IS NULL", arguments: [seconds])
        }
    }

    func state(_ path: String, _ query: String = "") async throws -> String? {
        try await told(path, query)["state"]?.string
    }

    /// The values for the page's script.
    func told(_ path: String, _ query: String = "") async throws -> JSONObject {
        let answer = try await get(path + "/state" + query)
        return try JSONValue.object(parsing: Array(answer.body.readableBytesView))
    }

    func page(_ path: String) async throws -> String { String(buffer: try await get(path).body) }

    /// What the operator gets.
    func proof(_ number: String, verifiedBy keys: JWKSet? = nil) async throws -> TransactionEvidence? {
        try await ledger.purchase(numbered: number)?.proof(verifiedBy: keys ?? server.auditKeys)
    }

    static func checkout(_ server: ShopServer, _ ledger: Ledger) throws -> Checkout {
        let transactions = WalletTransactions(
            issuer: TrustedIssuer(server.issuer, transport: server, clock: server.clock),
            credential: .secret(try ClientID("wallet-backend"), try ClientSecret("secret")))
        return try Checkout(
            ledger: ledger, transactions: transactions, auditKeys: server.auditKeys, logger: Logger(label: "shop"))
    }

    static func with(
        _ setup: TestingSetup = .router, _ body: @escaping @Sendable (ShopFront) async throws -> Void
    ) async throws {
        try await TemporaryLedger.with { ledger in
            let server = try ShopServer()
            let checkout = try Self.checkout(server, ledger)
            let router = Router(context: BackendContext.self)
            router.add(middleware: Faults())
            let url = try WebURL("https://shop.example")
            ShopEndpoints(ledger: ledger, checkout: checkout, url: url).addRoutes(to: router)
            try await Application(router: router).test(setup) { client in
                try await body(ShopFront(server: server, ledger: ledger, checkout: checkout, client: client))
            }
        }
    }
}
