public import WalletAuthWire

/// An update of a ``Flow``.
public struct FlowUpdate: Sendable {
    /// The states of a flow.
    public enum State: Sendable {
        /// The flow is working and needs no input.
        case processing
        /// The flow waits for the person.
        case waitForInput(UserInteraction)
        /// The transaction is signed.
        case done(SignedTransaction)
        /// The person rejected the transaction, and the server knows.
        case rejected(RejectionReason)
        /// The flow ended without a signature, or without the answer that confirms one.
        case failed(WalletError)
    }

    /// The kind of flow.
    public let kind: Flow.Kind
    /// The state of the flow.
    public let state: State
}
