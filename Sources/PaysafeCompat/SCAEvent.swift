public import Foundation
import WalletAuth

extension Wallet {
    /// Who leads the person through the verification.
    public enum SCAAuthenticationMode: String, Sendable, Hashable {
        /// The partner does it all. Not used here.
        case outsourced = "OUTSOURCED"
        /// The server sends codes and compares values: the mode of every event here.
        case embedded = "EMBEDDED"
        /// The partner sends the codes. Not used here.
        case hybrid = "HYBRID"
    }

    /// An event that the person must verify first.
    public struct SCAAuthenticationEventResponse: Sendable, Hashable {
        /// The event.
        public let eventID: String
        /// The operation.
        public let walletOperationID: String
        /// Always `.embedded`.
        public let authenticationMode: SCAAuthenticationMode
        /// The ways to verify it.
        public let availableVerifications: [SCAAvailableVerification]
        /// When the event arrived, by this device's clock.
        public let creationTime: Date
        /// When the event ends at the latest, by this device's clock: after fifteen minutes, or ten for a sign-in.
        public let expirationTime: Date
    }

    /// The verified event with which a call is repeated.
    public struct SCAAuthenticationEventRequest: Sendable, Hashable {
        /// The event.
        public var eventID: String
        /// The operation.
        public var walletOperationID: String

        /// Creates the `scaDetails` of a repeated call. Each parameter sets the property of the same name.
        public init(eventID: String, walletOperationID: String) {
            self.eventID = eventID
            self.walletOperationID = walletOperationID
        }
    }
}

extension Wallet.SCAAuthenticationEventResponse {
    /// An operation's event.
    init(_ required: SCA.Required) {
        let verifications = required.availableVerifications.compactMap(Wallet.SCAAvailableVerification.init)
        self.init(
            eventID: required.eventID, walletOperationID: required.walletOperationID, verifications: verifications,
            minutes: 15)
    }

    /// A sign-in's event, which exists on this device only.
    init(_ factor: MFAChallenge) {
        self.init(
            eventID: UUID().uuidString.lowercased(), walletOperationID: UUID().uuidString.lowercased(),
            verifications: factor.ways, minutes: 10)
    }

    private init(
        eventID: String, walletOperationID: String, verifications: [Wallet.SCAAvailableVerification], minutes: Double
    ) {
        self.eventID = eventID
        self.walletOperationID = walletOperationID
        authenticationMode = .embedded
        availableVerifications = verifications
        creationTime = Date()
        expirationTime = creationTime.addingTimeInterval(minutes * 60)
    }

    /// Whether a repeated call names this event.
    func isNamed(by details: Wallet.SCAAuthenticationEventRequest) -> Bool {
        details.eventID == eventID && details.walletOperationID == walletOperationID
    }
}
