import AuthCore
import AuthStore
import Testing

@testable import AppleSignIn

@Suite("What the vendor keeps of providers that it decoded")
struct DecodedProviderTests {
    @Test("Settings that are canonically equal, and differ in their bytes, are those of two providers")
    func bytes() throws {
        let (vendor, composed, decomposed) = (AppleVendor(), "caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        for team in [composed, decomposed] {
            let settings = AppleSettings(
                base: AppleSettings.appleBase, clientIDs: ["com.example.app"], keyID: "KEY0000001", servicesID: nil,
                teamID: team)
            let record = IdentityProviderRecord(
                brandID: "default", id: "apple", kind: AppleVendor.kind, settings: try settings.encoded(), secret: nil,
                createdAt: Timestamp(seconds: 0))
            let provider = try #require(try vendor.provider(record, secret: nil) as? AppleProvider)
            #expect(Array(provider.settings.teamID.utf8) == Array(team.utf8))
        }
    }
}
