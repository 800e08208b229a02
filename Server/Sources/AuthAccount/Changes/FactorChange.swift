internal import AuthCallers
internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore

/// Checks repeated inside every write that changes an account's factors or password, and the name, enrollment or removal of a device.
/// A new write for an app begins with them as well: otherwise a recorded request makes the same change twice.
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
}

extension AppCaller {
    /// The same for a change of the account's devices.
    func deviceRefusalOfChange(on connection: any SQLConnection) throws -> DeviceRefusal? {
        switch try refusalOfChange(on: connection) {
        case nil: nil
        case .unauthorized(let refusal): .unauthorized(refusal)
        default: .accountChanged
        }
    }
}

/// Limits how often an account's factors can be changed: the holder is notified each time and must not be flooded.
struct FactorChangeBudget: Sendable {
    let subject: [UInt8]
    let now: Timestamp

    private static let policy = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    init(_ call: any FactorCaller, context: ServerContext) throws {
        subject = Digests.keyed(
            "factor-changes", [call.account.id.uuid], key: try context.keyRing.active(.attempts))
        now = call.now
    }

    /// Charges one change. Returns a refusal if there were too many.
    func charge(on connection: any SQLConnection) throws -> FactorRefusal? {
        switch try Attempts.count(subject, under: Self.policy, now: now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
    }
}
