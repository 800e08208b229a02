public import WalletAuth
import WalletAuthWire

extension SCA.Answer {
    /// Answers `.devicePIN` with this device's PIN.
    ///
    /// The PIN's key and the device's key sign the event and the hash of the displayed bytes. Neither the PIN nor
    /// anything derived from it is stored or sent. A wrong PIN uses one of its five attempts, and one of the event's.
    ///
    /// - Parameter digits: the PIN as the person typed it.
    public static func pin(_ digits: String) -> SCA.Answer {
        .signature(of: .devicePIN) { signing in
            guard let pin = try? PIN(digits) else {
                throw WalletError(
                    .badRequest, .refused, during: signing.operation,
                    reason: "a PIN has 4 to 12 digits; no attempt was used")
            }
            let device = PINDevice(
                authentication: signing.authentication, enrollment: signing.enrollment, operation: signing.operation)
            return try await device.signed(signing.act, by: pin) { try await signing.submit($0) }
        }
    }
}
