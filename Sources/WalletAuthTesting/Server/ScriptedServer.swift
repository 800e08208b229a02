public import Foundation
public import WalletAuth
import WalletAuthTransport
import WalletAuthWire

/// An authorization server behind the SDK's transport port, for the tests of an app. It needs no network and no
/// process, and its clock is the test's.
///
/// It does not replay canned answers. It stores accounts, codes, sessions and keys, checks PKCE, redirect URIs, DPoP
/// proofs and their nonces, signs its tokens, rotates refresh tokens, and distinguishes a repeated attempt from a
/// stolen token, which ends the session. A test scripts the failures: ``inject(_:at:times:)``, ``network``,
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
    /// The server's settings.
    public struct Settings: Sendable {
        /// How the server supports DPoP.
        public enum DPoP: Sendable, Hashable {
            /// No support: bearer tokens only, as with many servers.
            case unavailable
            /// Supported, without nonces.
            case offered
            /// Supported; a proof needs the server's nonce.
            case offeredWithNonces
            /// Required: a token request without a proof is refused, and a proof needs the server's nonce.
            case required
        }

        /// The issuer in a callback.
        public enum CallbackIssuer: Sendable, Hashable {
            /// The server's own issuer.
            case own
            /// No issuer, which the metadata announces.
            case none
            /// Another issuer although the metadata promises the server's own, as in a mix-up attack.
            case other(String)
        }

        /// What happens to a used refresh token.
        public enum Rotation: Sendable, Hashable {
            /// It is replaced. Using it again counts as theft, except for the same attempt.
            case each
            /// It stays valid, as with servers under the FAPI profile. Answers contain no refresh token.
            case never
        }

        /// How the server supports DPoP.
        public var dpop = DPoP.offeredWithNonces
        /// What happens to a used refresh token.
        public var rotation = Rotation.each
        /// The lifetime of an access token, in whole seconds.
        public var accessTokenLifetime = Duration.seconds(300)
        /// The lifetime of a code.
        public var codeLifetime = Duration.seconds(60)
        /// How long after a rotation a client without `attempt` may repeat its request.
        public var repetitionTime = Duration.seconds(30)
        /// Whether a repeated `attempt` of a refresh gets the same new token, as the metadata then announces. Standard
        /// servers don't support this.
        public var keepsRefreshAttempts = true
        /// The scopes that the server grants; it leaves others out of its answer.
        public var scopes: Set<String> = ["openid", "offline_access", "profile"]
        /// The issuer in callbacks (RFC 9207).
        public var callbackIssuer = CallbackIssuer.own

        /// Creates the settings of the real server.
        public init() {}
    }

    /// The state of the device's network.
    public enum Network: Sendable, Hashable {
        /// The network works.
        case up
        /// There is no network: nothing is sent.
        case offline
        /// The server cannot be reached: nothing is sent.
        case unreachable
    }

    let core: LockedValue<ServerCore>
    let faults = LockedValue(ServerFaults())
    let clock: ManualClock

    /// Creates a server without accounts.
    ///
    /// - Parameters:
    ///   - issuer: the server's URL.
    ///   - clientID: the only client that it knows.
    ///   - clock: the test's clock. The server uses its true time, even if the device's wall clock is wrong.
    ///   - settings: the server's settings.
    public init(
        issuer: URL = ScriptedServer.defaultIssuer, clientID: String = "com.example.wallet", clock: ManualClock,
        settings: Settings = Settings()
    ) {
        core = LockedValue(ServerCore(issuer: issuer.absoluteString, clientID: clientID, settings: settings))
        self.clock = clock
    }

    /// `https://auth.example.com`.
    public static let defaultIssuer = URL(string: "https://auth.example.com") ?? URL(filePath: "/")

    /// The server's settings. Changes apply from the next request on.
    public var settings: Settings {
        get { core.withLock { $0.settings } }
        set { core.withLock { $0.settings = newValue } }
    }

    /// Answers a request, unless a fault or the network prevents it.
    ///
    /// - Parameter request: the SDK's request.
    /// - Returns: the response, whatever its status.
    /// - Throws: the `TransportFailure` of a fault or the network; `CancellationError`.
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
            throw TransportFailure(.lost, reason: "the test lost the response")
        case .delay, nil:
            return core.withLock { $0.respond(to: request, now: clock.serverTime) }
        }
    }
}

extension ManualClock {
    /// The server's time, without the offset of the device's wall clock.
    var serverTime: NumericDate { NumericDate(clamping: Int64(trueNow().timeIntervalSince1970)) }
}
