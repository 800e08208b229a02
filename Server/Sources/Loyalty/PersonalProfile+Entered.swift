internal import Core
internal import Kernel
internal import WalletAuthWire
internal import Web

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
