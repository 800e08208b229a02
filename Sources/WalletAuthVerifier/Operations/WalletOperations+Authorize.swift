public import WalletAuthWire

/// What comes of asking whether an operation may be carried out.
public enum OperationDecision: Hashable, Sendable {
    /// Carry it out now, once, and keep the code.
    case authorized(AuthenticationCode, AuthenticationCodeClaims)
    /// Answer with `SCARequired.answer`: the app lets the person agree and repeats its request with
    /// `scaDetails`.
    case scaRequired(SCARequired)
}

extension WalletOperations {
    /// Finds out whether an operation may be carried out, and takes the right to do it.
    ///
    /// Without `scaDetails` the server is asked: an exempt operation is authorized at once, any other comes back as
    /// ``OperationDecision/scaRequired(_:)``. With them the person's consent is consumed, which succeeds once. Either way the
    /// authentication code is verified, and held against the operation and the person: consent that somebody else gave, or
    /// gave to something else, carries nothing out.
    /// - Parameters:
    ///   - operation: what is to be done, built from what will be carried out and from nothing that the app says besides.
    ///   - person: on whose behalf: ``VerifiedAccess/person`` of this very request.
    ///   - scaDetails: what the app's request carries of a consent.
    ///   - id: the name of a new operation; nil makes a random one. Beside `scaDetails`, which names one, it has to be the
    ///     same where it is given.
    ///   - grounds: what may let the operation pass without consent.
    ///   - attempt: names this one carrying out, see ``consume(_:_:attempt:)``.
    /// - Returns: what to do.
    /// - Throws: ``OperationRefusal``, with an answer for the app. Where its certainty is
    ///   ``CallCertainty/unknown`` the operation may have been consumed: only a call with the same `attempt`
    ///   can tell.
    public func authorize(
        _ operation: WalletOperation, by person: VerifiedAccess.Person, scaDetails: SCADetails?,
        id: WalletOperationID? = nil, grounds: ExemptionGrounds = ExemptionGrounds(), attempt: IdempotencyKey? = nil
    ) async throws(OperationRefusal) -> OperationDecision {
        // Without keys the code could not be verified, once the consent is spent.
        do { try await issuer.prepare() } catch {
            throw OperationRefusal(.temporarilyUnavailable, reason: error.reason)
        }
        if let scaDetails {
            guard id == nil || id == scaDetails.operationID else {
                throw OperationRefusal(.operationChanged, reason: "scaDetails name another operation")
            }
            return try await carryOut(scaDetails.operationID, scaDetails.eventID, operation, person, attempt)
        }
        let id = if let id { id } else { try Self.randomID() }
        let created = try await create(
            WalletOperationRequest(
                id: id, account: person.account, session: person.session, operation: operation, grounds: grounds))
        guard created.id == id else { throw OperationRefusal(.malformedAnswer, reason: "another operation's answer") }
        switch (created.status, created.eventID) {
        case (.exempt, _): return try await carryOut(id, nil, operation, person, attempt)
        case (.scaRequired, let event?), (.verified, let event?):
            // Who has agreed already is told so by the server when the app asks for a challenge.
            return .scaRequired(
                SCARequired(
                    eventID: event, operationID: id, availableVerifications: created.availableVerifications))
        // Where it was this very carrying out, whose answer was lost, the server gives the answer again.
        case (.authorized, let event):
            guard let attempt else {
                throw OperationRefusal(.scaAlreadyUsed, reason: "the operation was carried out before")
            }
            return try await carryOut(id, event, operation, person, attempt)
        case (.failed, _), (.cancelled, _), (.expired, _):
            throw OperationRefusal(.scaNotVerified, reason: "the operation is \(created.status.rawValue)")
        case (.scaRequired, nil), (.verified, nil):
            throw OperationRefusal(.malformedAnswer, reason: "SCA is required, and no event is named")
        }
    }

    private func carryOut(
        _ id: WalletOperationID, _ event: SCAEventID?, _ operation: WalletOperation, _ person: VerifiedAccess.Person,
        _ attempt: IdempotencyKey?
    ) async throws(OperationRefusal) -> OperationDecision {
        let code = try await consume(
            id, OperationConsumption(eventID: event, account: person.account, operation: operation), attempt: attempt)
        let expected = ExpectedOperation(
            clientID: clientID, account: person.account, id: id, operation: operation, eventID: event)
        do {
            return .authorized(code, try await issuer.verify(code, for: expected))
        } catch .unavailable(let reason) {
            throw OperationRefusal(.temporarilyUnavailable, .unknown, reason: reason.reason)
        } catch .differs(let member) {
            // The consent is spent, and what it was for is not this: nothing may move.
            throw OperationRefusal(.operationChanged, reason: "the authentication code's \(member) is another")
        } catch {
            throw OperationRefusal(.malformedAnswer, reason: "the authentication code: \(error)")
        }
    }

    private static func randomID() throws(OperationRefusal) -> WalletOperationID {
        do { return try WalletOperationID(Randomness.token()) } catch {
            throw OperationRefusal(.malformedAnswer, reason: "no name for the operation")
        }
    }
}
