package import Foundation

/// Sign-ins whose second factor is an event with the steps of a payment's consent, for the modules with the names of other SDKs.
///
/// Its ids exist in this process only. The sign-in fails with ``Interruption/required(_:)``. The app has a code sent, submits it,
/// and repeats the sign-in with the event's ids.
package actor SecondFactorEvents {
    /// The event of a sign-in.
    package struct Event: Sendable {
        /// The event's ids.
        package let details = SCA.Details(
            eventID: UUID().uuidString.lowercased(), walletOperationID: UUID().uuidString.lowercased())
        /// The ways to verify it.
        package let availableVerifications: [SCA.AvailableVerification]
        /// When it began, by this device's clock.
        package let beganAt = Date()
        fileprivate let username: String
        /// The factor that the server asks for; nil once the person is signed in.
        fileprivate var factor: MFAChallenge?
        fileprivate var challenged: SCA.Verification?
        fileprivate var failed = 0
        /// The session that the last right answer opened, and whose it is.
        fileprivate var opened: Wallet.SignedInIdentity?
    }

    /// What a sign-in needs first.
    package enum Interruption: Error {
        /// The event must be verified.
        case required(Event)
        /// Something that is not a second factor of a consent.
        case unfinished(LoginOutcome)
    }

    /// The wrong values that end a sign-in at the server.
    package static let allowableAttempts = 5

    private let wallet: Wallet
    private var event: Event?

    /// Creates the events of a wallet, of which it has one at a time.
    /// - Parameter wallet: the wallet.
    package init(of wallet: Wallet) { self.wallet = wallet }

    /// Signs in, or completes the sign-in whose event was verified.
    /// - Parameters:
    ///   - username: the user name as typed.
    ///   - details: the ids of the event, if the sign-in is repeated.
    ///   - begin: begins the sign-in.
    /// - Throws: ``Interruption``; ``WalletError``.
    package func logIn(
        _ username: String, repeating details: SCA.Details?,
        _ begin: @Sendable (Wallet) async throws -> LoginOutcome
    ) async throws {
        if let details, let event = event(details), event.username == username {
            guard event.factor == nil else { throw Interruption.required(event) }
            self.event = nil
            if isOpen(event) { return }
        }
        event = nil
        guard let factor = try await factor(after: { try await begin(wallet) }) else { return }
        let event = Event(availableVerifications: factor.availableVerifications, username: username, factor: factor)
        self.event = event
        throw Interruption.required(event)
    }

    /// Has a code sent. The sign-in itself has sent the first one.
    /// - Parameters:
    ///   - details: the ids of the event.
    ///   - way: one of the event's `availableVerifications`.
    /// - Returns: the factor; nil if the ids belong to no sign-in.
    /// - Throws: ``WalletError``: `already_verified`, `verification_unavailable`, and `data_error` if the event has ended.
    package func challenge(_ details: SCA.Details, by way: SCA.Verification) async throws -> MFAChallenge? {
        guard let event = event(details) else { return nil }
        guard var factor = event.factor else {
            throw WalletError(
                .alreadyVerified, .refused, during: .sendSCAChallenge,
                reason: "the event is verified: repeat the sign-in with its ids")
        }
        if factor.verification != way {
            factor = try await self.factor(after: { try await factor.choose(verification: way) }) ?? factor
        } else if way.sendsCode, event.challenged != nil || !factor.isCodeSent {
            factor = try await self.factor(after: { try await factor.resend() }) ?? factor
        }
        self.event?.factor = factor
        self.event?.challenged = way
        return factor
    }

    /// Submits the second factor.
    /// - Parameters:
    ///   - details: the ids of the event.
    ///   - value: the value as typed.
    ///   - way: the way that was challenged.
    /// - Returns: the outcome; nil if the ids belong to no sign-in.
    /// - Throws: ``WalletError``: `data_error` if the event has ended, also by the fifth wrong value; ``Interruption``.
    package func attempt(
        _ details: SCA.Details, _ value: String?, by way: SCA.Verification
    ) async throws -> SCA.Attempt? {
        guard let current = event(details) else { return nil }
        guard let factor = current.factor else { return attempt(.valid, of: current) }
        guard current.challenged == way, let value else { return attempt(.notChallenged, of: current) }
        do {
            let next = try await self.factor(after: { try await factor.answer(value) })
            event?.factor = next
            event?.challenged = nil
            event?.opened = wallet.identity
            guard let next else { return attempt(.valid, of: current) }
            return attempt(.additionalFactorRequired, of: current, next.availableVerifications)
        } catch let error as WalletError where error.code == .invalidCredentials {
            // What cannot be a code is not sent, and costs no try.
            guard error.reachedServer else { return attempt(.invalidValue, of: current) }
            event?.failed += 1
            guard let event, event.failed < Self.allowableAttempts else { throw ended() }
            return attempt(.invalidValue, of: event)
        }
    }

    private func attempt(
        _ reason: SCA.StatusReason, of event: Event, _ available: [SCA.AvailableVerification] = []
    ) -> SCA.Attempt {
        SCA.Attempt(reason, remainingAttempts: Self.allowableAttempts - event.failed, available)
    }

    private func event(_ details: SCA.Details) -> Event? { event?.details == details ? event : nil }

    /// Whether the wallet's session is still the one that the event opened: another person's token must not answer this one's sign-in.
    private func isOpen(_ event: Event) -> Bool {
        event.opened.map { wallet.identity?.isOfSession(of: $0) == true } ?? false
    }

    /// The factor that a step of the sign-in leads to; nil once the person is signed in.
    private func factor(after step: () async throws -> LoginOutcome) async throws -> MFAChallenge? {
        let outcome: LoginOutcome
        do { outcome = try await step() } catch let error as WalletError where error.code == .invalidSession {
            throw ended()
        }
        switch outcome {
        case .authenticated: return nil
        case .mfaRequired(let factor) where !factor.availableVerifications.isEmpty: return factor
        default:
            event = nil
            throw Interruption.unfinished(outcome)
        }
    }

    private func ended() -> WalletError {
        event = nil
        return WalletError(
            .dataError, .refused, during: .submitSCAAttempt, reachedServer: true,
            reason: "the event has ended: begin the sign-in again")
    }
}
