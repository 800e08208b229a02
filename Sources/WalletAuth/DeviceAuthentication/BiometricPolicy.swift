/// When a person who uses face or fingerprint has to type the PIN again. Each limit is optional.
public struct BiometricPolicy: Sendable, Hashable {
    /// The number of sign-ins and approvals by face or fingerprint in a row, at least one.
    public var approvals: Int?
    /// The time since the PIN was last typed.
    public var timeSincePIN: Duration?
    /// The time since PIN, face or fingerprint were last used.
    public var inactivity: Duration?

    /// Creates a policy. Each parameter sets the property of the same name; nil sets no such limit.
    public init(approvals: Int? = nil, timeSincePIN: Duration? = nil, inactivity: Duration? = nil) {
        self.approvals = approvals
        self.timeSincePIN = timeSincePIN
        self.inactivity = inactivity
    }

    /// A limit below which face or fingerprint would never work.
    var fault: String? {
        if let approvals, approvals < 1 { return "biometricPolicy allows no approval: remove biometrics instead" }
        guard [timeSincePIN, inactivity].allSatisfy({ $0.map { $0 > .zero } ?? true }) else {
            return "biometricPolicy has a time that is not positive"
        }
        return nil
    }
}
