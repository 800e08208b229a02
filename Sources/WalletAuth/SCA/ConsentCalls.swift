import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The calls of a consent: challenge, attempt and refusal (protocol section 4).
struct ConsentCalls: Sendable {
    let calls: SessionCalls
    let keeper: SessionKeeper

    /// The requested way would not help; these would.
    struct Unavailable: Error {
        let offered: [SCA.AvailableVerification]
        let error: WalletError
    }

    /// Requests a challenge.
    /// - Parameter generation: the session in which the operation began; nil for the current one.
    /// - Throws: ``WalletError``, ``Unavailable``.
    func challenge(
        _ request: SCA.ChallengeRequest, of eventID: String, in generation: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws -> SCA.Challenge {
        let (event, wire) = try WalletError.argument(operation) { (try SCAEventID(eventID), try request.wire) }
        let answer = try await calls.answer(
            .post, Endpoints.scaChallenges.path(event), wire.json,
            // If asked again too soon, the server sends nothing more, so a lost response can be requested again.
            idempotencyKey: Randomness.token(), in: generation, during: operation)
        guard answer.isSuccess else { throw await refusal(answer, operation) }
        return try checked(try SCAChallengeResponse(try answer.object()), event, wire, generation, operation)
    }

    /// Answers a challenge.
    /// - Parameter generation: the session in which the operation began; nil for the current one.
    func attempt(
        _ request: SCA.AttemptRequest, of eventID: String, in generation: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws -> SCA.Attempt {
        let (event, wire) = try WalletError.argument(operation) { (try SCAEventID(eventID), try request.wire) }
        let answer = try await calls.answer(
            .post, Endpoints.scaAttempts.path(event), wire.json,
            // After the consent, every repetition is verified. Only the server knows whether a lost response was that.
            idempotencyKey: Randomness.token(), in: generation, during: operation)
        guard answer.isSuccess else { throw await calls.failure(of: answer, during: operation) }
        return SCA.Attempt(try SCAAttemptResponse(try answer.object()))
    }

    /// Ends the event. Cancelling the caller's task does not keep that from the server.
    /// - Parameter isWithdrawal: whether the person started it and no longer wants it.
    func refuse(
        _ operationID: WalletOperationID, of event: SCAEventID, isWithdrawal: Bool = false,
        in generation: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws {
        let answer = try await Task { [calls] in
            try await calls.answer(
                .post, Endpoints.scaRefusal.path(event),
                SCARefusalRequest(operationID: operationID, isWithdrawal: isWithdrawal).json,
                // A refused event stays refused, so a lost response can be requested again.
                idempotencyKey: Randomness.token(), in: generation, during: operation)
        }.value
        guard answer.isSuccess else { throw await calls.failure(of: answer, during: operation) }
    }

    /// The content must match the request and the signed-in account. Otherwise a person could agree to something that
    /// is not theirs.
    private func checked(
        _ response: SCAChallengeResponse, _ event: SCAEventID, _ request: SCAChallengeRequest,
        _ generation: SessionGeneration?, _ operation: WalletError.Operation
    ) throws -> SCA.Challenge {
        func mismatch(_ what: String) -> WalletError {
            WalletError(
                .operationMismatch, .refused, during: operation, reachedServer: true,
                reason: "the operation to approve is \(what)")
        }
        guard response.eventID == event, response.operationID == request.operationID,
            response.verification == request.verification
        else { throw mismatch("for a challenge that was not requested") }
        let payload: OperationPayload
        do { payload = try OperationPayload(toShow: response.payload) } catch {
            throw mismatch("one that cannot be shown to a person: \(error)")
        }
        guard payload.eventID == event, payload.operationID == request.operationID else {
            throw mismatch("not the requested one")
        }
        let holding = keeper.snapshot.holding
        guard let holding, generation == nil || holding.generation == generation else {
            throw WalletError.signedOut(.replacedByAnotherSignIn, operation, reachedServer: true)
        }
        guard holding.session.owner.subject == payload.account.rawValue else {
            throw mismatch("not for the signed-in account")
        }
        return SCA.Challenge(response, payload: payload)
    }

    private func refusal(_ answer: ServerAnswer, _ operation: WalletError.Operation) async -> any Error {
        let error = await calls.failure(of: answer, during: operation)
        guard [.verificationUnavailable, .pushUnavailable].contains(error.code), let object = try? answer.object()
        else { return error }
        return Unavailable(offered: SCA.AvailableVerification.list(in: object), error: error)
    }
}

extension OperationPayload {
    /// Reads the bytes so that they can be shown to the person.
    /// - Throws: `MalformedValue`, also for content that cannot be shown to a person faithfully.
    init(toShow bytes: [UInt8]) throws(MalformedValue) {
        try self.init(parsing: bytes)
        try operation.refuseIllegibleText()
    }
}

extension SCA.AvailableVerification {
    /// Returns the alternatives named in a refusal; unknown ones are left out.
    static func list(in object: JSONObject) -> [Self] {
        guard case .array(let elements)? = object["availableVerifications"] else { return [] }
        return elements.compactMap { $0.object.flatMap { try? WalletAuthWire.AvailableVerification($0) } }.map(
            Self.init)
    }
}
