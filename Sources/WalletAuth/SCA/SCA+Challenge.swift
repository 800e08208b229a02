public import Foundation
public import WalletAuthWire

extension SCA {
    /// A request for one way of agreeing, or for its code again.
    public struct ChallengeRequest: Hashable, Sendable {
        /// The operation; must be the event's.
        public var walletOperationID: String
        /// One of the `availableVerifications`.
        public var verification: Verification
        /// Required by the channel `.redirect`, and only by it.
        public var action: Action?

        /// Creates a request.
        /// - Parameters:
        ///   - walletOperationID: the operation.
        ///   - verification: one of the `availableVerifications`.
        ///   - action: where a hosted page returns to, for the channel `.redirect`.
        public init(walletOperationID: String, verification: Verification, action: Action? = nil) {
            self.walletOperationID = walletOperationID
            self.verification = verification
            self.action = action
        }

        var wire: SCAChallengeRequest {
            get throws(MalformedValue) {
                guard (action != nil) == (verification.channel == .redirect) else {
                    throw MalformedValue(
                        field: "action",
                        reason: action == nil
                            ? "is missing: the page needs a URL to return to" : "is for the channel REDIRECT only")
                }
                return SCAChallengeRequest(
                    operationID: try WalletOperationID(walletOperationID), verification: try verification.wire,
                    returnURL: try action.map { (action) throws(MalformedValue) in
                        try RedirectURI(action.returnURL.absoluteString)
                    })
            }
        }
    }

    /// The parameters of the channel `.redirect`.
    public struct Action: Hashable, Sendable {
        /// Where the hosted page returns to: one of the client's registered return URLs, exactly.
        public var returnURL: URL

        /// Creates an action.
        /// - Parameter returnURL: one of the client's registered return URLs, exactly.
        public init(returnURL: URL) { self.returnURL = returnURL }
    }

    /// A challenge for one way of agreeing.
    public struct Challenge: Hashable, Sendable {
        /// The event.
        public var eventID: String { response.eventID.rawValue }
        /// The backend's name for the operation.
        public var walletOperationID: String { response.operationID.rawValue }
        /// The way to agree.
        public var verification: Verification { Verification(response.verification) }
        /// The destination of a code, masked.
        public var destination: String? { response.destination }
        /// When the challenge expires, in server time.
        public var expiresAt: Date { response.expiresAt.date }
        /// When the code can be sent again; nil if it cannot.
        public var resendAfter: Duration? { response.resendAfter.map { .seconds($0) } }
        /// Whether this challenge sent a code. False if it came too soon after the last code, which is still valid;
        /// ``resendAfter`` says when another can be sent. True for ways that send none.
        public var wasSent: Bool { response.sent ?? true }
        /// The hosted page, for the channel `.redirect`. Open it in an external user agent, never in a web view.
        public var redirectURL: URL? { response.redirectURL.flatMap { URL(string: $0.rawValue) } }
        /// The operation the person agrees to. Show it to them first.
        public let operation: Operation
        let response: SCAChallengeResponse

        init(_ response: SCAChallengeResponse, payload: OperationPayload) {
            self.response = response
            operation = Operation(payload: payload)
        }

        /// The same challenge once its last code was sent.
        var withoutResending: Challenge {
            var response = response
            response.resendAfter = nil
            return Challenge(self, response)
        }

        private init(_ challenge: Challenge, _ response: SCAChallengeResponse) {
            self.response = response
            operation = challenge.operation
        }

        /// The content that a device signs to agree.
        var act: DeviceAssertion.Act? {
            response.eventID.transactionID.map { .sca($0, .operation(response.payload)) }
        }
    }

    /// An operation as the server describes it to the person. It is read from the same bytes that a device signs. Its
    /// text has no control, invisible or bidirectional characters, and no marks that would draw over other lines.
    public struct Operation: Hashable, Sendable {
        /// The backend's name for the operation.
        public var walletOperationID: String { payload.operationID.rawValue }
        /// The kind of operation in the backend's terms, for instance `TRANSFER`.
        public var type: String { payload.operation.type.rawValue }
        /// The amount in the currency's minor unit; nil if nothing is paid.
        public var amount: Money? { payload.operation.amount }
        /// The payee; nil if nothing is paid.
        public var payee: Payee? { payload.operation.payee }
        /// Further details by name.
        public var details: [String: String] { payload.operation.details }
        /// The account the operation belongs to; always the signed-in one.
        public var account: AccountID { payload.account }
        /// The client id of the backend that requests the operation.
        public var clientID: String { payload.clientID.rawValue }
        /// When the consent expires, in server time.
        public var expiresAt: Date { payload.expiresAt.date }

        let payload: OperationPayload
    }
}

extension Money {
    /// The amount in the currency's major unit, exactly: 1250 minor units of EUR are 12.5. Use it with a currency
    /// formatter.
    public var decimal: Decimal {
        Decimal(sign: .plus, exponent: -currency.minorUnitDigits, significand: Decimal(minorUnits))
    }
}
