internal import Core
internal import Kernel
internal import Store

/// Checks repeated inside every write that changes an account's factors or password, a device or its long-lived
/// session. A new write for an app begins with them as well: otherwise a recorded request makes the same change twice. The
/// exception is the code of an installation, which works once and was sent to the holder.
extension AppCaller {
    /// Why the change must not be made any more; `nil` if it may be.
    ///
    /// The session may have ended since the call was accepted, for instance because its account was closed or its token was
    /// found stolen. And a proof makes one change only: a recorded request, replayed to another process or after a restart,
    /// makes none.
    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        guard try Sessions.living(session.facts.id, now: now, on: connection) != nil else { return .accountChanged }
        guard try SeenJTIs.remember(proofDigest, until: now + DPoPNonces.life, on: connection) else {
            return .unauthorized(.invalidDPoPProof("The proof has already been used."))
        }
        return nil
    }

    /// The same for a change of the account's devices.
    func deviceRefusalOfChange(on connection: any SQLConnection) throws -> DeviceRefusal? {
        switch try refusalOfChange(on: connection) {
        case nil: nil
        case .unauthorized(let refusal): .unauthorized(refusal)
        default: .accountChanged
        }
    }
}
