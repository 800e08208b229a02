public import WalletAuth
import WalletAuthWire

extension UserInteraction.SecondFactor {
    /// Signs by the PIN of this device.
    ///
    /// Its key signs the hash of the bytes that were shown, beside the device's. Neither the PIN nor anything derived from it is
    /// stored or sent. A wrong PIN costs one of five tries, and the flow asks again with `pinFailed`.
    /// - Parameter digits: the PIN as the person typed it.
    public func pin(_ digits: String) {
        sign { signing in
            guard let pin = try? PIN(digits) else {
                throw WalletError(
                    .badRequest, .refused, during: signing.operation, reason: "no PIN looks like this; it cost no try")
            }
            let device = PINDevice(
                authentication: signing.authentication, enrollment: signing.enrollment, operation: signing.operation)
            return try await device.signed(signing.act, by: pin, draft: signing.draft) { try await signing.submit($0) }
        }
    }
}
