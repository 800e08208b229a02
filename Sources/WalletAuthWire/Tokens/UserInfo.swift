/// The person's claims (OpenID Connect Core §5.3): `sub`, and what the scope lets the client see.
public struct UserInfo: Hashable, Sendable {
    /// `sub`. A client must ignore the other claims unless it equals the ID token's.
    public let subject: String

    /// All claims, including `sub`.
    public let claims: JSONObject

    /// Creates an answer.
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - claims: the others.
    public init(subject: String, claims: JSONObject = JSONObject()) {
        self.subject = subject
        var object = JSONObject()
        object.set("sub", subject)
        for member in claims.members where member.name != "sub" { object[member.name] = member.value }
        self.claims = object
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        subject = try object.required("sub", object.string("sub"))
        guard !subject.isEmpty else { throw MalformedValue(field: "sub", reason: "is empty") }
        claims = object
    }
}

/// The standard claims (OpenID Connect Core §5.1). Each is nil if the server left it out or sent a value of another type.
/// ``claims`` has them as sent, and all others.
extension UserInfo {
    /// `name`: the full name, as the person wants it shown.
    public var name: String? { claims.text("name") }

    /// `given_name`: the given names.
    public var givenName: String? { claims.text("given_name") }

    /// `family_name`: the family names.
    public var familyName: String? { claims.text("family_name") }

    /// `birthdate`: the date of birth (ISO 8601), such as `1985-12-10`.
    public var birthdate: String? { claims.text("birthdate") }

    /// `email`: the e-mail address. It may change, and identifies no one: ``subject`` does.
    public var email: String? { claims.text("email") }

    /// `email_verified`: whether the server has verified that the address is the person's.
    public var isEmailVerified: Bool? { claims.flag("email_verified") }

    /// `phone_number`: the phone number, mostly in the form of E.164.
    public var phoneNumber: String? { claims.text("phone_number") }

    /// `phone_number_verified`: whether the server has verified that the number is the person's.
    public var isPhoneNumberVerified: Bool? { claims.flag("phone_number_verified") }

    /// `address`: the postal address.
    public var address: Address? { claims["address"]?.object.map { Address($0) } }

    /// `locale`: the person's language (BCP 47), such as `en-GB`.
    public var locale: String? { claims.text("locale") }

    /// `updated_at`: when the claims last changed.
    public var updatedAt: NumericDate? { try? claims.date("updated_at") }

    /// A postal address (OpenID Connect Core §5.1.1). Servers send some of its parts.
    public struct Address: Hashable, Sendable {
        /// `formatted`: the whole address; line breaks separate its lines.
        public let formatted: String?
        /// `street_address`: street and number; may have several lines.
        public let streetAddress: String?
        /// `locality`: the city.
        public let locality: String?
        /// `region`: the state, province or prefecture.
        public let region: String?
        /// `postal_code`.
        public let postalCode: String?
        /// `country`: the name of the country.
        public let country: String?

        fileprivate init(_ object: JSONObject) {
            formatted = object.text("formatted")
            streetAddress = object.text("street_address")
            locality = object.text("locality")
            region = object.text("region")
            postalCode = object.text("postal_code")
            country = object.text("country")
        }
    }
}

extension JSONObject {
    /// A claim that is a text. An empty one counts as left out (OpenID Connect Core §5.3.2).
    fileprivate func text(_ name: String) -> String? {
        guard let text = self[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    /// A claim that is true or false. Some servers send it as a text.
    fileprivate func flag(_ name: String) -> Bool? {
        switch self[name] {
        case .bool(let value)?: value
        case .string("true")?: true
        case .string("false")?: false
        default: nil
        }
    }
}

extension UserInfo: WireShaped {
    /// The members of every answer; the others depend on the scope.
    public static let shape = WireShape.answer(UserInfo.self, [.required("sub", .text(nil))])
}
