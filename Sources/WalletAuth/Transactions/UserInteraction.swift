public import WalletAuthWire

/// A question of a ``Flow`` to the person. The first answer counts; later ones do nothing.
public enum UserInteraction: Sendable {
    /// Several accounts on this device could sign.
    case chooseAccount(AccountChoice)
    /// The person must read the transaction, and confirm or reject it.
    case confirmTransaction(Confirmation)
    /// The person must prove their identity. No earlier sign-in or PIN replaces this.
    case verifySecondFactor(SecondFactor)
}

extension UserInteraction {
    /// Asks which account signs.
    public struct AccountChoice: Sendable {
        /// The accounts on this device, the last one signed in first.
        public let accounts: [EnrolledAccount]
        let answer: FlowAnswer<AccountID>

        /// Continues with an account.
        /// - Parameter account: one of ``accounts``.
        public func choose(_ account: EnrolledAccount) { answer(account.id) }

        /// Cancels the flow.
        public func cancel() { answer.cancel() }
    }

    /// Asks whether the person agrees to the transaction.
    public struct Confirmation: Sendable {
        /// The transaction, read from the same bytes that will be signed. Show all of it.
        public let details: TransactionDetails
        let answer: FlowAnswer<Decision>

        enum Decision: Sendable {
            case confirmed
            case rejected(RejectionReason)
        }

        /// Confirms for the person. The second factor comes next.
        public func confirm() { answer(.confirmed) }

        /// Rejects the transaction and reports the reason to the server. This takes no second factor.
        /// - Parameter reason: the person's reason.
        public func reject(_ reason: RejectionReason) { answer(.rejected(reason)) }

        /// Cancels the flow without telling the server.
        public func cancel() { answer.cancel() }
    }

    /// Asks for the second factor.
    public struct SecondFactor: Sendable {
        /// The factors that the transaction allows and this device has, the PIN first. Never empty.
        public let allowed: [TransactionFactor]
        /// The PIN tries left after a wrong one.
        public let remainingAttempts: Int?
        /// The fault of the last answer; nil for the first question.
        public let fault: Fault?
        /// The transaction that was confirmed; nil for one that the app began.
        public let details: TransactionDetails?
        let answer: FlowAnswer<Proof>

        /// The reason for asking again.
        public enum Fault: String, Sendable, Hashable, Codable {
            /// The PIN was wrong. It cost a try.
            case pinFailed
            /// The input cannot be a PIN. It cost nothing.
            case pinMalformed
            /// This device's PIN can no longer be used. Another factor remains.
            case pinRemoved
            /// The person did not confirm by face or fingerprint.
            case biometricsDeclined
            /// The sensor is locked. Another factor remains.
            case biometricsLockedOut
            /// This device's enrolled faces or fingerprints have changed. Another factor remains.
            case biometricsRemoved
            /// The app's ``Wallet/BiometricPolicy`` requires the PIN first. It remains.
            case pinRequired
        }

        enum Proof: Sendable {
            case biometrics(reason: String)
            case signature(DeviceSigning<DeviceTransaction>.Prove)
        }

        /// Signs after a face or fingerprint check.
        /// - Parameter reason: shown in the device's prompt, in the person's language. Name amount and payee.
        public func biometrics(reason: String) { answer(.biometrics(reason: reason)) }

        /// Cancels the flow. The transaction stays open until it expires.
        public func cancel() { answer.cancel() }

        /// Signs with the key of another product of this package.
        package func sign(by prove: @escaping DeviceSigning<DeviceTransaction>.Prove) { answer(.signature(prove)) }
    }
}
