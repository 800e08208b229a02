import Foundation
import Testing

/// The scripted authorization server of `Peers/interoperability/standard_server.py`: a standard one but for one oddity.
final class ScriptedServer: Sendable {
    private let base: URL
    private let process: ChildProcess
    private let folder: TemporaryFolder

    private init(_ base: URL, _ process: ChildProcess, _ folder: TemporaryFolder) {
        self.base = base
        self.process = process
        self.folder = folder
    }

    static func start() async throws -> ScriptedServer {
        let folder = try TemporaryFolder()
        let (process, ready) = try await PythonPeer.start("standard_server.py", folder: folder.url)
        return ScriptedServer(try #require(URL(string: String(ready.dropFirst("at ".count)))), process, folder)
    }

    func stop() async {
        process.send(SIGKILL)
        _ = await process.wait()
        folder.remove()
    }

    /// The issuer with an oddity.
    /// - Parameter label: tells the tests apart that want the same oddity.
    func issuer(_ oddity: String, for label: String) -> OddIssuer {
        OddIssuer(url: base.appending(path: "\(oddity).\(label)"))
    }
}

/// An issuer with one oddity.
struct OddIssuer: Sendable {
    let url: URL
    var resource: URL { url.appending(path: "userinfo") }

    /// What happened there.
    struct Told: Decodable, Sendable {
        /// The requests to renew.
        let refreshes: Int
        /// The refresh tokens that came a second time.
        let spent: Int
        /// The redirects that were followed.
        let redirected: Int
        let revoked: Int
        /// The requests to revoke, whatever their answer.
        let revocations: Int
        /// The tokens of another person that were used.
        let foreign: Int
        /// The sign-ins whose tokens still serve.
        let alive: Int
        /// The `prompt` of each page.
        let prompts: [String]
    }

    var told: Told {
        get async throws {
            let answer = try await WebClient(ledger: SecretLedger()).get(url.appending(path: "control"))
            return try JSONDecoder().decode(Told.self, from: answer.body)
        }
    }

    /// Has the oddity end: from now on the server is a standard one. False has it begin again.
    func mend(_ mended: Bool = true) async throws { try await order(#"{"mended": \#(mended)}"#) }

    /// Sets the clock by which the server dates its answers ahead of the true time.
    func setClock(ahead seconds: Int) async throws { try await order(#"{"ahead": \#(seconds)}"#) }

    /// Says whether the first tokens of the next sign-in have expired already.
    func expireFirstTokens(_ expired: Bool) async throws { try await order(#"{"expired": \#(expired)}"#) }

    private func order(_ json: String) async throws {
        let answer = try await WebClient(ledger: SecretLedger()).post(url.appending(path: "control"), json: json)
        #expect(answer.status == 200)
    }
}
