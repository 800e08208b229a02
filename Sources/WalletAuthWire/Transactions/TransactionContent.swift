/// A further line of a transaction for the person to read: "Order" and "No. 42".
public struct TransactionLine: Hashable, Sendable {
    /// The label: 1 to 64 bytes.
    public let label: String
    /// The value: 1 to 256 bytes.
    public let value: String

    /// Creates a line.
    /// - Parameters:
    ///   - label: 1 to 64 bytes of displayable text.
    ///   - value: 1 to 256 bytes of displayable text.
    public init(label: String, value: String) throws(MalformedValue) {
        if let reason = TextRule.shown(label, 1...64) { throw MalformedValue(field: "lines.label", reason: reason) }
        if let reason = TextRule.shown(value, 1...256) { throw MalformedValue(field: "lines.value", reason: reason) }
        self.label = label
        self.value = value
    }

    /// Compares bytes: two spellings that Unicode considers equivalent are two lines here.
    public static func == (a: TransactionLine, b: TransactionLine) -> Bool {
        a.label.utf8.elementsEqual(b.label.utf8) && a.value.utf8.elementsEqual(b.value.utf8)
    }

    private init(recordedLabel label: String, value: String) {
        self.label = label
        self.value = value
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        let line = try Self.recorded(object)
        try self.init(label: line.label, value: line.value)
    }

    /// Reads a line of an already signed transaction, without the rules for text.
    static func recorded(_ object: JSONObject) throws(MalformedValue) -> TransactionLine {
        try object.refuseMembers(otherThan: shape)
        return TransactionLine(
            recordedLabel: try object.text("label", of: "lines"), value: try object.text("value", of: "lines"))
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("label", label)
        object.set("value", value)
        return object
    }
}

/// The content of a backend's transaction: everything the person sees, and a hash of data they do not see.
///
/// The text fits on a phone's screen: at most ``maximumLines`` lines besides amount and payee, each with its own label.
public struct TransactionContent: Hashable, Sendable {
    /// The kind of transaction, in the backend's terms.
    public let type: WalletOperationType
    /// The amount to pay. Every transaction with an amount has a payee.
    public let amount: Money?
    /// The payee.
    public let payee: Payee?
    /// Further lines, in reading order.
    public let lines: [TransactionLine]
    /// The hash of data that is signed but not shown, such as a contract.
    public let dataHash: TransactionDataHash?
    /// The backend's own name for the transaction, such as an order number. It is signed but not shown.
    public let reference: String?

    /// The maximum number of lines. It also applies to signed payloads, so it may grow but never shrink.
    public static let maximumLines = 10
    /// The maximum length of ``reference`` in bytes.
    public static let maximumReferenceBytes = 128

    /// Creates the content of a transaction.
    /// - Parameters:
    ///   - type: the kind of transaction.
    ///   - amount: the amount to pay.
    ///   - payee: the payee.
    ///   - lines: further lines, in reading order.
    ///   - dataHash: the hash of data that is signed but not shown.
    ///   - reference: 1 to 128 bytes.
    public init(
        type: WalletOperationType, amount: Money? = nil, payee: Payee? = nil, lines: [TransactionLine] = [],
        dataHash: TransactionDataHash? = nil, reference: String? = nil
    ) throws(MalformedValue) {
        try self.init(
            recordedType: type, amount: amount, payee: payee, lines: lines, dataHash: dataHash, reference: reference)
        if let reason = reference.flatMap({ TextRule.shown($0, 1...Self.maximumReferenceBytes) }) {
            throw MalformedValue(field: "reference", reason: reason)
        }
    }

    /// Validates only the form, without the rules for text.
    private init(
        recordedType type: WalletOperationType, amount: Money?, payee: Payee?, lines: [TransactionLine],
        dataHash: TransactionDataHash?, reference: String?
    ) throws(MalformedValue) {
        guard amount == nil || payee != nil else {
            throw MalformedValue(field: "payee", reason: "is missing: a payment names its payee")
        }
        guard payee != nil || !lines.isEmpty else {
            throw MalformedValue(
                field: "lines", reason: "is missing: without a payee, say in lines what the person signs")
        }
        guard lines.count <= Self.maximumLines else {
            throw MalformedValue(field: "lines", reason: "has more than \(Self.maximumLines) lines")
        }
        guard Set(lines.map { Array($0.label.utf8) }).count == lines.count else {
            throw MalformedValue(field: "lines", reason: "has two labels that look equal")
        }
        self.type = type
        self.amount = amount
        self.payee = payee
        self.lines = lines
        self.dataHash = dataHash
        self.reference = reference
    }

    /// Compares bytes.
    public static func == (a: TransactionContent, b: TransactionContent) -> Bool {
        a.type == b.type && a.amount == b.amount && a.payee == b.payee && a.lines == b.lines
            && a.dataHash == b.dataHash
            && a.reference.map { Array($0.utf8) } == b.reference.map { Array($0.utf8) }
    }

    /// A transaction is never a sign-in, and must not look like one.
    private static let reservedType = "LOGIN"

    /// Refuses reserved types, amounts of nothing, text that cannot be displayed faithfully, and currencies missing from
    /// ISO 4217. For requests, and for content that a person has yet to sign: signed transactions stay readable.
    func admit() throws(MalformedValue) {
        guard !type.looks(like: Self.reservedType) else {
            throw MalformedValue(field: "type", reason: "is \(Self.reservedType) or looks like it, which is reserved")
        }
        try amount?.refuseNothing()
        try amount?.refuseInactiveCurrency()
        try payee?.refuseIllegibleText()
        // A second line with a similar-looking label could contradict the first.
        guard TextRule.areDistinct(lines.map(\.label)) else {
            throw MalformedValue(field: "lines", reason: "has two labels that look equal")
        }
        for line in lines {
            if let reason = TextRule.illegible(line.label) ?? TextRule.gapped(line.label) {
                throw MalformedValue(field: "lines.label", reason: reason)
            }
            if let reason = TextRule.illegible(line.value) ?? TextRule.gapped(line.value) {
                throw MalformedValue(field: "lines.value", reason: reason)
            }
        }
    }
}

extension TransactionContent {
    /// Reads the members of a content; the caller refuses unknown members.
    init(members object: JSONObject, dataHash: TransactionDataHash?) throws(MalformedValue) {
        let lines = try object.objects("lines", TransactionLine.init) ?? []
        try self.init(
            type: object.required("type", object.value("type")), amount: object.money("amount"),
            payee: object.object("payee", Payee.init), lines: lines, dataHash: dataHash,
            reference: object.string("reference"))
    }

    /// Reads the members of an already accepted content: validates their form, without the rules for text.
    init(recorded object: JSONObject, dataHash: TransactionDataHash?) throws(MalformedValue) {
        let lines = try object.objects("lines", TransactionLine.recorded) ?? []
        let payee = try object.object("payee", Payee.recorded)
        try self.init(
            recordedType: object.required("type", object.value("type")), amount: object.money("amount"), payee: payee,
            lines: lines, dataHash: dataHash, reference: object.string("reference"))
    }

    func add(to object: inout JSONObject) {
        object.set("type", type)
        if let amount { object["amount"] = .object(amount.json) }
        if let payee { object["payee"] = .object(payee.json) }
        if !lines.isEmpty { object["lines"] = .array(lines.map { .object($0.json) }) }
        object.set("reference", reference)
    }
}

extension TransactionLine: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        TransactionLine.self,
        [.required("label", .text(.printable(1...64))), .required("value", .text(.printable(1...256)))])
}
