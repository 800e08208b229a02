import Testing
import WalletAuthWire

@Suite("The claims of a person (OpenID Connect Core §5.1)")
struct UserInfoTests {
    @Test("The example of the standard is read")
    func example() throws {
        let info = try UserInfo(
            Sample.json(
                #"""
                {"sub": "248289761001", "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe",
                 "preferred_username": "j.doe", "birthdate": "1985-12-10", "email": "janedoe@example.com",
                 "picture": "http://example.com/janedoe/me.jpg"}
                """#))
        #expect(info.subject == "248289761001")
        #expect(info.name == "Jane Doe")
        #expect(info.givenName == "Jane")
        #expect(info.familyName == "Doe")
        #expect(info.birthdate == "1985-12-10")
        #expect(info.email == "janedoe@example.com")
        #expect(info.isEmailVerified == nil)
        #expect(info.claims["preferred_username"] == "j.doe")
    }

    @Test("What is not as the standard says is nil, and stays among the claims as it was sent")
    func otherTypes() throws {
        let info = try UserInfo(
            Sample.json(
                #"""
                {"sub": "a", "name": 7, "email": "", "email_verified": 1, "phone_number": ["+441632960000"],
                 "phone_number_verified": "yes", "address": "1 Example Street", "locale": null,
                 "updated_at": "2026-11-27"}
                """#))
        #expect(info.name == nil)
        #expect(info.email == nil)
        #expect(info.isEmailVerified == nil)
        #expect(info.phoneNumber == nil)
        #expect(info.isPhoneNumberVerified == nil)
        #expect(info.address == nil)
        #expect(info.locale == nil)
        #expect(info.updatedAt == nil)
        #expect(info.claims["address"] == "1 Example Street")
        #expect(info.claims["name"] == 7)
    }

    @Test("Truth values that a server writes as text are read, and dates with a fraction")
    func lenience() throws {
        let info = try UserInfo(
            Sample.json(
                #"{"sub":"a","email_verified":"true","phone_number_verified":"false","updated_at":1700000000.5}"#))
        #expect(info.isEmailVerified == true)
        #expect(info.isPhoneNumberVerified == false)
        #expect(info.updatedAt == NumericDate(clamping: 1_700_000_000))
    }

    @Test("An address has the parts that were sent")
    func address() throws {
        let info = try UserInfo(
            Sample.json(
                #"""
                {"sub": "a", "address": {"street_address": "1234 Hollywood Blvd.", "locality": "Los Angeles",
                 "region": "CA", "postal_code": "90210", "country": "US"}}
                """#))
        let address = try #require(info.address)
        #expect(address.formatted == nil)
        #expect(address.streetAddress == "1234 Hollywood Blvd.")
        #expect(address.locality == "Los Angeles")
        #expect(address.region == "CA")
        #expect(address.postalCode == "90210")
        #expect(address.country == "US")
    }

    @Test("A subject that is empty names no one")
    func emptySubject() {
        #expect(throws: MalformedValue.self) { try UserInfo(Sample.json(#"{"sub":""}"#)) }
    }
}
