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

    /// How a judged answer was taken in.
    enum RenewalEnd: Sendable {
        /// The session goes on; where another process renewed meanwhile, with what that one got.
        case goesOn
        /// The answer cannot be used, for the so-many-eth time in a row.
        case notUsable(WalletError, times: Int)
        /// The session it was for is over.
        case superseded(WalletError.SignOutReason)
    }

    /// Takes a judged answer in, unless the session is no longer the one it was asked for: then its tokens are revoked, and
    /// whoever is signed in now is not touched.
    /// - Parameters:
    ///   - sent: what the answer was given for. When the store has another by now, another process renewed since, and its tokens stay.
    ///   - owner: whose session it was asked for.
    ///   - verdict: what the answer is. The tokens of another person are revoked and touch nothing else.
    mutating func finishRenewal(
        of expected: SessionGeneration, sent: RefreshToken, owner: TokenOwner, with verdict: RenewalVerdict
    ) -> RenewalEnd {
        if case .another(let revocation, _) = verdict { queue(revocation) }
        guard case .signedIn(var session) = state, generation == expected else {
            switch verdict {
            case .renewed(let renewed): queueRevocation(of: renewed)
            case .flawed(let token?, _, _) where token != sent:
                queue(QueuedRevocation(token.reveal(), .refreshToken, of: owner))
            case .flawed, .another: break
            }
            return .superseded(supersededReason)
        }
        guard session.refreshToken == sent else { return .goesOn }
        switch verdict {
        case .renewed(let renewed):
            state = .signedIn(renewed)
            return .goesOn
        case .flawed(let token, let isUnjudged, let error):
            if let token, token != sent {
                session.refreshToken = token
                session.renewal = .idle
                session.isRefreshTokenUnjudged = isUnjudged || session.isRefreshTokenUnjudged == true ? true : nil
            }
            return .notUsable(error, times: count(&session))
        case .another(_, let error): return .notUsable(error, times: count(&session))
        }
    }

    /// Counts an answer to a refresh that was neither tokens nor a refusal with a reason.
    /// - Returns: how many there were in a row; nil where the session is another by now, or was renewed meanwhile.
    mutating func countUnexplained(of expected: SessionGeneration, sent: RefreshToken) -> Int? {
        guard case .signedIn(var session) = state, generation == expected, session.refreshToken == sent else {
            return nil
        }
        return count(&session)
    }

    private mutating func count(_ session: inout Session) -> Int {
        let times = (session.unexplainedAnswers ?? 0) + 1
        session.unexplainedAnswers = times
        state = .signedIn(session)
        return times
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

    /// The server refused `sent` for good. Only the token that is still the stored one, of a session that was not renewed since,
    /// can end it.
    mutating func refuseRenewal(
        of expected: SessionGeneration, sent: RefreshToken, spent: AccessToken
    ) -> Refusal {
        guard case .signedIn(let session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.refreshToken == sent, session.accessToken == spent else { return .alreadyRenewed }
        endSession(.sessionEnded)
        return .ended
    }

    /// There is nothing to renew with: the session ends with its access token, unless another process has a newer one.
    mutating func endWithoutRefreshToken(of expected: SessionGeneration, spent: AccessToken) -> Refusal {
        guard case .signedIn(let session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.refreshToken == nil, session.accessToken == spent else { return .alreadyRenewed }
        endSession(.tokenExpired)
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
