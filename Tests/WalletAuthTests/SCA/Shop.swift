import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// A world with a shop whose payments need alice's consent.
struct Shop: Sendable {
    static let path = "/payments"
    static let alice = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
    static let event = "00000000-0000-4000-8000-000000000001"
    static let challenges = "/v1/sca/events/\(event)/challenges"
    static let attempts = "/v1/sca/events/\(event)/attempts"
    static let refusal = "/v1/sca/events/\(event)/refusal"
    static let code = "123456"

    let world: World
    var server: ScriptedServer { world.server }

    init(by ways: SCA.Verification..., proofs: Int = 1, _ settings: ScriptedServer.Settings = .init()) throws {
        world = World(settings)
        world.server.addPerson("alice", password: "correct horse", subject: Self.alice)
        try requireConsent(by: ways, proofs: proofs)
    }

    /// A shop that asks for a code by SMS, and alice's wallet, in which she is signed in.
    static func visited() async throws -> (shop: Shop, wallet: Wallet) {
        let shop = try Shop(by: .sms)
        return (shop, try await shop.world.signedIn())
    }

    func requireConsent(by ways: [SCA.Verification], proofs: Int = 1) throws {
        world.server.requireConsent(
            .init(try Self.operation(), by: ways, proofs: proofs, code: Self.code), at: Self.path)
    }

    static func operation(payee: String = "Blumen Huber") throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1250, currency: .euro),
            payee: Payee(name: payee, account: "DE02120300000000202051"), details: ["reference": "Tulips"])
    }

    /// alice's payment, as her app sends it.
    func payment(_ body: String = #"{"amount":12.50,"to":"Huber"}"#, key: String? = nil) throws -> URLRequest {
        var request = try request(Self.path, method: "POST", headers: key.map { ["Idempotency-Key": $0] } ?? [:])
        request.httpBody = Data(body.utf8)
        return request
    }

    /// The payments that reached the shop.
    var payments: [ScriptedServer.SeenRequest] { server.requests.filter { $0.path == Self.path } }
    var keys: Set<String?> { Set(payments.map { $0.headers["Idempotency-Key"] }) }
    func count(_ path: String) -> Int { server.requests.count { $0.path == path } }
    var carriedOut: Int { server.consents.reduce(0) { $0 + $1.carriedOut } }
}

/// A person who answers as a test says, and what they were asked.
final class Answers: Sendable {
    private struct State {
        var script: [SCA.Answer]
        var prompts: [SCA.Prompt] = []
    }
    private let state: LockedValue<State>
    var prompts: [SCA.Prompt] { state.withLock { $0.prompts } }

    /// - Parameter script: the answers, in order; the last one goes on.
    init(_ script: SCA.Answer...) { state = LockedValue(State(script: script)) }

    struct NothingToSay: Error {}

    var handler: SCA.Handler {
        { [state] prompt in
            try state.withLock { state in
                state.prompts.append(prompt)
                guard let answer = state.script.first else { throw NothingToSay() }
                if state.script.count > 1 { state.script.removeFirst() }
                return answer
            }
        }
    }
}
