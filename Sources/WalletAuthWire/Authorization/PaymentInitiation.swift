/// One payment that a client asks a person to authorize: the type `payment_initiation` of RFC 9396, with the members of its examples.
public struct PaymentInitiation: Hashable, Sendable {
    /// The type's name.
    public static let type = "payment_initiation"

    /// What the client may do with the payment. A person who is asked for a payment agrees to nothing else.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Have it carried out, once.
        case initiate
    }

    /// The amount, as `instructedAmount`: a decimal number as text, in the currency's own unit.
    public let amount: Money
    /// The recipient's name.
    public let creditorName: String
    /// The recipient's account.
    public let creditorAccount: IBAN
    /// The reference that the recipient sees, as `remittanceInformationUnstructured`.
    public let reference: String?
    /// What the client may do; none named means ``Action/initiate``.
    public let actions: [Action]
    /// The payment as a person agrees to it, with the same words and the same rules as any other (dynamic linking, RTS article 5).
    /// It compares bytes, and so the payment does.
    public let operation: WalletOperation

    /// Creates a payment.
    /// - Parameters:
    ///   - amount: more than nothing.
    ///   - creditorName: 1 to 140 bytes of displayable text.
    ///   - creditorAccount: the recipient's account.
    ///   - reference: 1 to 140 bytes of displayable text.
    ///   - actions: what the client may do, each once.
    public init(
        amount: Money, creditorName: String, creditorAccount: IBAN, reference: String? = nil, actions: [Action] = []
    ) throws(MalformedValue) {
        try self.init(
            recorded: amount, creditorName: creditorName, creditorAccount: creditorAccount, reference: reference,
            actions: actions)
        do { try operation.refuseContradictions() } catch {
            throw MalformedValue(field: Self.member(of: error.field), reason: error.reason)
        }
    }

    /// Without the rules for requests: an earlier payment stays readable.
    private init(
        recorded amount: Money, creditorName: String, creditorAccount: IBAN, reference: String?, actions: [Action]
    ) throws(MalformedValue) {
        if let reference, let reason = TextRule.shown(reference, 1...140) {
            throw MalformedValue(field: Member.reference, reason: reason)
        }
        guard Set(actions).count == actions.count else {
            throw MalformedValue(field: Member.actions, reason: "has an element twice")
        }
        do {
            operation = try WalletOperation(
                type: WalletOperationType("PAYMENT"), amount: amount,
                payee: Payee(name: creditorName, account: creditorAccount.rawValue),
                details: reference.map { ["reference": $0] } ?? [:])
        } catch { throw MalformedValue(field: Self.member(of: error.field), reason: error.reason) }
        self.amount = amount
        self.creditorName = creditorName
        self.creditorAccount = creditorAccount
        self.reference = reference
        self.actions = actions
    }

    private enum Member {
        static let type = "type"
        static let actions = "actions"
        static let amount = "instructedAmount"
        static let creditorName = "creditorName"
        static let creditorAccount = "creditorAccount"
        static let reference = "remittanceInformationUnstructured"
        static let all: Set = [type, actions, amount, creditorName, creditorAccount, reference]
    }

    /// The member that a fault of the operation is about.
    private static func member(of field: String) -> String {
        switch field {
        case "payee.name": Member.creditorName
        case "payee.account": "\(Member.creditorAccount).iban"
        case "amount.value": "\(Member.amount).amount"
        case "amount.currency": "\(Member.amount).currency"
        default: field.hasPrefix("details") ? Member.reference : field
        }
    }
}

extension PaymentInitiation {
    /// - Parameter isRecorded: whether it was granted before, so that only its form counts.
    init(_ object: JSONObject, isRecorded: Bool) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Member.all)
        let actions: [Action] = try (object.strings(Member.actions) ?? []).map { text throws(MalformedValue) in
            guard let action = Action(rawValue: text) else {
                throw MalformedValue(field: Member.actions, notOneOf: Action.self)
            }
            return action
        }
        let amount = try object.required(
            Member.amount,
            object.object(Member.amount) { member throws(MalformedValue) in
                try Self.amount(member, isRecorded: isRecorded)
            })
        let creditorName = try object.required(Member.creditorName, object.string(Member.creditorName))
        let creditorAccount = try object.required(
            Member.creditorAccount, object.object(Member.creditorAccount, Self.account))
        let reference = try object.string(Member.reference)
        if isRecorded {
            try self.init(
                recorded: amount, creditorName: creditorName, creditorAccount: creditorAccount, reference: reference,
                actions: actions)
        } else {
            try self.init(
                amount: amount, creditorName: creditorName, creditorAccount: creditorAccount, reference: reference,
                actions: actions)
        }
    }

    private static func account(_ object: JSONObject) throws(MalformedValue) -> IBAN {
        try object.refuseMembers(otherThan: ["iban"])
        return try object.required("iban", object.value("iban"))
    }

    private static func amount(_ object: JSONObject, isRecorded: Bool) throws(MalformedValue) -> Money {
        try object.refuseMembers(otherThan: ["currency", "amount"])
        let code = try object.required("currency", object.string("currency"))
        let currency = try isRecorded ? Currency(recorded: code) : Currency(code)
        let text = try object.required("amount", object.string("amount"))
        guard let amount = Money(decimal: text, currency: currency) else {
            throw MalformedValue(
                field: "amount",
                reason: "is not a number with a point and at most \(currency.minorUnitDigits) digits behind it")
        }
        return amount
    }

    /// Its members, each value in its one form.
    public var json: JSONObject {
        var object = JSONObject()
        object.set(Member.type, Self.type)
        object.set(Member.actions, actions.map(\.rawValue))
        object[Member.amount] = .object(
            JSONObject(strings: ["amount": amount.decimal, "currency": amount.currency.rawValue]))
        object.set(Member.creditorName, creditorName)
        object[Member.creditorAccount] = .object(JSONObject(strings: ["iban": creditorAccount.rawValue]))
        object.set(Member.reference, reference)
        return object
    }
}

extension Money {
    /// Reads a decimal number in the currency's own unit, as banks write it (ISO 20022): `12.5` of EUR is 1250 cents. No sign, no
    /// exponent, no grouping.
    init?(decimal text: String, currency: Currency) {
        let parts = text.utf8.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        let digits = currency.minorUnitDigits
        guard let whole = parts.first, (1...16).contains(whole.count),
            parts.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }),
            whole.count == 1 || whole.first != 0x30
        else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        guard parts.count == 1 || (1...max(digits, 1)).contains(fraction.count), fraction.count <= digits else {
            return nil
        }
        let padded = Array(whole) + fraction + Array(repeating: 0x30, count: digits - fraction.count)
        guard let units = Int64(String(decoding: padded, as: UTF8.self)),
            let money = try? Money(minorUnits: units, currency: currency)
        else { return nil }
        self = money
    }

    /// The amount as a decimal number with all digits of the minor unit: `12.50` for 1250 cents.
    var decimal: String {
        let digits = currency.minorUnitDigits
        guard digits > 0 else { return value }
        let padded = String(repeating: "0", count: max(0, digits + 1 - value.utf8.count)) + value
        return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
}
