package import WalletAuthWire
internal import Web

/// What a guest entered in the enrollment form besides user name and password (`setUserFields`), each as typed. None of it is
/// proved.
package struct GuestProfile: Hashable, Sendable {
    /// `firstName`.
    var firstName: String?
    /// `lastName`.
    var lastName: String?
    /// `email`.
    var email: EmailAddress?
    /// `mobilePhone`, in any spelling: the server decides whether it is a number.
    var mobilePhone: String?
    /// `address1`: the first line of the address.
    var address1: String?
    /// `address2`: the second line.
    var address2: String?
    /// `city`.
    var city: String?
    /// `stateProvince`.
    var stateProvince: String?
    /// `postalCode`.
    var postalCode: String?
    /// `country`: a name or a code.
    var country: String?
    /// `dateOfBirth`.
    var dateOfBirth: DateOfBirth?
    /// `language`.
    var language: LocaleTag?
}

extension GuestProfile {
    /// The fields' names.
    static let names = texts.map(\.name) + ["email", "dateOfBirth", "language"]

    /// The fields that are plain texts.
    private static var texts: [(name: String, path: WritableKeyPath<GuestProfile, String?>)] {
        [
            ("firstName", \.firstName), ("lastName", \.lastName), ("mobilePhone", \.mobilePhone),
            ("address1", \.address1), ("address2", \.address2), ("city", \.city), ("stateProvince", \.stateProvince),
            ("postalCode", \.postalCode), ("country", \.country),
        ]
    }

    private static let mostCharacters = 100

    /// Reads the fields. An empty text is a field that the guest left empty.
    /// - Throws: ``LoyaltyFailure`` with all that are not valid.
    init(_ object: JSONObject, _ style: FieldStyle) throws(LoyaltyFailure) {
        self.init()
        var faults: [LoyaltyFieldError] = []
        func text(_ name: String) -> String? {
            if object[name] == nil || object[name] == .null { return nil }
            do {
                let typed = TypedText.trimmed(try object.text(ofField: name, style))
                return typed.isEmpty ? nil : typed
            } catch {
                faults += error.fields
                return nil
            }
        }
        func value<Value>(_ name: String, _ parse: (String) throws -> Value) -> Value? {
            guard let typed = text(name) else { return nil }
            do { return try parse(typed) } catch {
                faults.append(LoyaltyFieldError(name, .invalid))
                return nil
            }
        }
        for (name, path) in Self.texts {
            guard let typed = text(name) else { continue }
            if let reason = Self.fault(in: typed) {
                faults.append(LoyaltyFieldError(name, reason))
            } else {
                self[keyPath: path] = typed
            }
        }
        email = value("email") { try EmailAddress($0) }
        dateOfBirth = value("dateOfBirth") { try DateOfBirth($0) }
        language = value("language") { try LocaleTag($0) }
        guard faults.isEmpty else { throw .fields(faults) }
    }

    private static func fault(in text: String) -> LoyaltyFieldError.Reason? {
        guard text.unicodeScalars.count <= mostCharacters else { return .tooLong }
        return (TextRule.shown(text, 1...(4 * mostCharacters)) ?? ShownText.fault(in: text)) == nil ? nil : .invalid
    }

    /// Writes the fields that have a value, in the typed style.
    func write(to object: inout JSONObject) {
        for (name, path) in Self.texts { object.set(name, self[keyPath: path]) }
        object.set("email", email)
        object.set("dateOfBirth", dateOfBirth)
        object.set("language", language)
    }
}

extension GuestProfile: CustomStringConvertible {
    /// Names the fields, without their values.
    package var description: String {
        var object = JSONObject()
        write(to: &object)
        return "GuestProfile(\(object.names.joined(separator: ", ")))"
    }
}

/// A day of the calendar on which a person was born, as `1980-05-21` (ISO 8601).
package struct DateOfBirth: WireValue {
    /// The form of its text.
    package static var form: TextForm { .own(10...10, format: "date", example: "1985-12-10") }

    /// The date.
    package let rawValue: String

    /// Validates a date.
    /// - Parameter text: the received text.
    /// - Throws: ``MalformedValue`` unless it is a day of the years 1900 to 9999.
    package init(_ text: String) throws(MalformedValue) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(Substring(part)) : nil
        }
        guard parts.map(\.count) == [4, 2, 2], numbers.count == 3, numbers[0] >= 1900,
            (1...12).contains(numbers[1]), (1...Self.days(in: numbers[1], of: numbers[0])).contains(numbers[2])
        else { throw MalformedValue(field: "dateOfBirth", reason: "is not a date such as 1980-05-21") }
        rawValue = text
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
