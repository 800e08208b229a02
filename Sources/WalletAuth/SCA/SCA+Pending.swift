public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension SCA {
    /// An unfinished consent: see ``Wallet/pendingSCA``.
    public struct Pending: Hashable, Sendable, Identifiable {
        /// The event.
        public var id: String { consent.eventID }
        /// The backend's name for the operation.
        public var walletOperationID: String { consent.operationID }
        /// The app's request, with its `Idempotency-Key`.
        public var request: URLRequest { consent.request.original.forApp }
        /// The operation; nil if the app was killed before it arrived, and once the person agreed.
        public let operation: Operation?
        /// Whether the person agreed. The request may then have been carried out, and continuing asks no one.
        public var isAgreed: Bool { consent.stage == .agreed }
        /// How long the consent is stored.
        public var expiresAt: Date { consent.expiresAt.date }
        let consent: PendingConsent

        init(_ consent: PendingConsent) {
            self.consent = consent
            operation = consent.keptChallenge?.operation
        }
    }
}
