/// A backend's request for a signature (`POST /v1/transactions`).
public struct TransactionRequest: Hashable, Sendable {
    /// The account that must sign; nil for the first account that scans the code, which the client's policy must allow.
    public let account: AccountID?
    /// The content to sign. Its ``TransactionContent/dataHash`` is the hash of ``data``.
    public let content: TransactionContent
    /// Data that is signed by its hash but not shown, at most ``maximumDataBytes``.
    public let data: [UInt8]?
    /// The second factor to require.
    public let requiredSecondFactor: RequiredSecondFactor
    /// How many seconds the person has, from ``lifetimes``.
    public let expiresIn: Int64

    /// The maximum length of ``data`` in bytes.
    public static let maximumDataBytes = 4_096
    /// The range of seconds that a backend may give a person.
    public static let lifetimes: ClosedRange<Int64> = 30...900
    /// How many seconds a person has by default.
    public static let defaultLifetime: Int64 = 300
}

extension TransactionRequest {
    /// Creates a request.
    /// - Parameters:
    ///   - account: the account that must sign; nil for the first one that scans the code.
    ///   - type: the kind of transaction, in the backend's terms.
    ///   - amount: the amount to pay.
    ///   - payee: the payee, required with an amount.
    ///   - lines: further lines, in reading order.
    ///   - data: data that is signed but not shown.
    ///   - reference: the backend's own name for the transaction.
    ///   - requiredSecondFactor: the second factor to require.
    ///   - expiresIn: seconds, from ``lifetimes``.
    public init(
        account: AccountID?, type: WalletOperationType, amount: Money? = nil, payee: Payee? = nil,
        lines: [TransactionLine] = [], data: [UInt8]? = nil, reference: String? = nil,
        requiredSecondFactor: RequiredSecondFactor = .any, expiresIn: Int64 = TransactionRequest.defaultLifetime
    ) throws(MalformedValue) {
        self.init(
            account: account,
            content: try TransactionContent(
                type: type, amount: amount, payee: payee, lines: lines,
                dataHash: data.map { TransactionDataHash(of: $0) }, reference: reference),
            data: data, requiredSecondFactor: requiredSecondFactor, expiresIn: expiresIn)
        try admit()
    }

    /// The rules for new requests, in addition to those of the content.
    private func admit() throws(MalformedValue) {
        if let data, !(1...Self.maximumDataBytes).contains(data.count) {
            throw MalformedValue(field: "data", reason: "is not 1 to \(Self.maximumDataBytes) bytes")
        }
        guard Self.lifetimes.contains(expiresIn) else {
            throw MalformedValue(
                field: "expiresIn",
                reason: "is not \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound) seconds")
        }
        try content.admit()
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        let data = try object.base64URL("data")
        let content = try TransactionContent(members: object, dataHash: data.map { TransactionDataHash(of: $0) })
        // A signature for a backend must not look like one that signs the person in.
        let signIn = WalletOperationType.backchannelSignIn.rawValue
        guard !content.type.looks(like: signIn) else {
            throw MalformedValue(field: "type", reason: "is \(signIn) or looks like it, which is reserved")
        }
        try self.init(object, content, data)
        try admit()
    }

    /// Reads a stored request: rules for new requests do not make an older one unreadable.
    /// - Parameter object: the stored body.
    public init(recorded object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        let data = try object.base64URL("data")
        let content = try TransactionContent(recorded: object, dataHash: data.map { TransactionDataHash(of: $0) })
        try self.init(object, content, data)
    }

    private init(_ object: JSONObject, _ content: TransactionContent, _ data: [UInt8]?) throws(MalformedValue) {
        self.init(
            account: try object.value("accountId"), content: content, data: data,
            requiredSecondFactor: try object.named("requiredSecondFactorType") ?? .any,
            expiresIn: try object.integer("expiresIn") ?? Self.defaultLifetime)
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("accountId", account)
        content.add(to: &object)
        object.set("data", data.map { Base64URL.encode($0) })
        object.set("requiredSecondFactorType", requiredSecondFactor.rawValue)
        object.set("expiresIn", expiresIn)
        return object
    }
}

/// The answer to a backend's new transaction.
public struct TransactionCreated: Hashable, Sendable {
    /// The transaction.
    public let transactionID: TransactionID
    /// Its state.
    public let status: TransactionStatus
    /// The content of the QR code, and the deep link for an app on the same device.
    public let link: TransactionLink
    /// When it expires.
    public let expiresAt: NumericDate

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(transactionID: TransactionID, status: TransactionStatus, link: TransactionLink, expiresAt: NumericDate)
    {
        self.transactionID = transactionID
        self.status = status
        self.link = link
        self.expiresAt = expiresAt
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        transactionID = try object.required("transactionId", object.value("transactionId"))
        status = try object.required("status", object.named("status"))
        link = try TransactionLink(object.required("qrData", object.string("qrData")))
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
    }

    /// The answer's JSON. `deepLink` is for a link on the same device; it is also the text of the QR code.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("transactionId", transactionID)
        object.set("status", status.rawValue)
        object.set("qrData", link.reveal())
        object.set("deepLink", link.reveal())
        object.set("expiresAt", expiresAt)
        return object
    }
}

extension TransactionRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        TransactionRequest.self,
        [
            .optional("accountId", .of(AccountID.self)), .required("type", .of(WalletOperationType.self)),
            .optional("amount", Money.shape), .optional("payee", Payee.shape),
            .optional("lines", .array(TransactionLine.shape, maximum: TransactionContent.maximumLines)),
            .optional("data", .bytes(1...maximumDataBytes)),
            .optional("reference", .text(.printable(1...TransactionContent.maximumReferenceBytes))),
            .optional("requiredSecondFactorType", .of(RequiredSecondFactor.self)),
            .optional("expiresIn", .integer(lifetimes)),
        ])
}

extension TransactionCreated: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        TransactionCreated.self,
        [
            .required("transactionId", .of(TransactionID.self)), .required("status", .of(TransactionStatus.self)),
            .required("qrData", TransactionLink.shape), .required("deepLink", TransactionLink.shape),
            .required("expiresAt", .date),
        ])
}
