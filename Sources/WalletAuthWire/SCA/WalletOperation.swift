/// The recipient of a payment.
public struct Payee: Hashable, Sendable {
    /// The name shown to the person: 1 to 140 bytes.
    public let name: String
    /// The account: an IBAN, a card token, a wallet address; 1 to 128 bytes.
    public let account: String

    /// Creates a payee.
    /// - Parameters:
    ///   - name: 1 to 140 bytes of displayable text.
    ///   - account: 1 to 128 bytes of displayable text.
    public init(name: String, account: String) throws(MalformedValue) {
        if let reason = TextRule.shown(name, 1...140) { throw MalformedValue(field: "payee.name", reason: reason) }
        if let reason = TextRule.shown(account, 1...128) {
            throw MalformedValue(field: "payee.account", reason: reason)
        }
        self.name = name
        self.account = account
    }

    /// Compares bytes: two spellings that Unicode considers equivalent are two payees here.
    public static func == (a: Payee, b: Payee) -> Bool {
        a.name.utf8.elementsEqual(b.name.utf8) && a.account.utf8.elementsEqual(b.account.utf8)
    }

    /// Whether two values name the same payee: the same bytes in the name, and the same account, however it is written.
    /// - Parameter other: the other payee.
    public func isSame(as other: Payee) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && PayeeAccount(account) == PayeeAccount(other.account)
    }

    /// Refuses text that cannot be displayed faithfully.
    func refuseIllegibleText() throws(MalformedValue) {
        if let reason = TextRule.illegible(name) ?? TextRule.gapped(name) {
            throw MalformedValue(field: "payee.name", reason: reason)
        }
        if let reason = TextRule.illegible(account) ?? TextRule.gapped(account) {
            throw MalformedValue(field: "payee.account", reason: reason)
        }
    }

    private init(recordedName name: String, account: String) {
        self.name = name
        self.account = account
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        let payee = try Self.recorded(object)
        try self.init(name: payee.name, account: payee.account)
    }

    /// Reads a payee of an already signed transaction, without the rules for text.
    static func recorded(_ object: JSONObject) throws(MalformedValue) -> Payee {
        try object.refuseMembers(otherThan: shape)
        return Payee(
            recordedName: try object.text("name", of: "payee"), account: try object.text("account", of: "payee"))
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("account", account)
        object.set("name", name)
        return object
    }
}

/// The content of an operation: everything that the person agrees to, and that must not change by a single character
/// when it is carried out (dynamic linking, RTS article 5).
public struct WalletOperation: Hashable, Sendable {
    /// The kind of operation.
    public let type: WalletOperationType
    /// The amount, if any.
    public let amount: Money?
    /// The payee, if any.
    public let payee: Payee?
    /// Further details by name: at most 16, with names of 1 to 64 letters, digits, `-`, `.`, `_`, `~`, and texts of at
    /// most ``maximumDetailBytes``.
    public let details: [String: String]

    /// The maximum length of a text in ``details``, in bytes.
    public static let maximumDetailBytes = 256

    /// Creates an operation.
    /// - Parameters:
    ///   - type: the kind of operation.
    ///   - amount: the amount.
    ///   - payee: the payee.
    ///   - details: further details.
    public init(
        type: WalletOperationType, amount: Money? = nil, payee: Payee? = nil, details: [String: String] = [:]
    ) throws(MalformedValue) {
        guard details.count <= 16 else { throw MalformedValue(field: "details", reason: "has more than 16 members") }
        for (name, text) in details {
            if let reason = TextRule.identifier(name, 1...64) ?? TextRule.shown(text, 0...Self.maximumDetailBytes) {
                throw MalformedValue(field: "details", reason: "has a member that \(reason)")
            }
        }
        self.type = type
        self.amount = amount
        self.payee = payee
        self.details = details
    }

    /// Creates an operation that ends a series of payments.
    /// - Parameter series: the operation of ``WalletOperationType/beginSeries`` that began the series.
    public init(endingSeries series: WalletOperationID) throws(MalformedValue) {
        try self.init(type: .endSeries, details: [Self.seriesDetail: series.rawValue])
    }

    /// The series that this operation ends, named by the operation that began it: the detail `series` of an operation
    /// of ``WalletOperationType/endSeries``, which has neither amount nor payee; nil for all others.
    public var endedSeries: WalletOperationID? {
        guard type == .endSeries, amount == nil, payee == nil else { return nil }
        return details[Self.seriesDetail].flatMap { try? WalletOperationID($0) }
    }

    private static let seriesDetail = "series"

    /// Refuses contents that contradict the type or each other, amounts of nothing, text that cannot be displayed
    /// faithfully, and currencies missing from ISO 4217, as the server does with a request. Call it first in a backend
    /// that keeps a record before the request, or takes text from a person.
    ///
    /// It is for requests only: earlier operations stay readable.
    public func refuseContradictions() throws(MalformedValue) {
        try type.refuseMisspelling()
        try refuseIllegibleText()
        try amount?.refuseNothing()
        // A second detail with a similar-looking name could contradict the first.
        guard TextRule.areDistinct(Array(details.keys)) else {
            throw MalformedValue(field: "details", reason: "has two names that look alike")
        }
        if payee == nil, type == .trustPayee || type == .distrustPayee {
            throw MalformedValue(field: "payee", reason: "is missing: \(type) names the payee")
        }
        if type == .beginSeries, amount == nil || payee == nil {
            throw MalformedValue(
                field: amount == nil ? "amount" : "payee", reason: "is missing: a series is of one amount to one payee")
        }
        // The consent, its message and its evidence would say how much is paid, and not to whom (RTS article 5).
        if type.isPayment, amount != nil, payee == nil, details.isEmpty {
            throw MalformedValue(
                field: "payee", reason: "is missing: a payment names its payee, or says in details whom it pays")
        }
        if amount != nil, type == .trustPayee || type == .distrustPayee {
            throw MalformedValue(
                field: "amount", reason: "does not go with \(type): omit it, as trust in a payee covers every amount")
        }
        if type == .endSeries { try refuseOtherThanSeries() }
    }

    /// Refuses the end of a series that names none, or has anything that takes no part in it.
    private func refuseOtherThanSeries() throws(MalformedValue) {
        for (member, isPresent) in [("amount", amount != nil), ("payee", payee != nil)] where isPresent {
            throw MalformedValue(
                field: member, reason: "does not go with \(type): details.\(Self.seriesDetail) is enough")
        }
        if let other = details.keys.filter({ $0 != Self.seriesDetail }).min() {
            throw MalformedValue(
                field: MalformedValue.plainName(other).map { "details.\($0)" } ?? "details",
                reason: "is not known: \(type) has only details.\(Self.seriesDetail)")
        }
        guard endedSeries == nil else { return }
        let name = "the walletOperationId of the operation that began the series"
        throw MalformedValue(
            field: "details.\(Self.seriesDetail)",
            reason: details.isEmpty ? "is missing: it is \(name)" : "is not \(name)")
    }

    /// Refuses content that cannot be displayed faithfully: invisible text, marks that draw over other text, and
    /// amounts in a currency with an unknown minor unit.
    package func refuseIllegibleText() throws(MalformedValue) {
        try payee?.refuseIllegibleText()
        for (name, text) in details {
            if let reason = TextRule.illegible(text) { throw MalformedValue(field: "details.\(name)", reason: reason) }
        }
        try amount?.refuseInactiveCurrency()
    }

    /// Compares bytes: two spellings that Unicode considers equivalent are two operations here.
    public static func == (a: WalletOperation, b: WalletOperation) -> Bool {
        a.type == b.type && a.amount == b.amount && a.payee == b.payee && a.details.count == b.details.count
            && a.details.allSatisfy { name, text in b.details[name]?.utf8.elementsEqual(text.utf8) ?? false }
    }

    /// The members that an operation has in several messages.
    static let members: [WireObject.Member] = [
        .required("type", .of(WalletOperationType.self)), .optional("amount", Money.shape),
        .optional("payee", Payee.shape),
        .optional("details", .names(.text(.printable(0...maximumDetailBytes)), maximum: 16)),
    ]

    /// Reads the members of an operation; the caller refuses unknown members.
    init(members object: JSONObject) throws(MalformedValue) {
        var details: [String: String] = [:]
        for member in try object.object("details")?.members ?? [] {
            guard let text = member.value.string else {
                guard let name = MalformedValue.plainName(member.name) else {
                    throw MalformedValue(field: "details", element: member.value, expected: "a string")
                }
                throw MalformedValue(field: "details.\(name)", member.value, expected: "a string")
            }
            details[member.name] = text
        }
        try self.init(
            type: object.required("type", object.value("type")),
            amount: object.money("amount"), payee: object.object("payee", Payee.init), details: details)
    }

    func add(to object: inout JSONObject) {
        object.set("type", type)
        if let amount { object["amount"] = .object(amount.json) }
        if let payee { object["payee"] = .object(payee.json) }
        if !details.isEmpty { object["details"] = .object(JSONObject(strings: details)) }
    }
}

extension WalletOperationType {
    /// Refuses what looks like a kind with an effect, or is one letter off it: the person would agree, and nothing would follow.
    fileprivate func refuseMisspelling() throws(MalformedValue) {
        guard !Self.withEffect.contains(self), let meant = Self.withEffect.first(where: { isMisspelled($0.rawValue) })
        else {
            return
        }
        let known = Self.withEffect.map(\.rawValue).joined(separator: ", ")
        throw MalformedValue(
            field: "type",
            reason: "looks like \(meant) but is not: \(known) have an effect of their own, and are written like this")
    }
}

extension Money {
    /// Refuses an amount of zero: who agrees to nothing has agreed to no payment.
    func refuseNothing() throws(MalformedValue) {
        guard minorUnits == 0 else { return }
        throw MalformedValue(field: "amount.value", reason: "is 0: omit the amount if nothing is to be paid")
    }

    /// Refuses a currency that ISO 4217 does not list today.
    func refuseInactiveCurrency() throws(MalformedValue) {
        guard !currency.isActive else { return }
        throw MalformedValue(
            field: "amount.currency",
            reason: "is \(currency.rawValue), which is not an active currency of ISO 4217 with a minor unit:"
                + " send another one, for instance EUR")
    }

    /// `{value, currency}`.
    var json: JSONObject {
        var object = JSONObject()
        object.set("currency", currency)
        object.set("value", value)
        return object
    }
}

extension JSONObject {
    /// A required string of a nested object. The error has its full name: `amount.value`, not `value` or `amount`.
    func text(_ member: String, of name: String) throws(MalformedValue) -> String {
        do { return try required(member, string(member)) } catch {
            throw MalformedValue(field: "\(name).\(error.field)", reason: error.reason)
        }
    }

    /// An amount, `{value, currency}`. `null` counts as absent.
    func money(_ name: String) throws(MalformedValue) -> Money? {
        guard let object = try object(name) else { return nil }
        try object.refuseMembers(otherThan: Money.shape)
        let units = try object.text("value", of: name)
        // Earlier operations may name a currency that has since left ISO 4217; requests are checked separately.
        let currency: Currency
        let given = try object.text("currency", of: name)
        do { currency = try Currency(recorded: given) } catch {
            throw MalformedValue(field: "\(name).currency", reason: "\(error.reason), for instance EUR")
        }
        do { return try Money(value: units, currency: currency) } catch {
            throw MalformedValue(field: "\(name).value", reason: error.reason)
        }
    }
}

extension Payee: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        Payee.self,
        [.required("name", .text(.printable(1...140))), .required("account", .text(.printable(1...128)))])
}
