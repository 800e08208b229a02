import Foundation
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

/// A device, a server and a person called alice, for one test.
struct World: Sendable {
    let clock = ManualClock()
    let server: ScriptedServer
    let store = InMemoryStore()
    let keys = InMemoryDeviceKeys()
    let userAgent: ScriptedUserAgent
    let apple = ScriptedAppleCredentials()

    init(_ settings: ScriptedServer.Settings = .init()) {
        server = ScriptedServer(clock: clock, settings: settings)
        server.addPerson("alice", password: "correct horse")
        server.addPerson("bob", password: "battery staple")
        userAgent = server.browser(of: "alice")
    }

    static let redirectURI = URL(filePath: "/").replaced(by: "https://app.example.com/callback")

    var ports: Wallet.Ports {
        Wallet.Ports(
            transport: server, store: store, userAgent: userAgent, keys: keys, presence: ScriptedUserPresence(),
            time: clock, appleCredentials: apple)
    }

    /// The ports of a device that keeps passkeys in software.
    func portsWithPasskeys(_ presence: ScriptedUserPresence = ScriptedUserPresence()) -> Wallet.Ports {
        var ports = ports
        ports.passkeys = SoftwarePasskeys(store: store, presence: presence)
        return ports
    }

    func configuration(
        _ signIn: Wallet.SignIn = .full(redirectURI: World.redirectURI), ports: Wallet.Ports? = nil
    ) -> Wallet.Configuration {
        Wallet.Configuration(
            environment: .production(issuer: ScriptedServer.defaultIssuer), clientID: "com.example.wallet",
            signIn: signIn, ports: ports ?? self.ports)
    }

    /// A wallet of this device: one more process of the same app, where there is one already.
    func wallet(
        _ signIn: Wallet.SignIn = .full(redirectURI: World.redirectURI), ports: Wallet.Ports? = nil
    ) throws -> Wallet {
        try Wallet(configuration: configuration(signIn, ports: ports))
    }

    /// A wallet in which alice is signed in.
    func signedIn(ports: Wallet.Ports? = nil) async throws -> Wallet {
        let wallet = try wallet(ports: ports)
        try await wallet.setUp()
        return wallet
    }

    /// Lets the access token end.
    func expireToken() { clock.advance(by: server.settings.accessTokenLifetime + .seconds(1)) }

    var refreshes: Int { server.count(grant: "refresh_token") }
    var redemptions: Int { server.count(grant: "authorization_code") }
    /// The sessions that still go on at the server.
    var living: [ScriptedServer.OpenSession] { server.sessions.filter { $0.endedBecause == nil } }
}

extension URL {
    /// A URL written in a test.
    func replaced(by text: String) -> URL { URL(string: text) ?? self }
}

/// The URL of `text`, which a test has written right.
func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

/// A request to a resource of the scripted server.
func request(_ path: String, method: String = "GET", headers: [String: String] = [:]) throws -> URLRequest {
    var request = URLRequest(url: try url("https://auth.example.com\(path)"))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
}

/// A request to anywhere.
func request(to target: String) throws -> URLRequest { URLRequest(url: try url(target)) }

extension World {
    /// Leaves every page open until its call is cancelled.
    /// - Returns: the address of each page that is shown.
    func pagesLeftOpen() -> AsyncStream<URL> {
        let (shown, page) = AsyncStream.makeStream(of: URL.self)
        userAgent.setBehavior { url in
            page.yield(url)
            try await hangUntilCancelled()
            return .opened
        }
        return shown
    }
}

/// Runs `work` and hands out the error that it throws.
nonisolated(nonsending) func failure<T>(_ work: () async throws -> T) async -> WalletError? {
    do {
        _ = try await work()
        return nil
    } catch { return error as? WalletError }
}

extension HTTPURLResponse {
    /// The status, readable where FoundationNetworking is not imported.
    var status: Int { statusCode }
}

/// Collects what the callbacks receive.
final class Changes: Sendable {
    private let told = LockedValue<[TokenChange]>([])
    var all: [TokenChange] { told.withLock { $0 } }

    init(_ wallet: Wallet) {
        _ = wallet.addOnTokenChangeCallback { [told] change in told.withLock { $0.append(change) } }
    }
}
