import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import Transactions

@Suite("What an operator finds out about one operation")
struct OperatorEvidenceTests {
    private func keys(of server: TestServer) throws -> JWKSet {
        try JWKSet(server.context.audit.publicKeys(now: server.clock.now()))
    }

    private func kinds(of id: String, on server: TestServer) async throws -> [String] {
        let tail = try await server.administer(["audit", "tail", "--operation", id])
        return (tail["entries"]?.array ?? []).compactMap { $0.object?["kind"]?.string }
    }

    @Test("The steps and the proof of a payment are found by the backend's id for it and by its event's")
    func payment() async throws {
        let shop = try await TestShop.open()
        let server = shop.server
        let event = try await shop.required(TestShop.transfer(), id: "op-1")
        try await shop.agree(to: event)
        _ = try await shop.required(TestShop.transfer(80_00), id: "op-2")
        for id in ["op-1", event.rawValue] {
            #expect(try await kinds(of: id, on: server) == ["operation.sca_required", "operation.verified"])
            let printed = try await server.administer(["audit", "evidence", id])
            let document = try OperationEvidence(try #require(printed["evidence"]?.string))
            let claims = try document.verified(by: keys(of: server))
            #expect(claims.operationID.rawValue == "op-1")
            #expect(claims.account == shop.account)
            let read = try await server.administer(
                ["audit", "tail", "--kind", "evidence.read", "--account", shop.account.rawValue])
            #expect(read["entries"]?.array?.last?.object?["details"]?.object?["id"]?.string == id)
        }
        let tail = try await server.administer(["audit", "tail", "--operation", "op-1"])
        #expect(
            tail["entries"]?.array?.allSatisfy { $0.object?["accountId"]?.string == shop.account.rawValue } == true)
    }

    @Test("The steps and the proof of a signed transaction are found by its id")
    func transaction() async throws {
        let till = try await TestTill.open()
        let created = try await till.ask(till.purchase(for: till.account)).get()
        let id = created.transactionID.rawValue
        let expected = try await till.proof(created.transactionID)
        let printed = try await till.flows.evidence(named: id)
        let document = try TransactionEvidence(try #require(printed.first?.document))
        #expect(try document.verified(by: keys(of: till.server)).json == expected.json)
        #expect(printed.first?.account?.uuid == till.account.rawValue)
        let places = try await till.flows.auditPlaces(named: id)
        #expect(places.map(\.sequence) == expected.steps.compactMap(\.place?.sequence))
        #expect(try await till.flows.evidence(named: "op-1").isEmpty)
    }

    @Test("An unknown id is not found, and --operation takes no other filter")
    func unknown() async throws {
        let server = try await TestServer.start()
        for id in ["op-1", "3cb5291a-2fd0-48fe-85bc-1de836c8e11f"] {
            for words in [["audit", "evidence", id], ["audit", "tail", "--operation", id]] {
                let answer = await server.flows.administration.execute(AdminRequest(words))
                #expect(answer.refusal?.code == "not_found")
            }
        }
        for other in [["--account", "ada"], ["--kind", "operation.verified"], ["--follow"]] {
            let answer = await server.flows.administration.execute(
                AdminRequest(["audit", "tail", "--operation", "op-1"] + other))
            #expect(answer.refusal?.code == "malformed")
        }
    }
}
