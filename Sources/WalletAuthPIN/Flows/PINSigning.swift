import WalletAuth
import WalletAuthWire

extension PINDevice {
    /// Has the PIN's key sign an act beside the device's, and hands the assertion in.
    /// - Parameters:
    ///   - act: what is signed.
    ///   - pin: the PIN in use. A wrong one costs a try.
    ///   - draft: the draft, where the act signs a transaction that the app began.
    ///   - submit: hands the assertion in.
    func signed<Answer: Sendable>(
        _ act: DeviceAssertion.Act, by pin: PIN, draft: TransactionDraft? = nil,
        _ submit: @escaping @Sendable (SignedAssertion) async throws -> Answer
    ) async throws -> Answer {
        let device = self
        // Another evaluation at the same time would void this one, whose try is spent.
        return try await alone {
            let use = try PINUse(act)
            let present = try await PresentPIN(device: device, pin: pin, draft: draft).evaluate { .use(use, $0) }
            let assertion = try await device.authentication.assertion(
                act, factor: .pin(present.epoch), challenge: present.answer.challengeID, nonce: present.answer.nonce,
                of: device.enrollment, by: [present.key], during: device.operation)
            return try await device.noting { try await submit(assertion) }
        }
    }
}
