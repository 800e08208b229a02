public import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension SCA {
    /// A backend's response that requires the person's consent first: a 403 with a problem document (RFC 9457) whose
    /// code is `sca_required`.
    public struct Required: Hashable, Sendable {
        /// The event of the consent.
        public let eventID: String
        /// The operation to agree to.
        public let walletOperationID: String
        /// The ways to agree.
        public let availableVerifications: [AvailableVerification]

        /// Reads a backend's response from ``Wallet/perform(_:)``.
        /// - Parameters:
        ///   - data: the body.
        ///   - response: the response.
        /// - Returns: nil if it requires no consent, or offers no way that this version of the SDK knows.
        public init?(data: Data, response: HTTPURLResponse) {
            self.init(status: response.statusCode, body: data)
        }

        init?(status: Int, body: Data) {
            guard status == SCARequired.httpStatus,
                let object = try? JSONValue.object(parsing: Array(body)), let required = SCARequired(problem: object)
            else { return nil }
            eventID = required.eventID.rawValue
            walletOperationID = required.operationID.rawValue
            availableVerifications = required.availableVerifications.map(AvailableVerification.init)
        }
    }
}
