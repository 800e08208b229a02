import Foundation
import WalletAuth
import WalletAuthWire

/// A sign-in that waits for its second factor. To the app it is an event, as an operation's consent is.
struct SignInEvent: Sendable {
    let event: Wallet.SCAAuthenticationEventResponse
    let username: String
    /// The factor that the server asks for; nil once the person is signed in.
    var factor: MFAChallenge?
    var challenged: Wallet.SCAAuthenticationEventAttemptVerification?
    var failed = 0
    /// The session that the last right answer opened, and whose it is.
    var opened: WalletAuth.Wallet.SignedInIdentity?

    /// The wrong answers that end a sign-in at the server.
    static let allowableAttempts = 5
}

extension Connection {
    /// Signs in, or completes the sign-in whose second factor was verified.
    func logIn(
        _ username: String, of client: String, repeating details: Wallet.SCAAuthenticationEventRequest?,
        _ begin: (WalletAuth.Wallet) async throws -> LoginOutcome
    ) async throws -> Wallet.TokenResponse {
        guard client == clientID else {
            throw WalletAuth.WalletError(
                .invalidConfiguration, .misconfigured, during: .signIn,
                reason: "clientIdentifier differs from the client id that the wallet was configured with")
        }
        if let details, let signIn, signIn.event.isNamed(by: details), signIn.username == username,
            signIn.factor != nil || isOpen(signIn)
        {
            guard signIn.factor == nil else {
                throw WalletError.scaRequired(authenticationEvent: signIn.event, errorID: nil)
            }
            self.signIn = nil
            return try await issueToken()
        }
        signIn = nil
        let outcome = try await begin(wallet)
        switch outcome {
        case .authenticated: return try await issueToken()
        case .mfaRequired(let factor) where !factor.ways.isEmpty:
            let event = Wallet.SCAAuthenticationEventResponse(factor)
            signIn = SignInEvent(event: event, username: username, factor: factor)
            throw WalletError.scaRequired(authenticationEvent: event, errorID: nil)
        default: throw WalletError(missing: outcome)
        }
    }

    /// Has the code of a sign-in sent. The sign-in itself has sent the first one.
    func challenge(
        _ signIn: SignInEvent, _ request: Wallet.SCAAuthenticationEventChallengeEmbeddedHybridRequest
    ) async throws -> Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse {
        var signIn = signIn
        let way = request.verification
        guard var factor = signIn.factor, request.walletOperationID == signIn.event.walletOperationID else {
            throw WalletAuth.WalletError(
                signIn.factor == nil ? .alreadyVerified : .eventNotFound, .refused, during: .sendSCAChallenge,
                reason: "the operation is not the event's, or the event is verified: repeat the sign-in with scaDetails"
            )
        }
        if factor.way != way {
            guard let other = factor.alternatives.first(where: { $0.way == way }) else {
                throw WalletAuth.WalletError(
                    .verificationUnavailable, .refused, during: .sendSCAChallenge,
                    reason: "the event's availableVerifications do not contain this one")
            }
            factor = try await proceed { try await factor.choose(other) }
        } else if factor.channel != nil, signIn.challenged != nil || !factor.isCodeSent {
            factor = try await proceed { try await factor.resend() }
        }
        signIn.factor = factor
        signIn.challenged = way
        self.signIn = signIn
        return Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse(factor, way, of: signIn.event)
    }

    /// Submits the second factor of a sign-in.
    func attempt(
        _ signIn: SignInEvent, _ request: Wallet.SCAAuthenticationEventAttemptEmbeddedHybridRequest
    ) async throws -> Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse {
        var signIn = signIn
        func response(
            _ status: Wallet.SCAAuthenticationEventAttemptStatus,
            _ reason: Wallet.SCAAuthenticationEventAttemptStatusReason
        ) -> Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse {
            self.signIn = signIn
            return .init(status, reason, of: signIn, request.verification)
        }
        guard let factor = signIn.factor else { return response(.verified, .valid) }
        guard request.walletOperationID == signIn.event.walletOperationID, signIn.challenged == request.verification,
            let value = request.value?.value
        else { return response(.failed, .notChallenged) }
        do {
            let outcome = try await ending { try await factor.answer(value) }
            switch outcome {
            case .authenticated:
                signIn.factor = nil
                signIn.opened = wallet.identity
                return response(.verified, .valid)
            case .mfaRequired(let next):
                signIn.factor = next
                signIn.challenged = nil
                return response(.failed, .additionalFactorRequired)
            default:
                self.signIn = nil
                throw WalletError(missing: outcome)
            }
        } catch let error as WalletAuth.WalletError where error.code == .invalidCredentials {
            // What cannot be a code is not sent, and costs no try.
            if error.reachedServer { signIn.failed += 1 }
            guard signIn.failed < SignInEvent.allowableAttempts else {
                self.signIn = nil
                throw WalletError.dataError
            }
            return response(.failed, .invalidValue)
        }
    }

    /// Whether the wallet's session is still the one that the event opened: another person's token must not answer this one's sign-in.
    private func isOpen(_ signIn: SignInEvent) -> Bool {
        guard let present = wallet.identity, let opened = signIn.opened else { return false }
        return present.subject == opened.subject && present.sessionID == opened.sessionID
    }

    /// Asks for another factor, or for its code again.
    private func proceed(_ step: () async throws -> LoginOutcome) async throws -> MFAChallenge {
        let outcome = try await ending(step)
        guard case .mfaRequired(let factor) = outcome else { throw WalletError(missing: outcome) }
        return factor
    }

    /// A sign-in that the server no longer knows is an event that has ended.
    private func ending(_ step: () async throws -> LoginOutcome) async throws -> LoginOutcome {
        do { return try await step() } catch let error as WalletAuth.WalletError where error.code == .invalidSession {
            signIn = nil
            throw WalletError.dataError
        }
    }
}

extension WalletError {
    /// A sign-in that needs more than these calls offer.
    fileprivate init(missing outcome: LoginOutcome) {
        self = .signInPageRequired(
            Failure(
                error: WalletAuth.WalletError(
                    unfinished: outcome,
                    reason: "have the person sign in on the page of getAuthenticationDetails, which asks for this")))
    }
}

extension MFAChallenge {
    /// The way to verify this factor; nil for one that Paysafe's names do not have.
    var way: Wallet.SCAAuthenticationEventAttemptVerification? { .init(method, channel) }

    /// This factor and the others that the person may use.
    var ways: [Wallet.SCAAvailableVerification] {
        let own = way.map { Wallet.SCAAvailableVerification($0, target: destination) }
        return [own].compactMap { $0 }
            + alternatives.compactMap { other in
                other.way.map { Wallet.SCAAvailableVerification($0, target: other.destination) }
            }
    }
}

extension MFAChallenge.Alternative {
    fileprivate var way: Wallet.SCAAuthenticationEventAttemptVerification? { .init(method, channel) }
}

extension Wallet.SCAAuthenticationEventAttemptVerification {
    fileprivate init?(_ method: String, _ channel: String?) {
        switch FactorKind(method: method, channel: channel) {
        case .sms: self.init(method: .otp, channel: .sms)
        case .email: self.init(method: .otp, channel: .email)
        case .totp: self.init(method: .otp, channel: .authenticator)
        case .secretQuestion, .recoveryCode, nil: return nil
        }
    }
}
