import WalletAuthWire

extension TokenRenewer {
    /// Returns a token that is valid now. Reads only memory for as long as it can.
    /// - Parameter generation: the session in which the call began; a token of another session is not returned.
    func ticket(
        of generation: SessionGeneration?, during operation: WalletError.Operation
    ) async throws -> LiveSession.Ticket {
        var expected = generation
        // Another process may overtake a renewal a few times; a broken clock or server must not loop forever.
        for _ in 0..<4 {
            switch keeper.reading() {
            case .fresh(let ticket):
                return try check(ticket, expected, operation)
            case .aging(let ticket):
                let checked = try check(ticket, expected, operation)
                if ticket.origin == .stored { renewInBackground(ticket) }
                return checked
            case .expired(let ticket):
                _ = try check(ticket, expected, operation)
                guard ticket.origin == .stored else { throw WalletError.signedOut(.tokenExpired, operation) }
                expected = ticket.generation
                try await renew(ticket)
            case .notLoaded:
                try await WalletError.during(operation) { try await keeper.load() }
            case .signedOut(let reason):
                throw WalletError.signedOut(reason, operation)
            }
        }
        throw WalletError(
            .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: operation, reachedServer: true,
            reason: "the server's tokens expire before they can be used")
    }

    /// Returns the signed-in person's session, renewed if its token has ended.
    /// - Throws: ``WalletError``, with the reason if no one is signed in.
    func holding(during operation: WalletError.Operation) async throws -> LiveSession.Holding {
        let ticket = try await ticket(of: nil, during: operation)
        guard let holding = keeper.snapshot.holding, holding.generation == ticket.generation else {
            throw WalletError.signedOut(keeper.snapshot.supersededReason, operation)
        }
        return holding
    }

    private func check(
        _ ticket: LiveSession.Ticket, _ expected: SessionGeneration?, _ operation: WalletError.Operation
    ) throws -> LiveSession.Ticket {
        if let expected, expected != ticket.generation {
            throw WalletError.signedOut(.replacedByAnotherSignIn, operation)
        }
        return ticket
    }
}

extension LiveSession {
    /// The state of the token for a caller that needs one.
    enum Reading: Sendable {
        case notLoaded
        case signedOut(WalletError.SignOutReason)
        /// Valid.
        case fresh(Ticket)
        /// Valid, but old enough to be renewed in the background.
        case aging(Ticket)
        /// Must be renewed first.
        case expired(Ticket)
    }

    /// A token and its session.
    struct Ticket: Sendable {
        var generation: SessionGeneration
        var accessToken: AccessToken
        var keyThumbprint: JWKThumbprint?
        var origin: Origin
    }

    func read(at uptime: Duration) -> Reading {
        switch state {
        case .notLoaded: return .notLoaded
        case .signedOut(let reason, _): return .signedOut(reason)
        case .signedIn(let holding):
            let ticket = holding.ticket
            if uptime < holding.schedule.renewFrom { return .fresh(ticket) }
            return uptime < holding.schedule.expiresAt ? .aging(ticket) : .expired(ticket)
        }
    }
}

extension LiveSession.Holding {
    var ticket: LiveSession.Ticket {
        LiveSession.Ticket(
            generation: generation, accessToken: session.accessToken, keyThumbprint: session.keyThumbprint,
            origin: origin)
    }
}
