public import Foundation
public import WalletAuth
import WalletAuthWire

/// An authorization server behind the SDK's transport port, for an app's tests: no network, no process, a clock that the
/// test moves.
///
/// It is no mock that plays back answers. It keeps accounts, codes, sessions and keys, checks PKCE, redirect URIs, DPoP
/// proofs and their nonces, signs its tokens, rotates refresh tokens, knows a repeated attempt from a stolen token and
/// ends the session of the latter. What a test scripts is the trouble: ``inject(_:at:times:)``, ``network``,
/// ``renewNonces()``, ``endSessions(of:because:)``.
///
/// ```swift
/// let clock = ManualClock()
/// let server = ScriptedServer(clock: clock)
/// server.addPerson("alice", password: "correct horse")
/// let ports = Wallet.Ports(
///     transport: server, store: InMemoryStore(), userAgent: server.browser(of: "alice"),
///     keys: InMemoryDeviceKeys(), presence: ScriptedUserPresence(), time: clock)
/// ```
public final class ScriptedServer: HTTPTransport {
    /// How the server is set up.
    public struct Settings: Sendable {
        /// Whether DPoP is offered, and how.
        public enum DPoP: Sendable, Hashable {
            /// As servers of the older kind: bearer tokens only.
            case unavailable
            /// Offered, without nonces.
            case offered
            /// Offered; a proof needs the server's nonce.
            case offeredWithNonces
            /// A request for tokens without a proof is refused; a proof needs the server's nonce.
            case required
        }

        /// Which issuer a callback names.
        public enum CallbackIssuer: Sendable, Hashable {
            /// The server, as it should be.
            case own
            /// None, and the metadata says so.
            case none
            /// Another one although the metadata promises the own: somebody mixes up servers.
            case other(String)
        }

        /// What happens to a refresh token that was used.
        public enum Rotation: Sendable, Hashable {
            /// It is replaced; using it again is theft, unless it is the same attempt.
            case each
            /// It stays as it is, as with servers under the FAPI profile. No refresh token is in the answer.
            case never
        }

        /// Whether DPoP is offered.
        public var dpop = DPoP.offeredWithNonces
        /// What happens to a used refresh token.
        public var rotation = Rotation.each
        /// How long an access token lives, in whole seconds.
        public var accessTokenLifetime = Duration.seconds(300)
        /// How long a code lives.
        public var codeLifetime = Duration.seconds(60)
        /// How long after a rotation a client that sends no `attempt` may repeat itself.
        public var repetitionTime = Duration.seconds(30)
        /// Whether a repeated `attempt` of a refresh is answered with the same successor, and the metadata says so. Standard servers do
        /// not know it.
        public var keepsRefreshAttempts = true
        /// Scopes that are granted; others are left out of the answer.
        public var scopes: Set<String> = ["openid", "offline_access", "profile"]
        /// The issuer that callbacks name (RFC 9207).
        public var callbackIssuer = CallbackIssuer.own

        /// The settings of the project's own server.
        public init() {}
    }

    /// What the device's network is like.
    public enum Network: Sendable, Hashable {
        /// As it should be.
        case up
        /// There is none: nothing is sent.
        case offline
        /// The server cannot be reached: nothing is sent.
        case unreachable
    }

    let core: Protected<ServerCore>
    let faults = Protected(ServerFaults())
    let clock: ManualClock

    /// Sets up a server without accounts.
    /// - Parameters:
    ///   - issuer: its URL.
    ///   - clientID: the one client that it knows.
    ///   - clock: the device's; the server's own clock is always right, also when the device's wall clock is moved.
    ///   - settings: how it is set up.
    public init(
        issuer: URL = ScriptedServer.defaultIssuer, clientID: String = "com.example.wallet", clock: ManualClock,
        settings: Settings = Settings()
    ) {
        core = Protected(ServerCore(issuer: issuer.absoluteString, clientID: clientID, settings: settings))
        self.clock = clock
    }

    /// `https://auth.example.com`.
    public static let defaultIssuer = URL(string: "https://auth.example.com") ?? URL(filePath: "/")

    /// How the server is set up; a change counts from the next request on.
    public var settings: Settings {
        get { core.withLock { $0.settings } }
        set { core.withLock { $0.settings = newValue } }
    }

    /// Answers a request, unless a fault or the network comes between.
    /// - Parameter request: as the SDK sends it.
    /// - Returns: the answer, whatever its status.
    /// - Throws: `TransportFailure` where a fault or the network has it; `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let path = request.url.path
        for delay in faults.withLock({ $0.takeDelays(path) }) { try await clock.sleep(for: delay) }
        let fault = try faults.withLock { faults in
            try faults.checkNetwork()
            return faults.take(path)
        }
        switch fault {
        case .loseRequest: throw TransportFailure(.lost, reason: "the test lost the request")
        case .answer(let response):
            core.withLock { $0.record(request, answered: response.status) }
            return response
        case .loseAnswer:
            _ = core.withLock { $0.respond(to: request, now: clock.serverTime) }
            throw TransportFailure(.lost, reason: "the test lost the answer")
        case .delay, nil:
            return core.withLock { $0.respond(to: request, now: clock.serverTime) }
        }
    }
}

extension ManualClock {
    /// What the server's clock says, which nobody moves.
    var serverTime: NumericDate { NumericDate(clamping: Int64(trueNow().timeIntervalSince1970)) }
}
