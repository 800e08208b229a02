package import AuthCore
internal import AuthCredentials
package import AuthFoundation
package import AuthStore
package import WalletAuthWire

/// The sign-in of a guest, whose proof a confidential client's backend passed on. It can ask for nothing.
///
/// The gate is internal to this target. This is the only way through it for a floor above.
package struct GuestSignIn: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The authenticated client's request.
    package struct Request: Sendable {
        let client: RegisteredClient
        let scope: Scope
        let challenge: CodeChallenge
        /// Stored in the audit log with the sign-in.
        let properties: [String: String]
        let origin: RequestOrigin

        package init(
            client: RegisteredClient, scope: Scope, challenge: CodeChallenge, properties: [String: String],
            origin: RequestOrigin
        ) {
            self.client = client
            self.scope = scope
            self.challenge = challenge
            self.properties = properties
            self.origin = origin
        }
    }

    package enum Outcome: Sendable {
        /// The code never leaves the server.
        case admitted(AuthorizationCode)
        /// Never ``AuthCore/SignInPolicy/Decision/admit``.
        case refused(SignInPolicy.Decision)
    }

    /// Passes the gate.
    /// - Parameters:
    ///   - account: the guest's account.
    ///   - factors: the proved factors.
    package func admit(
        _ account: UniqueID, factors: SignInPolicy.Factors, _ request: Request, now: Timestamp
    ) async throws -> Outcome {
        // A public client's id proves nothing, so no backend speaks for it.
        guard request.client.kind == .confidential else { return .refused(.unknown) }
        let intent = SignInIntent(
            client: request.client, redirectURI: nil, challenge: request.challenge, scope: request.scope, nonce: nil,
            keyThumbprint: nil, merchant: nil, resources: [], entrance: .backend, properties: request.properties,
            origin: request.origin)
        switch try await SignInGate(context: context).admit(account, factors: factors, intent: intent, now: now) {
        case .refused(let decision, _): return .refused(decision)
        case .merchantRequired: return .refused(.merchantMissing)
        // Only first-party clients may request guest tokens, and they need no consent.
        case .consentRequired: return .refused(.unknown)
        // A backend names no expected person.
        case .unexpectedAccount: return .refused(.unknown)
        case .admitted(let admission):
            return .admitted(try await AuthorizationCodes(context: context).code(for: admission))
        }
    }
}
