internal import Core
internal import Kernel
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

extension PersonalProfile {
    /// The profile of a new guest, from what they entered.
    static func entered(_ guest: GuestProfile, now: Timestamp) -> Result<PersonalProfile, LoyaltyFailure> {
        var faults: [LoyaltyFieldError] = []
        var profile = PersonalProfile()
        profile.givenName = guest.firstName
        profile.familyName = guest.lastName
        let street = [guest.address1, guest.address2].compactMap(\.self)
        profile.postal.street = street.isEmpty ? nil : street.joined(separator: "\n")
        profile.postal.locality = guest.city
        profile.postal.region = guest.stateProvince
        profile.postal.postalCode = guest.postalCode
        profile.postal.country = guest.country
        profile.entered.email = guest.email?.rawValue
        if let typed = guest.mobilePhone {
            profile.entered.phone = GuestPhone.number(typed, country: guest.country)
            if profile.entered.phone == nil { faults.append(LoyaltyFieldError("mobilePhone", .invalid)) }
        }
        if let date = guest.dateOfBirth {
            // Tomorrow's date is today's somewhere. Both texts are of one length, so they compare as dates do.
            let latest = String((now + .hours(24)).text.prefix(date.rawValue.utf8.count))
            if date.rawValue > latest { faults.append(LoyaltyFieldError("dateOfBirth", .invalid)) }
            profile.birthdate = date.rawValue
        }
        return faults.isEmpty ? .success(profile) : .failure(.fields(faults))
    }
}

/// The telephone numbers of guests.
enum GuestPhone {
    private static let northAmerica: Set<String> = ["us", "usa", "united states", "ca", "can", "canada"]

    /// A number in the form of E.164. The platform's own numbers are ten digits of the North American plan, which is assumed where no
    /// other country is named.
    /// - Returns: `nil` if the text is no number.
    static func number(_ typed: String, country: String? = nil) -> String? {
        if let number = try? ContactDetails.phone(typed) { return number }
        guard country.map({ northAmerica.contains($0.lowercased()) }) ?? true else { return nil }
        var digits = TypedCode.normalized(typed).filter { !"()./".contains($0) }
        if digits.utf8.count == 11, digits.first == "1" { digits.removeFirst() }
        guard digits.utf8.count == 10, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            // Neither an area code nor an exchange begins with 0 or 1.
            isAreaOrExchange(digits.prefix(3)), isAreaOrExchange(digits.dropFirst(3))
        else { return nil }
        return try? ContactDetails.phone("+1\(digits)")
    }

    private static func isAreaOrExchange(_ digits: Substring) -> Bool {
        digits.first.map { ("2"..."9").contains($0) } ?? false
    }
}
