import Foundation
import Synchronization
import WalletAuth
import WalletAuthTesting

/// A phone with a wallet app on it: real HTTP to a real server, a person at a browser, and a store and keys that outlive
/// the app's process.
struct Device: Sendable {
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()
    let network: Network
    let browser: ScriptedUserAgent

    /// - Parameters:
    ///   - person: who signs in, when a page is shown.
    ///   - redirectURI: where the browser's journey ends.
    init(ledger: SecretLedger, person: Person, redirectURI: String) {
        network = Network(ledger: ledger)
        let page = HeadlessBrowser(ledger: ledger)
        browser = ScriptedUserAgent { url in
            .callback(
                try await page.signIn(
                    at: url, typing: ["username": person.username, "password": person.password], until: redirectURI))
        }
    }

    var ports: Wallet.Ports {
        Wallet.Ports(
            transport: network, store: store, userAgent: browser, keys: keys, presence: keys.presence,
            time: SystemTimeSource())
    }

    /// Starts the app: a new wallet on this device.
    func wallet(
        issuer: URL, client: RegisteredClient, ports: Wallet.Ports? = nil, scopes: [String] = ["openid", "profile"]
    ) throws -> Wallet {
        guard let redirectURI = URL(string: client.redirectURI) else { throw URLError(.badURL) }
        return try Wallet(
            configuration: .init(
                environment: .sandbox(issuer: issuer), clientID: client.id, signIn: .full(redirectURI: redirectURI),
                scopes: scopes, ports: ports ?? self.ports))
    }
}

extension AsyncStream<Void> {
    /// Waits for so many.
    func wait(for count: Int) async {
        var left = count
        for await _ in self {
            left -= 1
            if left == 0 { return }
        }
    }
}

/// The device's network: passes everything on, enters secrets in the ledger, counts, and loses answers when told to.
final class Network: HTTPTransport {
    private struct State {
        var requests: [(path: String, form: [String: String])] = []
        var answers: [[String: String]] = []
        var losses: [String: Int] = [:]
        var beforehand: [String: @Sendable () async throws -> Void] = [:]
        var isOffline = false
        var spoiled: Set<String> = []
    }

    private let web: WebClient
    private let state = Mutex(State())

    init(ledger: SecretLedger) {
        web = WebClient(ledger: ledger)
    }

    /// Loses the answers to the next requests to a path, after the server has acted on them.
    func loseAnswers(_ count: Int, to path: String) {
        state.withLock { $0.losses[path] = count }
    }

    /// Has something happen right before the next request to a path is sent.
    func before(_ path: String, _ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.beforehand[path] = body }
    }

    /// Takes the network away, or gives it back.
    func setOffline(_ isOffline: Bool) {
        state.withLock { $0.isOffline = isOffline }
    }

    /// Spoils every request to a path, as an app that does not speak the protocol would: half a body, half a header.
    func spoil(_ path: String) {
        state.withLock { _ = $0.spoiled.insert(path) }
    }

    /// How many requests of a grant have been sent.
    func grants(_ type: String) -> Int {
        state.withLock { $0.requests.count { $0.form["grant_type"] == type } }
    }

    /// The refresh tokens that the server has handed out, in order, lost ones included: what a thief on the device
    /// could have copied.
    var refreshTokens: [String] {
        state.withLock { $0.answers.compactMap { $0["refresh_token"] } }
    }

    /// The access token of the last answer.
    var accessToken: String? {
        state.withLock { $0.answers.compactMap { $0["access_token"] }.last }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        if state.withLock(\.isOffline) { throw TransportFailure(.offline, reason: "the test took the network away") }
        let path = request.url.path()
        try await state.withLock { $0.beforehand.removeValue(forKey: path) }?()
        let form = queryItems(of: "?" + String(decoding: request.body ?? Data(), as: UTF8.self))
        web.ledger.enter(fields: form)
        state.withLock { $0.requests.append((path, form)) }
        var headers = Dictionary(request.headers.all.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        var body = request.body
        if state.withLock({ $0.spoiled.contains(path) }) {
            if let whole = body {
                body = whole.prefix(whole.count / 2)
            } else {
                for name in headers.keys where name.lowercased() == "authorization" { headers[name] = "DPoP" }
            }
        }
        let answer = try await web.send(request.method, request.url, headers: headers, body: body)
        let lost = state.withLock { state in
            if answer.status == 200 { state.answers.append(answer.members) }
            guard answer.status == 200, let left = state.losses[path], left > 0 else { return false }
            state.losses[path] = left - 1
            return true
        }
        if lost { throw TransportFailure(.lost, reason: "the test lost this answer") }
        return HTTPResponse(
            status: answer.status, headers: HTTPFields(answer.headers.map { (name: $0.key, value: $0.value) }),
            body: answer.body)
    }
}
