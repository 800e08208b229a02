package import AuthCore
package import AuthStore
package import WalletAuthWire

/// The flow that owns what a PIN is evaluated for, where the PIN's own flow knows nothing of it.
///
/// Its functions run inside the PIN's writes, so that a try is charged exactly where the subject still wants it.
package protocol PINSubject: Sendable {
    /// Why a PIN is not evaluated. A refusal charges nothing.
    /// - Parameters:
    ///   - request: the request of the device.
    ///   - device: the device, whose signature is right.
    ///   - now: the present moment.
    ///   - connection: the connection of the write that would charge a try.
    /// - Returns: `nil` where the PIN may be evaluated.
    /// - Throws: infrastructure errors.
    func refusal(
        of request: PINEvaluationRequest, by device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal?

    /// No try is left, so that the PIN signs nothing.
    /// - Parameters:
    ///   - act: the act that the PIN was to sign.
    ///   - device: the device.
    ///   - origin: where the request came from.
    ///   - now: the present moment.
    ///   - connection: the connection of the write that refuses the try.
    /// - Throws: infrastructure errors.
    func pinLocked(
        for act: DeviceAssertion.Act, on device: DeviceRecord, origin: RequestOrigin, now: Timestamp,
        connection: any SQLConnection
    ) throws

    /// The write that refused the last try is committed.
    /// - Parameter act: the act that the PIN was to sign.
    func refusedLastTry(for act: DeviceAssertion.Act)
}
