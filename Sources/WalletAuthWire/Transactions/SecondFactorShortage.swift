/// What a device without an allowed second factor lacks: members of a `second_factor_unavailable` problem.
public struct SecondFactorShortage: Sendable, Hashable {
    /// The reason the PIN cannot sign.
    public enum PIN: Sendable, Hashable {
        /// None is set.
        case notSet
        /// It is locked until another is set.
        case locked(PINLockReason)
        /// Thirty tries within thirty days are spent: until then, no PIN signs on this device, and none can be set.
        case exhausted(until: NumericDate)
    }

    /// The second factor that the transaction requires.
    public var required: RequiredSecondFactor
    /// The reason the PIN cannot sign; nil if the transaction does not accept a PIN, or the server does not say.
    public var pin: PIN?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(required: RequiredSecondFactor, pin: PIN? = nil) {
        self.required = required
        self.pin = pin
    }

    /// Reads the members of a problem; nil if there are none.
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
