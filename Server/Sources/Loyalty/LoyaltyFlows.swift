internal import AuthCore
package import AuthFlows
internal import AuthStore
package import WalletAuthWire

/// The loyalty API: integrators' backends request tokens for their guests and enroll new ones (docs/protocol.md, section 7).
///
/// It owns integrations under integrators' names, the numbers of loyalty accounts, and the memory of enrollments. It does not own
/// calls to providers, which are the vendor's target's, nor accounts, the gate and sessions, which are those of `AuthFlows`.
package struct LoyaltyFlows: Sendable {
    let context: ServerContext
    let locks = KeyedLock()
    let redeemedCodes = RedeemedCodeCache()

    /// - Parameter context: what the flows share.
    package init(context: ServerContext) { self.context = context }

    /// Seconds until a provider that could not be reached may be tried again.
    static let providerRetry: Int64 = 10

    var sessions: GuestSessions { GuestSessions(context: context) }

    /// Authenticates a client's backend.
    /// - Parameters:
    ///   - authorization: the `Authorization` header.
    ///   - origin: where the request came from.
    /// - Throws: infrastructure errors.
    package func call(
        authorization: String?, origin: RequestOrigin
    ) async throws -> Result<LoyaltyCaller, LoyaltyFailure> {
        let now = context.clock.now()
        guard let authorization,
            let presented = try? ClientAuthentication(form: FormParameters(), authorization: authorization),
            let client = try await sessions.client(presented, now: now)
        else { return .failure(LoyaltyFailure(.invalidClient)) }
        guard client.mayRequestGuestTokens else { return .failure(LoyaltyFailure(.clientNotAllowed)) }
        return .success(LoyaltyCaller(client: client, origin: origin, now: now))
    }
}

/// A client that may request guest tokens.
package struct LoyaltyCaller: Sendable {
    let client: RegisteredClient
    let origin: RequestOrigin
    let now: Timestamp

    /// The same call for `GuestSessions`.
    /// - Parameter scope: the requested scope.
    func session(scope: Scope) -> GuestSessions.Call {
        GuestSessions.Call(client: client, scope: scope, origin: origin, now: now)
    }
}

extension LoyaltyFailure {
    /// The failure for a refusal of the gate.
    init(gate decision: SignInPolicy.Decision) {
        switch decision {
        case .deactivated: self.init(.deactivated)
        case .changed: self.init(.accountChanged)
        case .secondFactorRequired: self.init(.secondFactorRequired)
        case .passwordChangeRequired: self.init(.passwordExpired)
        case .emailUnverified: self.init(.emailUnverified)
        // These are about devices, employments and authentication classes, which do not exist in this API.
        case .admit, .unknown, .deviceSuspended, .deviceDeactivated, .recoveryUnavailable, .appInstanceUnverified,
            .merchant, .merchantMissing, .unmetACR:
            self.init(.notAdmitted)
        }
    }
}

extension GuestTokens {
    init(_ tokens: TokenResponse, username: String?) throws {
        // Each session of this API has both.
        guard let refreshToken = tokens.refreshToken, let expiresIn = tokens.expiresIn else { throw SourceFailure() }
        self.init(
            accessToken: tokens.accessToken, expiresIn: expiresIn, refreshToken: refreshToken,
            scope: tokens.scope ?? .none, username: username)
    }
}
