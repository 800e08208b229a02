import Foundation
import Testing

/// The terminal wallet of one person at one standard server, for as long as a test runs.
struct PeerWallet: Sendable {
    let program: WalletHome
    let scope: String
    private let redirectURI: String

    /// - Parameter redirectURI: with a port where the server compares it too.
    init(in folder: URL, issuer: URL, scope: String, redirectURI: String = "http://127.0.0.1/callback") {
        program = WalletHome(
            folder: folder,
            environment: [
                "WALLET_ISSUER": issuer.absoluteString, "WALLET_CLIENT_ID": "wallet",
                "WALLET_HOME": folder.appending(path: "wallet").path,
            ])
        self.scope = scope
        self.redirectURI = redirectURI
    }

    func run(_ arguments: String...) async throws -> CommandResult { try await program.run(arguments) }

    /// Runs a command that has to work.
    @discardableResult
    func succeeds(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> CommandResult
    {
        let result = try await program.run(arguments)
        #expect(result.succeeded, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
        return result
    }

    /// Calls a resource, and expects that it takes the token.
    func callSucceeds(_ resource: URL, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await succeeds("call", resource.absoluteString, sourceLocation: sourceLocation)
    }

    /// Begins a sign-in and waits for its page.
    func begin(_ arguments: [String] = []) async throws -> WalletHome.BrowserSignIn {
        try await program.startSignIn(["--scope", scope, "--redirect-uri", redirectURI] + arguments)
    }

    /// Hands the wallet the answer of the page, and waits for its end.
    /// - Returns: what it printed, on standard output.
    func finish(_ signIn: WalletHome.BrowserSignIn, with callback: URL) async throws -> CommandResult {
        _ = try await WebClient(ledger: SecretLedger()).get(callback)
        let ending = try await within(.patience, "the wallet to finish") {
            await signIn.process.wait()
        } otherwise: {
            signIn.process.send(SIGKILL)
        }
        return CommandResult(
            ending: ending, output: try String(contentsOf: signIn.log, encoding: .utf8), errors: "")
    }
}

/// What came of one sign-in at a peer: the faults and the counts of its tokens.
struct PeerJourney: Sendable {
    let peer: StandardPeer
    let code: String

    /// What the proxy saw.
    struct Told: Decodable, Sendable {
        /// The requests to renew that the wallet sent.
        let sent: Int
        /// Those that reached the server.
        let reached: Int
        // All that the server has given out, in their order.
        let accessTokens: [String]
        let refreshTokens: [String]
    }

    /// What happens to a refresh.
    enum Fault: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// 500, without the server.
        case error
        /// 429, without the server.
        case limit
        /// A page of the network with 200, without the server.
        case portal
        /// The server acts, and the connection breaks; once.
        case lost
        /// The server acts, and its answer waits; once.
        case held

        var testDescription: String {
            switch self {
            case .error: "500"
            case .limit: "429"
            case .portal: "HTML with 200"
            case .lost: "a lost answer"
            case .held: "an answer that waits"
            }
        }
    }

    var told: Told {
        get async throws {
            let answer = try await web.get(url("journey"))
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let told = try decoder.decode(Told.self, from: answer.body)
            for token in told.accessTokens + told.refreshTokens { peer.ledger.enter(token) }
            return told
        }
    }

    func set(_ fault: Fault?) async throws {
        try await order("journey", #"{"fault": \#(fault.map { "\"\($0.rawValue)\"" } ?? "null")}"#)
    }

    /// Has the first token say that it has expired.
    func expireFirstToken() async throws { try await order("journey", #"{"expired": true}"#) }

    /// Waits until the server has renewed and its answer is held.
    func waitUntilHeld() async throws {
        let answer = try await web.get(url("held"))
        #expect(answer.status == 204, "no refresh was held")
    }

    /// Throws the held answer away.
    func release() async throws { try await order("release", "{}") }

    private var web: WebClient { WebClient(ledger: peer.ledger) }

    private func url(_ order: String) throws -> URL {
        try #require(
            URL(string: peer.control.absoluteString + order + "?" + formEncoded([("code", code)])))
    }

    private func order(_ order: String, _ json: String) async throws {
        let answer = try await web.post(url(order), json: json)
        #expect(answer.status == 204)
    }
}
