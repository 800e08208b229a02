import Crypto
import Foundation
import Synchronization
import Testing
import WalletAuthVerifier
import WalletAuthWire

/// A wallet's backend on the verifier library, a person's app written against the RFCs alone, and the running server.
struct VerifyingBackend: Sendable {
    static let audience = "https://api.example.com"

    let server: RunningServer
    let person: Person
    let app: StandardClient
    let issuer: TrustedIssuer
    let clock: ShiftedClock
    let verifier: AccessTokenVerifier

    /// Runs a test's body with all of them. One password lets the person in, and a code by e-mail can be asked for.
    static func use(
        _ settings: TrustedIssuer.Settings = TrustedIssuer.Settings(),
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (VerifyingBackend) async throws -> Void
    ) async throws {
        try await withServer(sourceLocation: sourceLocation) { server in
            try await server.require(["brand", "update", "default", "--new-device", "allow"])
            let client = try await server.makePublicClient(
                options: ["--resource", audience, "--resource", "https://other.example.com"])
            let clock = ShiftedClock()
            let issuer = TrustedIssuer(
                try Issuer(await server.issuer.absoluteString), settings: settings, clock: clock)
            var nonces = AccessTokenVerifier.Settings()
            nonces.nonces = .ofThisProcess()
            try await body(
                VerifyingBackend(
                    server: server, person: try await server.makeReachableAccount("ada"),
                    app: StandardClient(client, at: server, key: P256.Signing.PrivateKey()), issuer: issuer,
                    clock: clock,
                    verifier: AccessTokenVerifier(
                        issuer: issuer, audience: audience, externalURL: try WebURL(audience), settings: nonces)))
        }
    }

    // MARK: - The person

    /// Signs in for this backend.
    /// - Parameters:
    ///   - changes: what the request has besides, as a step-up does.
    ///   - browser: whose cookies there are.
    func signIn(
        _ changes: [String: String?] = [:], resource: String = Self.audience, in browser: HeadlessBrowser? = nil
    ) async throws -> String {
        let callback = try await arrive(changes, resource: resource, in: browser)
        let code = try #require(callback.items["code"], "\(callback.items)")
        let answer = try await app.redeem(code, verifier: callback.verifier)
        return try #require(answer.members["access_token"], "\(answer.text)")
    }

    /// Goes to the authorization endpoint and types what is asked for, until the app is given something.
    func arrive(
        _ changes: [String: String?] = [:], as person: Person? = nil, resource: String = Self.audience,
        in browser: HeadlessBrowser? = nil
    ) async throws -> (items: [String: String], verifier: String) {
        let person = person ?? self.person
        let browser = browser ?? HeadlessBrowser(ledger: server.ledger)
        let journey = await app.beginAuthorization(changes: changes.merging(["resource": resource]) { own, _ in own })
        var arrival = try await browser.open(journey.url, until: app.client.redirectURI)
        for _ in 0..<3 {
            guard case .page(let url, let answer) = arrival else { break }
            let form = try await browser.form(on: answer, at: url)
            var typed = ["username": person.username, "password": person.password]
            if form.fields.contains(where: { $0.name == "answer" }) {
                let code = try await server.newestCode()
                server.ledger.enter(code)
                typed = ["answer": code]
            }
            arrival = try await browser.submit(form, typing: typed, until: app.client.redirectURI)
        }
        guard case .callback(let url) = arrival else { throw LinkedPhone.Unexpected(what: "\(arrival)") }
        return (queryItems(of: url.absoluteString), journey.verifier)
    }

    // MARK: - The backend

    /// A request with a token and a proof, as the backend's framework hands it on.
    func request(
        _ token: String, nonce: String?, method: String = "GET", path: String = "/balance",
        key: P256.Signing.PrivateKey? = nil
    ) throws -> PresentedRequest {
        var app = app
        if let key { app.key = key }
        let url = try #require(URL(string: Self.audience + path))
        return PresentedRequest(
            method: method, path: path, authorization: ["DPoP \(token)"],
            proofs: [try app.proof(method: method, url: url, nonce: nonce, accessToken: token)])
    }

    /// Lets a token in, asked for a nonce once.
    @discardableResult
    func letIn(
        _ token: String, for requirement: AccessRequirement = AccessRequirement()
    ) async throws -> VerifiedAccess {
        let first = try request(token, nonce: nil)
        let refusal = await #expect(throws: AccessRefusal.self) { try await verifier.verify(first) }
        try #require(refusal?.code == .useNonce, "\(String(describing: refusal?.reason))")
        let nonce = try #require(refusal?.answer.headers.first { $0.name == "DPoP-Nonce" }?.value)
        return try await verifier.verify(request(token, nonce: nonce), for: requirement)
    }

    /// Why a token is not let in; nil where it is.
    func refusal(
        of token: String, for requirement: AccessRequirement = AccessRequirement()
    ) async throws -> AccessRefusal? {
        do {
            try await letIn(token, for: requirement)
            return nil
        } catch let refusal as AccessRefusal { return refusal }
    }
}

/// The system's clocks, where a test moves the one that is not the wall clock.
final class ShiftedClock: BackendClock {
    private let system = SystemBackendClock()
    private let shift = Mutex(Duration.zero)

    func now() -> NumericDate { system.now() }
    func uptime() -> Duration { system.uptime() + shift.withLock { $0 } }
    func sleep(for duration: Duration) async throws { shift.withLock { $0 += duration } }

    func advance(by duration: Duration) { shift.withLock { $0 += duration } }
}
