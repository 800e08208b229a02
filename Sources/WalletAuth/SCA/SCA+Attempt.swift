public import WalletAuthWire

extension SCA {
    /// An answer to a challenge with a code. For the channels `.redirect` and `.pushNotification`, it has no code and asks
    /// for the result of the hosted page or of the other device.
    public struct AttemptRequest: Sendable {
        /// The operation; must be the event's.
        public var walletOperationID: String
        /// The way that was challenged.
        public var verification: Verification
        /// The code; nil if there is none.
        package let value: String?

        /// Creates an attempt.
        /// - Parameters:
        ///   - walletOperationID: the operation.
        ///   - verification: the way that was challenged.
        ///   - value: the code as typed; nil or empty for the channels `.redirect` and `.pushNotification`.
        public init(walletOperationID: String, verification: Verification, value: String? = nil) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.value = value.flatMap { $0.isEmpty ? nil : $0 }
        }

        var wire: SCAAttemptRequest {
            get throws(MalformedValue) {
                guard (value == nil) == verification.isProvedElsewhere else {
                    throw MalformedValue(
                        field: "value", reason: value == nil ? "is missing" : "belongs on the page or the other device")
                }
                // Six digits or more, whatever the channel: anything else cannot be right, and must not cost a try.
                guard verification.method != .otp || value.map({ TypedCode.isPossible($0, shortest: 6) }) ?? true else {
                    throw MalformedValue(field: "value", reason: "is not at least six digits")
                }
                let way = try verification.wire
                return SCAAttemptRequest(
                    operationID: try WalletOperationID(walletOperationID), verification: way,
                    value: try value.map { (value) throws(MalformedValue) in try SCAValue(value, by: way) })
            }
        }
    }

    /// The result of an attempt.
    public struct Attempt: Hashable, Sendable {
        /// `.verified` if the consent is complete.
        public let status: Status
        /// The reason for the status.
        public let statusReason: StatusReason
        /// How many wrong values the event still allows.
        public let remainingAttempts: Int
        /// The ways that would complete the consent, with `.additionalFactorRequired`.
        public let availableVerifications: [AvailableVerification]

        init(_ reason: StatusReason, remainingAttempts: Int, _ availableVerifications: [AvailableVerification]) {
            status = reason == .valid ? .verified : .failed
            statusReason = reason
            self.remainingAttempts = remainingAttempts
            self.availableVerifications = availableVerifications
        }

        init(_ response: SCAAttemptResponse) {
            status = response.status
            statusReason = response.reason
            remainingAttempts = Int(clamping: response.remainingAttempts)
            availableVerifications = response.availableVerifications.map(AvailableVerification.init)
        }
    }
}

extension SCA.AttemptRequest: CustomStringConvertible, CustomReflectable {
    /// A redacted description, without the code.
    public var description: String { "SCA.AttemptRequest(<redacted>)" }
    /// An empty mirror, without the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
