/// What a device lacks that has none of the second factors that a transaction allows: members of a problem
/// `second_factor_unavailable`.
public struct SecondFactorShortage: Sendable, Hashable {
    /// What keeps the PIN from signing.
    public enum PIN: Sendable, Hashable {
        /// None is set.
        case notSet
        /// It is locked until another one is set.
        case locked(PINLockReason)
        /// The tries of thirty days are spent: until then no PIN signs on this device, and none is set.
        case exhausted(until: NumericDate)
    }

    /// The second factor that the transaction asks for.
    public var required: RequiredSecondFactor
    /// What keeps the PIN from signing; nil where the transaction takes no PIN, and where the server does not say.
    public var pin: PIN?

    /// Each parameter is the property of its name.
    public init(required: RequiredSecondFactor, pin: PIN? = nil) {
        self.required = required
        self.pin = pin
    }

    /// Reads the members of a problem; nil where there are none, as in the answer of an older server.
    /// - Parameter object: the body.
    public init?(_ object: JSONObject) {
        guard let required = object["requiredSecondFactorType"]?.string.flatMap(RequiredSecondFactor.init(rawValue:))
        else { return nil }
        self.required = required
        switch object["pinState"]?.string {
        case "NOT_SET": pin = .notSet
        case "LOCKED": pin = .locked(object["lockReason"]?.string.flatMap(PINLockReason.init) ?? .tooManyTries)
        case "EXHAUSTED":
            pin = object["pinExhaustedUntil"]?.integer.map { .exhausted(until: NumericDate(clamping: $0)) }
        default: pin = nil
        }
    }

    /// Adds the members to a problem.
    /// - Parameter problem: the body.
    public func add(to problem: inout JSONObject) {
        problem.set("requiredSecondFactorType", required.rawValue)
        switch pin {
        case .notSet: problem.set("pinState", "NOT_SET")
        case .locked(let reason):
            problem.set("pinState", "LOCKED")
            problem.set("lockReason", reason.rawValue)
        case .exhausted(let until):
            problem.set("pinState", "EXHAUSTED")
            problem.set("pinExhaustedUntil", until)
        case nil: break
        }
    }
}
