public import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension SCA {
    /// What a backend answers in place of an operation's result: the person has to agree first. It is a 403 whose problem
    /// document (RFC 9457) has the code `sca_required`.
    public struct Required: Hashable, Sendable {
        /// The event by which the person agrees.
        public let eventID: String
        /// The operation that they agree to.
        public let walletOperationID: String
        /// In which ways they can.
        public let availableVerifications: [AvailableVerification]

        /// Reads a backend's answer, as ``Wallet/perform(_:)`` returned it.
        /// - Parameters:
        ///   - data: the body.
        ///   - response: the status.
        /// - Returns: nil where it asks for no consent, or names no way that this version of the SDK knows.
        public init?(data: Data, response: HTTPURLResponse) {
            guard response.statusCode == SCARequired.httpStatus,
                let object = try? JSONValue.object(parsing: Array(data)), let required = SCARequired(problem: object)
            else { return nil }
            eventID = required.eventID.rawValue
            walletOperationID = required.operationID.rawValue
            availableVerifications = required.availableVerifications.map(AvailableVerification.init)
        }
    }
}
