internal import AuthCore
internal import AuthStore

/// What every write that changes an account's factors or its password looks at again, in the write itself.
extension AppCaller {
    /// Why the change may not be made any more; `nil` lets it be made.
    ///
    /// The session may have ended since the call was let in: its account was closed, or its token found stolen. And a proof
    /// makes one change for good: a recorded request that is shown again, to another process or after a restart, makes none.
    /// - Parameter connection: the connection of the write.
    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        guard try Sessions.living(session.facts.id, now: now, on: connection) != nil else { return .accountChanged }
        guard try SeenJTIs.remember(proofDigest, until: now + DPoPNonces.life, on: connection) else {
            return .unauthorized(.invalidDPoPProof("The proof was used before."))
        }
        return nil
    }
}

extension AppCaller {
    /// The same for a change of the account's devices.
    /// - Parameter connection: the connection of the write.
    func deviceRefusalOfChange(on connection: any SQLConnection) throws -> DeviceRefusal? {
        switch try refusalOfChange(on: connection) {
        case nil: nil
        case .unauthorized(let refusal): .unauthorized(refusal)
        default: .accountChanged
        }
    }
}

/// How often an account's factors can be set anew: the holder is told of every time, and must not be flooded.
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

    /// Charges one; the refusal where there were too many.
    func charge(on connection: any SQLConnection) throws -> FactorRefusal? {
        switch try Attempts.count(subject, under: Self.policy, now: now, on: connection) {
        case .compare: nil
        case .refuse(let until): .tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: now))
        }
    }
}
