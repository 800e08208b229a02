public import WalletAuthWire

extension SCA {
    /// Answers a challenge by a code; for the channel `.redirect` without one, which asks what came of the hosted page.
    public struct AttemptRequest: Sendable {
        /// The operation, which has to be the event's.
        public var walletOperationID: String
        /// The way that was challenged.
        public var verification: Verification
        let value: String?

        /// Answers.
        /// - Parameters:
        ///   - walletOperationID: the operation.
        ///   - verification: the way that was challenged.
        ///   - value: the code as the person typed it; nil for the channel `.redirect`.
        public init(walletOperationID: String, verification: Verification, value: String? = nil) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.value = value
        }

        var wire: SCAAttemptRequest {
            get throws(MalformedValue) {
                guard (value == nil) == (verification.channel == .redirect) else {
                    throw MalformedValue(
                        field: "value", reason: value == nil ? "is missing" : "belongs on the hosted page")
                }
                // Digits, whatever it is sent by: anything else cannot be right, and must not cost a try.
                guard verification.method != .otp || value.map({ TypedCode.isPossible($0) }) ?? true else {
                    throw MalformedValue(field: "value", reason: "consists of digits")
                }
                return SCAAttemptRequest(
                    operationID: try WalletOperationID(walletOperationID), verification: try verification.wire,
                    value: try value.map { (value) throws(MalformedValue) in try SCAValue(value) })
            }
        }
    }

    /// What came of an attempt.
    public struct Attempt: Hashable, Sendable {
        /// `.verified` where the consent is complete.
        public let status: Status
        /// Why.
        public let statusReason: StatusReason
        /// How many wrong values the event still bears.
        public let remainingAttempts: Int
        /// What is still needed, beside `.additionalFactorRequired`.
        public let availableVerifications: [AvailableVerification]

        init(_ response: SCAAttemptResponse) {
            status = response.status
            statusReason = response.reason
            remainingAttempts = Int(clamping: response.remainingAttempts)
            availableVerifications = response.availableVerifications.map(AvailableVerification.init)
        }
    }
}

extension SCA.AttemptRequest: CustomStringConvertible, CustomReflectable {
    /// Never the code.
    public var description: String { "SCA.AttemptRequest(<redacted>)" }
    /// Never the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
