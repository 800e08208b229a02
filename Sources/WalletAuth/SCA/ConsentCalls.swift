import Foundation
import WalletAuthWire

/// The two calls by which a person agrees: challenge and attempt (protocol section 4).
struct ConsentCalls: Sendable {
    let calls: SessionCalls
    let keeper: SessionKeeper

    /// The way is none that would bring the consent on; these would.
    struct Unavailable: Error {
        let offered: [SCA.AvailableVerification]
        let error: WalletError
    }

    /// Challenges a way.
    /// - Parameter generation: the session that the operation was begun in; nil for the present one.
    /// - Throws: ``WalletError``, ``Unavailable``.
    func challenge(
        _ request: SCA.ChallengeRequest, of eventID: String, in generation: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws -> SCA.Challenge {
        let (event, wire) = try argument(operation) { () throws(MalformedValue) in
            (try SCAEventID(eventID), try request.wire)
        }
        let answer = try await calls.answer(
            to: SessionCalls.Call(
                .post, Endpoints.scaChallenges.path(event), wire.json,
                // Asked again too soon the server sends nothing more, so that a lost answer may be asked for again.
                idempotencyKey: Randomness.token(), in: generation),
            during: operation)
        guard answer.isSuccess else { throw await refusal(answer, operation) }
        return try checked(try SCAChallengeResponse(try answer.object()), event, wire, generation, operation)
    }

    /// Answers a challenge.
    /// - Parameter generation: the session that the operation was begun in; nil for the present one.
    func attempt(
        _ request: SCA.AttemptRequest, of eventID: String, in generation: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws -> SCA.Attempt {
        let (event, wire) = try argument(operation) { () throws(MalformedValue) in
            (try SCAEventID(eventID), try request.wire)
        }
        let answer = try await calls.answer(
            to: SessionCalls.Call(
                .post, Endpoints.scaAttempts.path(event), wire.json,
                // After the consent every repetition is verified. Whether a lost answer was that, nobody else can say.
                idempotencyKey: Randomness.token(), in: generation),
            during: operation)
        guard answer.isSuccess else { throw await calls.failure(of: answer, during: operation) }
        return SCA.Attempt(try SCAAttemptResponse(try answer.object()))
    }

    /// What the bytes say has to be what was asked for, and of the person who is signed in: otherwise somebody would agree
    /// to what is not theirs.
    private func checked(
        _ response: SCAChallengeResponse, _ event: SCAEventID, _ request: SCAChallengeRequest,
        _ generation: SessionGeneration?, _ operation: WalletError.Operation
    ) throws -> SCA.Challenge {
        func mismatch(_ what: String) -> WalletError {
            WalletError(
                .operationMismatch, .refused, during: operation, reachedServer: true,
                reason: "what is to be agreed to is \(what)")
        }
        guard response.eventID == event, response.operationID == request.operationID,
            response.verification == request.verification
        else { throw mismatch("another challenge than the one that was asked for") }
        let payload: OperationPayload
        do { payload = try OperationPayload(toShow: response.payload) } catch {
            throw mismatch("nothing that a person can be shown: \(error)")
        }
        guard payload.eventID == event, payload.operationID == request.operationID else {
            throw mismatch("another operation than the one that was asked for")
        }
        let holding = keeper.snapshot.holding
        guard let holding, generation == nil || holding.generation == generation else {
            throw WalletError.signedOut(.replacedByAnotherSignIn, operation, reachedServer: true)
        }
        guard holding.session.owner.subject == payload.account.rawValue else {
            throw mismatch("not of the account that is signed in")
        }
        return SCA.Challenge(response, payload: payload)
    }

    private func refusal(_ answer: ServerAnswer, _ operation: WalletError.Operation) async -> any Error {
        let error = await calls.failure(of: answer, during: operation)
        guard error.code == .verificationUnavailable, let object = try? answer.object() else { return error }
        return Unavailable(offered: SCA.AvailableVerification.list(in: object), error: error)
    }

    private func argument<Value>(
        _ operation: WalletError.Operation, _ make: () throws(MalformedValue) -> Value
    ) throws(WalletError) -> Value {
        do { return try make() } catch {
            throw WalletError(.badRequest, .refused, during: operation, reason: "\(error)")
        }
    }
}

extension OperationPayload {
    /// Reads the bytes to show them to the person who is to agree to them.
    /// - Throws: `MalformedValue`, also for what a person cannot be shown as it is.
    init(toShow bytes: [UInt8]) throws(MalformedValue) {
        try self.init(parsing: bytes)
        try operation.refuseIllegibleText()
    }
}

extension SCA.AvailableVerification {
    /// The ways that a refusal names; those that are not known here are left out.
    static func list(in object: JSONObject) -> [Self] {
        guard case .array(let elements)? = object["availableVerifications"] else { return [] }
        return elements.compactMap { $0.object.flatMap { try? WalletAuthWire.AvailableVerification($0) } }.map(
            Self.init)
    }
}
