import Foundation
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

/// The time an app waits for an access token: from memory while it is valid, and for a thousand concurrent callers
/// after it has expired. Prints one JSON object. The server is the scripted one in this process, so the figures include
/// no network.
@main
struct SDKToken {
    private static let rounds = 5
    private static let tokens = 200_000
    private static let callers = 1_000

    /// The measurement is invalid: the wallet returned the wrong token.
    struct WrongToken: Error {}

    static func main() async throws {
        let clock = ManualClock()
        let server = ScriptedServer(clock: clock)
        server.addPerson("ada", password: "correct horse battery staple")
        let wallet = try wallet(at: server, clock: clock)
        try await wallet.setUp()

        let valid = try await wallet.accessToken()
        var least = Double.infinity
        for _ in 0..<rounds {
            let began = ContinuousClock.now
            var last = valid
            for _ in 0..<tokens { last = try await wallet.accessToken() }
            least = min(least, microseconds(since: began) / Double(tokens))
            guard last == valid else { throw WrongToken() }
        }

        clock.advance(by: .seconds(301))
        let began = ContinuousClock.now
        let callers = (0..<callers).map { _ in Task { try await wallet.accessToken() } }
        var renewed: Set<AccessToken> = []
        for caller in callers { renewed.insert(try await caller.value) }
        let burst = microseconds(since: began)
        guard renewed.count == 1, !renewed.contains(valid) else { throw WrongToken() }
        let refreshes = server.count(grant: "refresh_token")
        print(
            String(
                format: #"{"valid_us":%.3f,"callers":%d,"refreshes":%d,"burst_ms":%.2f}"#, least, callers.count,
                refreshes,
                burst / 1000))
    }

    private static func wallet(at server: ScriptedServer, clock: ManualClock) throws -> Wallet {
        guard let redirectURI = URL(string: "https://app.example.com/callback") else { throw WrongToken() }
        let ports = Wallet.Ports(
            transport: server, store: InMemoryStore(), userAgent: server.browser(of: "ada"),
            keys: InMemoryDeviceKeys(), presence: ScriptedUserPresence(), time: clock)
        return try Wallet(
            configuration: .init(
                environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
                signIn: .full(redirectURI: redirectURI), ports: ports))
    }

    private static func microseconds(since began: ContinuousClock.Instant) -> Double {
        let elapsed = began.duration(to: .now).components
        return Double(elapsed.seconds) * 1e6 + Double(elapsed.attoseconds) / 1e12
    }
}
