import WalletAuthWire

/// The transitions of a renewal. Each is made under the record's lock; the request to the server goes out between them.
extension SessionRecord {
    /// What a renewal finds when it begins.
    enum RenewalStart: Equatable, Sendable {
        /// Send this, now that the attempt is in the store.
        case send(RefreshToken, RefreshAttempt, Session)
        /// Somebody else has renewed it already.
        case alreadyRenewed
        /// The session it was begun for is over.
        case superseded(WalletError.SignOutReason)
        /// There is no refresh token: the session ends with its access token.
        case nothingToRenewWith
    }

    /// Begins the renewal of the session `expected`, whose token `spent` no longer serves.
    mutating func beginRenewal(
        of expected: SessionGeneration, spent: AccessToken, newAttempt: RefreshAttempt
    ) -> RenewalStart {
        guard case .signedIn(var session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.accessToken == spent else { return .alreadyRenewed }
        guard let refreshToken = session.refreshToken else { return .nothingToRenewWith }
        if case .begun(let attempt) = session.renewal { return .send(refreshToken, attempt, session) }
        session.renewal = .begun(newAttempt)
        state = .signedIn(session)
        return .send(refreshToken, newAttempt, session)
    }

    /// Takes the new pair in, unless the session is no longer the one it was asked for: then the pair is revoked, and
    /// whoever is signed in now is not touched.
    /// - Parameters:
    ///   - sent: what the pair was given for. When the store has another by now, somebody renewed since, and theirs stays.
    ///   - renewed: the session with the new pair.
    /// - Returns: why the session it was for is over; nil when it is not.
    mutating func finishRenewal(
        of expected: SessionGeneration, sent: RefreshToken, with renewed: Session
    ) -> WalletError.SignOutReason? {
        guard case .signedIn(let session) = state, generation == expected else {
            queueRevocation(of: renewed)
            return supersededReason
        }
        guard session.refreshToken == sent else { return nil }
        var stored = renewed
        stored.renewal = .idle
        state = .signedIn(stored)
        return nil
    }

    /// What a refused refresh token means.
    enum Refusal: Equatable, Sendable {
        /// The session is over, and the record says so now.
        case ended
        /// Another process has renewed meanwhile: its token serves.
        case alreadyRenewed
        /// The session was over already.
        case superseded(WalletError.SignOutReason)
    }

    /// The server refused `sent` for good. Only the token that is still the stored one can end the session.
    mutating func refuseRenewal(of expected: SessionGeneration, sent: RefreshToken) -> Refusal {
        guard case .signedIn(let session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.refreshToken == sent else { return .alreadyRenewed }
        endSession(.sessionEnded)
        return .ended
    }

    /// Why a generation that is not the current one is over.
    var supersededReason: WalletError.SignOutReason {
        switch state {
        case .signedIn: .replacedByAnotherSignIn
        case .signedOut(let reason): reason
        }
    }
}
