import Core
import Operations
import Testing

@testable import Apple
@testable import Kernel

@Suite("What the vendor keeps of providers that it decoded")
struct DecodedProviderTests {
    @Test("A removed provider and its private key do not stay in memory")
    func removed() async throws {
        let server = try await AppleServer.start()
        let vendor = try #require(server.context.vendors[AppleVendor.kind] as? AppleVendor)
        _ = try await server.provider()
        #expect(vendor.decodedCount == 1)
        try await server.administer(["provider", "remove", "apple"])
        #expect(vendor.decodedCount == 0)
    }

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
