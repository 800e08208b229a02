/// A payment or transaction that keeps an account from being closed (409 `payments_open` of `POST /v1/account/closing`).
public struct OpenPayment: WireMessage, WireAlternative {
    /// Its kind.
    public var kind: ApprovalKind
    /// The id under which it waits for approval: the transaction's, or that of the operation's event.
    public var id: TransactionID
    /// The payee's name; nil if there is none.
    public var payee: String?
    /// The amount; nil if there is none.
    public var amount: Money?
    /// When it was begun.
    public var begunAt: NumericDate
    /// When it ends by itself.
    public var expiresAt: NumericDate

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        kind: ApprovalKind, id: TransactionID, payee: String? = nil, amount: Money? = nil, begunAt: NumericDate,
        expiresAt: NumericDate
    ) {
        self.kind = kind
        self.id = id
        self.payee = payee
        self.amount = amount
        self.begunAt = begunAt
        self.expiresAt = expiresAt
    }

    /// Leaves out a name that would steer the screen.
    public mutating func validate() throws(MalformedValue) {
        if let name = payee, ShownText.fault(in: name) != nil { payee = nil }
    }
}
