import Operations
import Testing
import WalletAuthWire
import Web

@testable import Kernel
@testable import Loyalty

@Suite("What guests enter at an enrollment", .covers("setUserFields: the form's other fields, in both styles"))
struct GuestProfileTests {
    private static func profile(_ adjust: (inout GuestProfile) throws -> Void = { _ in }) throws -> GuestProfile {
        var profile = GuestProfile()
        profile.firstName = "Ada"
        profile.lastName = "Lovelace"
        profile.mobilePhone = "(514) 299-1649"
        profile.address1 = "12 Main Street"
        profile.address2 = "Apartment 7"
        profile.city = "Montreal"
        profile.stateProvince = "QC"
        profile.postalCode = "H2X 1Y4"
        profile.country = "CA"
        try adjust(&profile)
        return profile
    }

    @Test(
        "An enrollment form is stored with the account, told by scope as unverified, exported, and gone with the account"
    )
    func stored() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1", username: "Ada.L") {
            $0.profile = try Self.profile {
                $0.email = try EmailAddress("ada@example.com")
                $0.dateOfBirth = try DateOfBirth("1985-12-10")
                $0.language = try LocaleTag("fr-CA")
            }
        }
        // Neither the number nor the address is a second factor, which the guest would be asked for at once.
        #expect(try await integrator.enroll(request).get().tokens.username == "Ada.L")
        #expect(try await integrator.signIn("sub-1").get().tokens.username == "Ada.L")

        let all = try await server.userInfo("ada.l", "openid profile email phone address")
        #expect(all["given_name"] == "Ada" && all["family_name"] == "Lovelace" && all["name"] == nil)
        #expect(all["birthdate"] == "1985-12-10" && all["locale"] == "fr-CA")
        #expect(all["email"] == "ada@example.com" && all["email_verified"]?.bool == false)
        #expect(all["phone_number"] == "+15142991649" && all["phone_number_verified"]?.bool == false)
        let address = try #require(all["address"]?.object)
        #expect(address["street_address"] == "12 Main Street\nApartment 7")
        #expect(address["locality"] == "Montreal" && address["region"] == "QC")
        #expect(address["postal_code"] == "H2X 1Y4" && address["country"] == "CA")
        #expect(try await server.userInfo("ada.l", "openid").members.isEmpty)

        let account = try await server.read { try Accounts.find(named: "ada.l", brand: "default", on: $0) }
        #expect(account?.phone == nil && account?.email == nil && account?.emailState == EmailState.none)
        #expect(account?.profile.map { String(decoding: $0, as: UTF8.self).contains("Lovelace") } == false)
        let reference = AccountReference.username("ada.l", brand: nil)
        let exported = try await server.administer(AdminRequest(["account", "export"] + reference.words))
        #expect(exported["enteredEmail"] == "ada@example.com" && exported["enteredPhone"] == "+15142991649")
        #expect(exported["postalAddress"]?.object == address && exported["birthdate"] == "1985-12-10")
        try await server.administer(AdminRequest(["account", "erase"] + reference.words))
        let erased = try await server.read { [id = try #require(account?.id)] in try Accounts.find(id, on: $0) }
        #expect(erased?.profile == nil && erased?.locale == nil)
    }

    @Test(
        "The address that the provider vouches for is the account's, whatever the guest entered",
        .threat("Integrators' backends"))
    func providersAddress() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1", email: "relay@example.com") {
            $0.profile.email = try EmailAddress("ada@example.com")
        }
        _ = try await integrator.enroll(request).get()
        let claims = try await server.userInfo("ada", "openid email")
        #expect(claims["email"] == "relay@example.com" && claims["email_verified"]?.bool == true)
        let exported = try await server.administer(["account", "export", "ada"])
        #expect(exported["email"] == "relay@example.com" && exported["enteredEmail"] == "ada@example.com")
    }

    @Test("An address that the operator enters replaces the parts of the guest's")
    func operatorsAddress() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        _ = try await integrator.enroll(integrator.enrollment(of: "sub-1") { $0.profile = try Self.profile() }).get()
        try await server.administer(
            ["account", "update", "ada", "--address", "1 High Street\nLondon"])
        let claims = try await server.userInfo("ada", "openid address")
        #expect(claims["address"]?.object?.names == ["formatted"])
    }

    @Test("A number that is none, and a birthday to come, are refused for their fields before the code is redeemed")
    func refused() async throws {
        let server = try await LoyaltyServer.start()
        let integrator = try await server.integrator()
        let request = try integrator.enrollment(of: "sub-1") {
            $0.profile.mobilePhone = "call me"
            $0.profile.dateOfBirth = try DateOfBirth("2400-01-01")
        }
        let failure = try await integrator.enroll(request).failure
        #expect(failure?.code == .invalidFields)
        #expect(
            failure?.fields == [LoyaltyFieldError("mobilePhone", .invalid), LoyaltyFieldError("dateOfBirth", .invalid)])
        #expect(failure?.message == "A field is not accepted: mobilePhone is not valid; dateOfBirth is not valid.")
        #expect(server.vendor.redeemed.isEmpty)
        #expect(try await server.rows(of: "accounts") == 0)
    }

    @Test("Ten digits are a North American number unless another country is named; other numbers need a country code")
    func numbers() {
        for typed in ["514-299-1649", "(514) 299 1649", "1 514 299 1649", "+1 514.299.1649", "５１４２９９１６４９"] {
            #expect(GuestPhone.number(typed) == "+15142991649", "\(typed)")
        }
        #expect(GuestPhone.number("514-299-1649", country: "Canada") == "+15142991649")
        #expect(GuestPhone.number("+35921234567", country: "BG") == "+35921234567")
        for (typed, country) in [
            ("514-299-1649", "GB"), ("030 123456", nil), ("114-299-1649", nil), ("5142991649x", nil), ("", nil),
        ] {
            #expect(GuestPhone.number(typed, country: country) == nil, "\(typed)")
        }
    }
}
