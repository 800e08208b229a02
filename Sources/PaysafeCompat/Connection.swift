import Foundation
import WalletAuth
import WalletAuthPIN

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A configured wallet, and what its services remember between calls. The calls run one at a time.
actor Connection {
    let wallet: WalletAuth.Wallet
    private let clientID: String
    private let signIns: SecondFactorEvents
    /// The addresses that newcomers, and people who forgot their password, are proving.
    var verifications = DataVerifications()
    /// The token that a sign-in of the SDK handed out, and whose session it is of.
    private var issued: (token: AccessToken, owner: WalletAuth.Wallet.SignedInIdentity)?
    /// The last challenge: a device signs the operation that it names.
    private var challenge: SCA.Challenge?
    /// The idempotency keys of the last operations that asked for consent.
    private var keys: [(eventID: String, key: String)] = []

    init(_ wallet: WalletAuth.Wallet, clientID: String) {
        self.wallet = wallet
        self.clientID = clientID
        signIns = SecondFactorEvents(of: wallet)
    }

    /// Begins a session with a token, unless it is the token of the session that the wallet has begun itself.
    func authenticate(_ token: String) async throws {
        if let issued, issued.token == (try? AccessToken(token)), wallet.isLoggedIn,
            wallet.identity?.isOfSession(of: issued.owner) == true
        {
            return
        }
        issued = nil
        try await wallet.authenticate(accessToken: token)
    }

    /// Signs in, or completes the sign-in whose second factor was verified.
    func logIn(
        _ username: String, of client: String, repeating details: SCA.Details?,
        _ begin: @Sendable (WalletAuth.Wallet) async throws -> LoginOutcome
    ) async throws -> Wallet.TokenResponse {
        guard client == clientID else {
            throw WalletAuth.WalletError(
                .invalidConfiguration, .misconfigured, during: .signIn,
                reason: "clientIdentifier differs from the client id that the wallet was configured with")
        }
        try await signIns.logIn(username, repeating: details, begin)
        return try await issueToken()
    }

    /// The token of the session that has just begun.
    func issueToken() async throws -> Wallet.TokenResponse {
        let owner = wallet.identity
        let token = try await wallet.accessToken()
        issued = owner.map { (token, $0) }
        return Wallet.TokenResponse(token: token)
    }

    /// Sends an operation, or repeats it with the person's consent.
    func perform(_ request: URLRequest, scaDetails: SCA.Details?) async throws -> Wallet.OperationResponse {
        let key = keys.first { $0.eventID == scaDetails?.eventID }?.key ?? UUID().uuidString
        let (data, response) = try await wallet.perform(request, key: key, agreedIn: scaDetails)
        guard let required = SCA.Required(data: data, response: response) else {
            return Wallet.OperationResponse(data: data, response: response)
        }
        keys = keys.suffix(7) + [(required.eventID, key)]
        let event = Wallet.SCAAuthenticationEventResponse(
            eventID: required.eventID, walletOperationID: required.walletOperationID,
            availableVerifications: required.availableVerifications, creationTime: Date(), lifetime: 15 * 60)
        throw WalletError.scaRequired(authenticationEvent: event, errorID: nil)
    }

    /// Challenges a way to verify an event, of a sign-in or of an operation.
    func challenge(
        _ eventID: String, _ request: SCA.ChallengeRequest
    ) async throws -> Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse {
        let details = SCA.Details(eventID: eventID, walletOperationID: request.walletOperationID)
        if let factor = try await signIns.challenge(details, by: request.verification) {
            return .init(
                eventID: eventID, walletOperationID: request.walletOperationID,
                verification: request.verification, target: factor.destination, redirectURL: nil,
                wasSent: factor.wasSent, wait: factor.resendAfter)
        }
        let sent = try await wallet.authentication.sendSCAChallenge(eventID: eventID, request: request)
        challenge = sent
        return .init(
            eventID: sent.eventID, walletOperationID: sent.walletOperationID, verification: sent.verification,
            target: sent.destination, redirectURL: sent.redirectURL, wasSent: sent.wasSent, wait: sent.resendAfter)
    }

    /// Answers the challenge of an event, of a sign-in or of an operation.
    func attempt(
        _ eventID: String, _ request: SCA.AttemptRequest
    ) async throws -> Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse {
        let details = SCA.Details(eventID: eventID, walletOperationID: request.walletOperationID)
        let attempt: SCA.Attempt
        if let answered = try await signIns.attempt(details, request.value, by: request.verification) {
            attempt = answered
        } else if request.verification.channel == .device {
            attempt = try await sign(details, request)
        } else {
            attempt = try await wallet.authentication.submitSCAAttempt(eventID: eventID, request: request)
        }
        return .init(
            eventID: eventID, walletOperationID: request.walletOperationID, verification: request.verification,
            status: attempt.status == .verified ? .verified : .failed, statusReason: attempt.statusReason,
            currentAttempts: max(0, SecondFactorEvents.allowableAttempts - attempt.remainingAttempts),
            availableVerifications: attempt.availableVerifications)
    }

    private func sign(_ details: SCA.Details, _ request: SCA.AttemptRequest) async throws -> SCA.Attempt {
        guard let challenge, challenge.eventID == details.eventID, challenge.verification == request.verification,
            challenge.walletOperationID == details.walletOperationID, let value = request.value
        else {
            throw WalletAuth.WalletError(
                .badRequest, .refused, during: .submitSCAAttempt,
                reason: "sendSCAChallenge comes first, with the same operation, method and channel, and then a value")
        }
        let answer: SCA.Answer =
            switch challenge.verification {
            case .devicePIN: .pin(value)
            case .devicePasskey: .passkey
            default: .biometrics(reason: value)
            }
        return try await wallet.authentication.submitSCAAttempt(answer, to: challenge)
    }
}
