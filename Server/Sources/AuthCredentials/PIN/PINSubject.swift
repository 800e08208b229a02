package import AuthCore
package import AuthFoundation
package import AuthStore
package import WalletAuthWire

/// The flow that owns what a PIN is evaluated for; the PIN flow does not know it.
///
/// Its functions run inside the PIN's writes, so that an attempt is charged only if the subject still needs the PIN.
package protocol PINSubject: Sendable {
    /// Returns why a PIN is not evaluated; `nil` permits it. A refusal charges nothing.
    /// - Parameters:
    ///   - device: its signature is already verified.
    ///   - connection: the connection of the write that would charge an attempt.
    func refusal(
        of request: PINEvaluationRequest, by device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal?

    /// Handles a PIN without attempts, which cannot sign.
    /// - Parameters:
    ///   - act: the act that the PIN was to sign.
    ///   - connection: the connection of the write that refuses the attempt.
    func pinLocked(
        for act: DeviceAssertion.Act, on device: DeviceRecord, origin: RequestOrigin, now: Timestamp,
        connection: any SQLConnection
    ) throws

    /// Runs after the write that refused the last attempt is committed.
    /// - Parameter act: the act that the PIN was to sign.
    func refusedLastTry(for act: DeviceAssertion.Act)
}
