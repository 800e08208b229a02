public import WalletAuth
import WalletAuthWire

extension UserInteraction.SecondFactor {
    /// Signs with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the hash of the displayed bytes. Neither the PIN nor anything derived
    /// from it is stored or sent. A wrong PIN uses one of five attempts, and the flow asks again with `pinFailed`.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    public func pin(_ digits: String) {
        sign { signing in
            guard let pin = try? PIN(digits) else {
                throw WalletError(
                    .badRequest, .refused, during: signing.operation,
                    reason: "a PIN has 4 to 12 digits; no attempt was used")
            }
            let device = PINDevice(
                authentication: signing.authentication, enrollment: signing.enrollment, operation: signing.operation)
            return try await device.signed(signing.act, by: pin, draft: signing.draft) { try await signing.submit($0) }
        }
    }
}
