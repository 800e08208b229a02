import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls the issuer's protected resources with the session of the signed-in account.
struct SessionCalls: Sendable {
    let issuer: Issuer
    let calls: ResourceCalls
    let discovery: ServerDiscovery
    let clock: ServerClock

    /// Sends one call.
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path below the issuer.
    ///   - body: the body.
    ///   - idempotencyKey: marks a call that may be repeated after a lost response.
    ///   - deviceSignature: the device's signature over the request, if it needs one.
    ///   - operation: the operation this is part of.
    /// - Returns: the members of the response; empty if it has no body.
    /// - Throws: ``WalletError`` for every response other than success.
    func send(
        _ method: Endpoint.Method, _ path: String, _ body: JSONObject? = nil, idempotencyKey: String? = nil,
        deviceSignature: String? = nil, during operation: WalletError.Operation
    ) async throws -> JSONObject {
        let answer = try await answer(
            to: Call(method, path, body, idempotencyKey: idempotencyKey, deviceSignature: deviceSignature),
            during: operation)
        return try await members(of: answer, during: operation)
    }

    /// Removes something at the server. After an attempt that may have removed it, although its answer was lost, the
    /// repetition that finds nothing is a success.
    /// - Parameters:
    ///   - path: the path of what is removed, below the issuer.
    ///   - missing: the code of a refusal because there is nothing to remove.
    ///   - session: the session to use; nil for the current one.
    ///   - operation: the operation this is part of.
    /// - Throws: ``WalletError`` for every other response.
    func remove(
        _ path: String, missing: WalletError.Code, in session: SessionGeneration? = nil,
        during operation: WalletError.Operation
    ) async throws {
        var earlier = ResourceCalls.EarlierAttempts()
        do {
            let answer = try await answer(
                to: Call(.delete, path, in: session), noting: &earlier, during: operation)
            _ = try await members(of: answer, during: operation)
        } catch let error as WalletError {
            guard earlier.mayHaveActed, error.code == missing else { throw error }
        }
    }

    private func members(of answer: ServerAnswer, during operation: WalletError.Operation) async throws -> JSONObject {
        guard answer.isSuccess, let object = answer.body.isEmpty ? JSONObject() : try? answer.object() else {
            throw await failure(of: answer, during: operation)
        }
        return object
    }

    /// An answer that is no success, or has nothing to read, as a failure.
    ///
    /// Standard servers have none of these resources. What they answer instead is anything from 404 to a sign-in page, so it is
    /// their metadata that says so.
    func failure(of answer: ServerAnswer, during operation: WalletError.Operation) async -> WalletError {
        let error = answer.failure(during: operation)
        let hasReason = error.code != .malformedAnswer && ![404, 405].contains(answer.status)
        guard !hasReason, let server = try? await discovery.metadata(), !server.isProvisional,
            !server.keepsRefreshAttempts
        else { return error }
        return error.turned(
            into: .unsupportedByServer, .misconfigured,
            reason: "the server lacks the account endpoints of a walletauth server: \(error.reason)")
    }

    /// One call: see ``send(_:_:_:idempotencyKey:deviceSignature:during:)``.
    struct Call: Sendable {
        var method: Endpoint.Method
        var path: String
        var body: JSONObject?
        var idempotencyKey: String?
        var deviceSignature: String?
        /// The session to use; nil for the current one.
        var session: SessionGeneration?

        init(
            _ method: Endpoint.Method, _ path: String, _ body: JSONObject? = nil, idempotencyKey: String? = nil,
            deviceSignature: String? = nil, in session: SessionGeneration? = nil
        ) {
            self.method = method
            self.path = path
            self.body = body
            self.idempotencyKey = idempotencyKey
            self.deviceSignature = deviceSignature
            self.session = session
        }
    }

    /// Sends one call.
    /// - Returns: the response, whatever its status.
    func answer(to call: Call, during operation: WalletError.Operation) async throws -> ServerAnswer {
        var earlier = ResourceCalls.EarlierAttempts()
        return try await answer(to: call, noting: &earlier, during: operation)
    }

    private func answer(
        to call: Call, noting earlier: inout ResourceCalls.EarlierAttempts, during operation: WalletError.Operation
    ) async throws -> ServerAnswer {
        var request = URLRequest(url: try issuer.url(of: call.path, during: operation))
        request.httpMethod = call.method.rawValue
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue(call.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
        request.setValue(call.deviceSignature, forHTTPHeaderField: DeviceRequestSignature.headerName)
        if let body = call.body {
            request.httpBody = Data(body.bytes)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        // A device signature names a challenge that works once, so the call is not repeated.
        let (data, response) = try await calls.perform(
            request, blaming: call.deviceSignature == nil ? .token : .request, in: call.session, noting: &earlier)
        return ServerAnswer(data, response, at: clock.now)
    }
}
