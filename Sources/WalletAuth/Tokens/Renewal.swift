import WalletAuthWire

/// The state transitions of a renewal. Each happens under the record's lock; the request to the server goes out between
/// them.
extension StoredRecord {
    /// The state at the beginning of a renewal.
    enum RenewalStart: Equatable, Sendable {
        /// Send this; the attempt is now in the store.
        case send(RefreshToken, RefreshAttempt, Session)
        /// Another process has already renewed it.
        case alreadyRenewed
        /// The session has ended.
        case superseded(WalletError.SignOutReason)
        /// There is no refresh token: the session ends with its access token.
        case nothingToRenewWith
    }

    /// Begins the renewal of the session `expected`, whose token `spent` is no longer valid.
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

    /// The result of applying a judged answer.
    enum RenewalEnd: Sendable {
        /// The session continues; if another process renewed meanwhile, with that process's tokens.
        case goesOn
        /// The answer is unusable, this many times in a row.
        case notUsable(WalletError, times: Int)
        /// The session has ended.
        case superseded(WalletError.SignOutReason)
    }

    /// Applies a judged answer. If the session is no longer the one it was requested for, its tokens are revoked and
    /// the current session is not touched.
    /// - Parameters:
    ///   - sent: the refresh token that the answer is for. If the store has another by now, another process renewed
    ///     since, and its tokens stay.
    ///   - owner: the session it was requested for.
    ///   - verdict: the judged answer. Tokens of another person are revoked and change nothing else.
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
                session.isRefreshTokenUnjudged = isUnjudged || session.isRefreshTokenUnjudged
            }
            return .notUsable(error, times: count(&session))
        case .another(_, let error): return .notUsable(error, times: count(&session))
        }
    }

    /// Counts an answer to a refresh that was neither tokens nor a refusal with a reason.
    /// - Returns: how many there were in a row; nil if the session is another by now, or was renewed meanwhile.
    mutating func countUnexplained(of expected: SessionGeneration, sent: RefreshToken) -> Int? {
        guard case .signedIn(var session) = state, generation == expected, session.refreshToken == sent else {
            return nil
        }
        return count(&session)
    }

    private mutating func count(_ session: inout Session) -> Int {
        session.unexplainedAnswers += 1
        state = .signedIn(session)
        return session.unexplainedAnswers
    }

    /// The meaning of a refused refresh token.
    enum Refusal: Equatable, Sendable {
        /// The session has ended, and the record says so now.
        case ended
        /// Another process has renewed meanwhile: its token is valid.
        case alreadyRenewed
        /// The session had already ended.
        case superseded(WalletError.SignOutReason)
    }

    /// Applies the server's final refusal of `sent`. Only the token that is still stored, of a session that was not
    /// renewed since, can end the session.
    mutating func refuseRenewal(
        of expected: SessionGeneration, sent: RefreshToken, spent: AccessToken
    ) -> Refusal {
        guard case .signedIn(let session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.refreshToken == sent, session.accessToken == spent else { return .alreadyRenewed }
        endSession(.sessionEnded)
        return .ended
    }

    /// Ends a session without a refresh token, unless another process has a newer access token.
    mutating func endWithoutRefreshToken(of expected: SessionGeneration, spent: AccessToken) -> Refusal {
        guard case .signedIn(let session) = state, generation == expected else { return .superseded(supersededReason) }
        guard session.refreshToken == nil, session.accessToken == spent else { return .alreadyRenewed }
        endSession(.tokenExpired)
        return .ended
    }

    /// The reason a former generation ended.
    var supersededReason: WalletError.SignOutReason {
        switch state {
        case .signedIn: .replacedByAnotherSignIn
        case .signedOut(let reason): reason
        }
    }
}
