public import WalletAuthWire

/// A question of a ``Flow`` to the person. The first answer counts; later ones do nothing.
public enum UserInteraction: Sendable {
    /// Several accounts on this device could sign.
    case chooseAccount(AccountChoice)
    /// The person reads the transaction, and confirms or rejects it.
    case confirmTransaction(Confirmation)
    /// The person proves that it is them. No earlier sign-in or PIN replaces this.
    case verifySecondFactor(SecondFactor)
}

extension UserInteraction {
    /// Asks which account signs.
    public struct AccountChoice: Sendable {
        /// The accounts on this device, the one that was signed in with last first.
        public let accounts: [Wallet.EnrolledAccount]
        let answer: FlowAnswer<AccountID>

        /// Goes on with an account.
        /// - Parameter account: one of ``accounts``.
        public func choose(_ account: Wallet.EnrolledAccount) { answer(account.id) }

        /// Cancels the flow.
        public func cancel() { answer.cancel() }
    }

    /// Asks whether the person agrees to what they see.
    public struct Confirmation: Sendable {
        /// The transaction, read from the very bytes that will be signed. Show all of it.
        public let details: TransactionDetails
        let answer: FlowAnswer<Decision>

        enum Decision: Sendable {
            case confirmed
            case rejected(RejectionReason)
        }

        /// The person agrees. The second factor comes next.
        public func confirm() { answer(.confirmed) }

        /// Rejects the transaction and tells the server why. It takes no second factor.
        /// - Parameter reason: the person's reason.
        public func reject(_ reason: RejectionReason) { answer(.rejected(reason)) }

        /// Cancels the flow without a word to the server.
        public func cancel() { answer.cancel() }
    }

    /// Asks for the second factor.
    public struct SecondFactor: Sendable {
        /// The factors that the transaction allows and this device has, the PIN first. Never empty.
        public let allowed: [TransactionFactor]
        /// How many tries of the PIN are left, after a wrong one.
        public let remainingAttempts: Int?
        /// What came of the last answer; nil for the first question.
        public let fault: Fault?
        /// The transaction that was confirmed; nil for one that the app began.
        public let details: TransactionDetails?
        let answer: FlowAnswer<Proof>

        /// Why the person is asked again.
        public enum Fault: String, Sendable, Hashable, Codable {
            /// The PIN was wrong. It cost a try.
            case pinFailed
            /// No PIN looks like this. It cost nothing.
            case pinMalformed
            /// This device's PIN is of no use any more. Another factor remains.
            case pinRemoved
            /// The person did not confirm by face or finger.
            case biometricsDeclined
            /// The sensor is locked. Another factor remains.
            case biometricsLockedOut
            /// The faces or fingers that this device knows have changed. Another factor remains.
            case biometricsRemoved
        }

        enum Proof: Sendable {
            case biometrics(reason: String)
            case signature(TransactionSigning.Prove)
        }

        /// Signs after the device has seen its holder.
        /// - Parameter reason: shown with the device's question, in the person's language: name amount and payee.
        public func biometrics(reason: String) { answer(.biometrics(reason: reason)) }

        /// Cancels the flow. The transaction stays open until it expires.
        public func cancel() { answer.cancel() }

        /// Signs with the key of another product of this package.
        package func sign(by prove: @escaping TransactionSigning.Prove) { answer(.signature(prove)) }
    }
}
