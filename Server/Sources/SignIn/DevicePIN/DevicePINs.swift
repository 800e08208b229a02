package import Kernel
internal import Store
package import WalletAuthWire

/// The PIN of a device (docs/wpin-1.md): evaluated before every use, set, changed, and reset after it was forgotten.
///
/// This folder owns setting, changing and forgetting the PIN. Evaluation, assertions, attempts and locks are in
/// `AuthCredentials/PIN`; account PINs are in `AccountPIN`.
package struct DevicePINs: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Returns the server's share of a PIN key, and the challenge for the assertion. It needs no session, because the device signs the
    /// request.
    /// - Parameter transactions: the flow that owns transactions, for an evaluation that will sign one.
    package func evaluate(
        _ request: PINEvaluationRequest, call: DeviceCaller, forTransactionsOf transactions: any PINSubject
    ) async throws -> Result<PINEvaluationResponse, DevicePINRefusal> {
        try await PINEvaluation(context: context, transactions: transactions).evaluate(request, call: call)
    }

    /// Sets or changes the PIN of the device that the call comes from.
    ///
    /// Setting one, also in place of a forgotten or locked one, requires a fresh sign-in with two categories. Changing one requires
    /// the old PIN.
    /// - Parameter request: the new key and the assertion.
    package func set(
        _ request: PINSettingRequest, on id: DeviceID, call: AppCaller
    ) async throws -> Result<PINSettingResponse, DevicePINRefusal> {
        guard let device = UniqueID(uuid: id.rawValue), call.session.facts.deviceID == device else {
            return .failure(.device(.notFound))
        }
        guard let assertion = try? PresentedAssertion(request.assertion), assertion.unverified.deviceID == id,
            case .pin(let epoch) = assertion.unverified.factor
        else { return .failure(.refused(.invalidCredentials)) }
        // One key for both would turn two factors into one.
        guard request.publicKey.thumbprint.bytes != call.device?.thumbprint else {
            return .failure(.refused(.invalidCredentials))
        }
        let hash = PayloadHash.key(request.publicKey.thumbprint)
        let act: DeviceAssertion.Act
        switch assertion.unverified.act.purpose {
        case .enroll:
            act = .enroll(hash)
            if let refusal = StepUpPolicy(context: context, call: call).deviceRefusal(by: call.methodsForDevicePIN) {
                // A repetition is fine even if the sign-in is no longer fresh: the PIN was set and only the response was lost.
                let isRepeated = try await PINAssertions(context: context).isRepeated(
                    assertion, act: act, newKey: request.publicKey, now: call.now)
                return isRepeated
                    ? .success(PINSettingResponse(epoch: epoch)) : .failure(.device(refusal))
            }
        case .pinChange: act = .pinChange(hash)
        case .login, .sca, .transaction, .reject, .biometric: return .failure(.refused(.invalidCredentials))
        }
        let outcome = try await PINAssertions(context: context).check(
            assertion, act: act, newKey: request.publicKey, session: call.session.facts.id, origin: call.origin,
            now: call.now)
        switch outcome {
        case .proven: return .success(PINSettingResponse(epoch: epoch))
        case .refused(let refusal): return .failure(DevicePINRefusal(refusal))
        }
    }
}
