internal import WalletAuthTransport
public import WalletAuthWire

/// Whether an operation may be carried out.
public enum OperationDecision: Hashable, Sendable {
    /// Carry it out now, once, and keep the code.
    case authorized(AuthenticationCode, AuthenticationCodeClaims)
    /// Respond with `SCARequired.answer`. The app asks the person for consent and repeats its request with
    /// `scaDetails`.
    case scaRequired(SCARequired)
}

extension WalletOperations {
    /// Checks whether an operation may be carried out, and consumes the person's consent.
    ///
    /// Without `scaDetails`, this asks the server: an operation that is exempt, or that the person has already agreed to
    /// under the same `id`, is authorized at once; any other results in ``OperationDecision/scaRequired(_:)``. With
    /// `scaDetails`, it consumes the person's consent, which succeeds once.
    /// In both cases the authentication code is verified and compared with the operation and the person, so that
    /// consent by another person, or to another operation, authorizes nothing.
    ///
    /// - Parameters:
    ///   - operation: the operation. Build it from the data that you will carry out, never from the app's own
    ///     description of it.
    ///   - person: the person who pays: ``VerifiedAccess/person`` of the same request.
    ///   - scaDetails: the app's `scaDetails`, if its request has them.
    ///   - id: the id of a new operation; nil creates a random one. With `scaDetails`, which contain the id, it must be
    ///     the same or nil.
    ///   - grounds: grounds for an exemption from consent.
    ///   - attempt: names this execution, see ``consume(_:_:attempt:)``.
    /// - Returns: the decision.
    /// - Throws: ``OperationRefusal``, with a response for the app. If its certainty is ``CallCertainty/unknown``, the
    ///   consent may have been consumed: only a call with the same `attempt` can tell.
    public func authorize(
        _ operation: WalletOperation, by person: VerifiedAccess.Person, scaDetails: SCADetails?,
        id: WalletOperationID? = nil, grounds: ExemptionGrounds = ExemptionGrounds(), attempt: IdempotencyKey? = nil
    ) async throws(OperationRefusal) -> OperationDecision {
        // Fetch the keys first: without them the code could not be verified after the consent is consumed.
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
        guard created.id == id else { throw OperationRefusal(.malformedAnswer, reason: "another operation's response") }
        switch (created.status, created.eventID) {
        case (.exempt, _): return try await carryOut(id, nil, operation, person, attempt)
        // The person agreed to this very operation, and the app lost track of it, as when the answer was a 503.
        case (.verified, let event?): return try await carryOut(id, event, operation, person, attempt)
        case (.scaRequired, let event?):
            return .scaRequired(
                SCARequired(
                    eventID: event, operationID: id, availableVerifications: created.availableVerifications))
        // If this same execution lost its answer, the server repeats the answer.
        case (.authorized, let event):
            guard let attempt else {
                throw OperationRefusal(.scaAlreadyUsed, reason: "the operation has already been carried out")
            }
            return try await carryOut(id, event, operation, person, attempt)
        // As the server refuses to carry them out.
        case (.failed, _): throw OperationRefusal(.operationLocked, reason: "there were too many wrong attempts")
        case (.cancelled, _): throw OperationRefusal(.operationCancelled, reason: "it was refused or withdrawn")
        case (.expired, _): throw OperationRefusal(.operationExpired, reason: "it was not approved in time")
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
            // The consent is consumed, and it was for another operation: nothing may move.
            throw OperationRefusal(.operationChanged, reason: "the authentication code has a different \(member)")
        } catch {
            throw OperationRefusal(.malformedAnswer, reason: "the authentication code is invalid: \(error)")
        }
    }

    private static func randomID() throws(OperationRefusal) -> WalletOperationID {
        do { return try WalletOperationID(Randomness.token()) } catch {
            throw OperationRefusal(.malformedAnswer, reason: "no id for the operation")
        }
    }
}
