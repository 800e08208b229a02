public import Foundation
public import WalletAuthWire

extension SCA {
    /// Asks for one way of agreeing, or for its code once more.
    public struct ChallengeRequest: Hashable, Sendable {
        /// The operation, which has to be the event's.
        public var walletOperationID: String
        /// One of the `availableVerifications`.
        public var verification: Verification
        /// What the channel `.redirect` needs, and no other.
        public var action: Action?

        /// Asks.
        /// - Parameters:
        ///   - walletOperationID: the operation.
        ///   - verification: one of the `availableVerifications`.
        ///   - action: where a hosted page comes back to, for the channel `.redirect`.
        public init(walletOperationID: String, verification: Verification, action: Action? = nil) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.action = action
        }

        var wire: SCAChallengeRequest {
            get throws(MalformedValue) {
                SCAChallengeRequest(
                    operationID: try WalletOperationID(walletOperationID), verification: try verification.wire,
                    returnURL: try action.map { (action) throws(MalformedValue) in
                        try RedirectURI(action.returnURL.absoluteString)
                    })
            }
        }
    }

    /// What the channel `.redirect` needs.
    public struct Action: Hashable, Sendable {
        /// Where the hosted page comes back to: one of the client's registered return URLs, to the letter.
        public var returnURL: URL

        /// - Parameter returnURL: one of the client's registered return URLs, to the letter.
        public init(returnURL: URL) { self.returnURL = returnURL }
    }

    /// A way of agreeing that was challenged.
    public struct Challenge: Hashable, Sendable {
        /// The event.
        public var eventID: String { response.eventID.rawValue }
        /// The operation's name at its backend.
        public var walletOperationID: String { response.operationID.rawValue }
        /// In which way the person agrees.
        public var verification: Verification { Verification(response.verification) }
        /// Where a code went, masked.
        public var destination: String? { response.destination }
        /// Until when it can be answered, by the server's clock.
        public var expiresAt: Date { response.expiresAt.date }
        /// After how long the code can be sent once more; nil where it cannot.
        public var resendAfter: Duration? { response.resendAfter.map { .seconds($0) } }
        /// Whether this very challenge had a code sent: false where it came too soon after the last one, whose code still counts.
        /// ``resendAfter`` says when another can be sent. True for ways that send none.
        public var wasSent: Bool { response.sent ?? true }
        /// The hosted page, for the channel `.redirect`: to be opened in an external user agent, never in a web view.
        public var redirectURL: URL? { response.redirectURL.flatMap { URL(string: $0.rawValue) } }
        /// What the person agrees to: show it before they do.
        public let operation: Operation
        let response: SCAChallengeResponse

        init(_ response: SCAChallengeResponse, payload: OperationPayload) {
            self.response = response
            operation = Operation(payload)
        }

        /// The same, when its code was sent for the last time.
        var withoutResending: Challenge {
            var response = response
            response.resendAfter = nil
            return Challenge(self, response)
        }

        private init(_ challenge: Challenge, _ response: SCAChallengeResponse) {
            self.response = response
            operation = challenge.operation
        }

        /// What a device signs to agree.
        var act: DeviceAssertion.Act? {
            response.eventID.transactionID.map { .sca($0, .operation(response.payload)) }
        }
    }

    /// An operation as the server names it to the person. It is read from the very bytes that a device signs; text in it is
    /// free of control, invisible and direction-changing characters, and of marks that would be drawn over other lines.
    public struct Operation: Hashable, Sendable {
        /// The operation's name at its backend.
        public let walletOperationID: String
        /// What kind of operation it is, in its backend's words: `TRANSFER`.
        public let type: String
        /// How much is paid, in the currency's minor units; nil where nothing is paid.
        public let amount: Money?
        /// Who is paid; nil where nobody is.
        public let payee: Payee?
        /// What else belongs to it, by name.
        public let details: [String: String]
        /// Whose operation it is: always whoever is signed in.
        public let account: AccountID
        /// The client id of the backend that asks for it.
        public let clientID: String
        /// Until when the person may agree, by the server's clock.
        public let expiresAt: Date

        init(_ payload: OperationPayload) {
            walletOperationID = payload.operationID.rawValue
            type = payload.operation.type.rawValue
            amount = payload.operation.amount
            payee = payload.operation.payee
            details = payload.operation.details
            account = payload.account
            clientID = payload.clientID.rawValue
            expiresAt = payload.expiresAt.date
        }
    }
}

extension Money {
    /// The amount in the currency's major unit, exactly: 1250 minor units of EUR are 12.5. For a formatter of currencies.
    public var decimal: Decimal {
        Decimal(sign: .plus, exponent: -currency.minorUnitDigits, significand: Decimal(minorUnits))
    }
}

extension NumericDate {
    var date: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
