public import WalletAuth
import WalletAuthWire

extension SCA.Answer {
    /// The PIN of this device: for `.devicePIN`.
    ///
    /// Its key signs the event and the hash of the bytes that were shown, beside the device's. Neither the PIN nor anything
    /// derived from it is stored or sent. A wrong one costs one of the PIN's five tries, and one of the event's.
    /// - Parameter digits: as the person typed it.
    public static func pin(_ digits: String) -> SCA.Answer {
        .signature(of: .devicePIN) { signing in
            guard let pin = try? PIN(digits) else {
                throw WalletError(
                    .badRequest, .refused, during: signing.operation, reason: "no PIN is like this; it cost no try")
            }
            let device = PINDevice(
                authentication: signing.authentication, enrollment: signing.enrollment, operation: signing.operation)
            return try await device.signed(signing.act, by: pin) { try await signing.submit($0) }
        }
    }
}
