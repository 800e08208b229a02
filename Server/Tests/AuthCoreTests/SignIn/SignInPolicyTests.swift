import Core
import Kernel
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("The decision that every sign-in ends at")
struct SignInPolicyTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func decide(
        _ adjustAccount: (inout SignInPolicy.Account) throws -> Void = { _ in },
        _ adjustTerms: (inout SignInPolicy.Terms) throws -> Void = { _ in }, device: SignInPolicy.Device? = nil
    ) throws -> SignInPolicy.Decision {
        var account = SignInPolicy.Account(
            state: .active, securityVersion: 4, brand: try BrandID("default"), email: .verified,
            isPasswordExpired: false, passwordChangedAt: now - .days(10))
        try adjustAccount(&account)
        var terms = SignInPolicy.Terms(
            brand: try BrandID("default"), requiresMerchant: false, merchant: nil, requiredACR: [],
            passwordMaximumAge: nil)
        try adjustTerms(&terms)
        let factors = SignInPolicy.Factors(securityVersion: 4, amr: ["pwd"], authTime: now)
        return SignInPolicy.decide(account, device: device, factors: factors, terms: terms, now: now)
    }

    @Test("An active account that is proved and in order is admitted")
    func admitted() throws {
        #expect(try decide() == .admit)
        #expect(try decide({ $0.email = .none }) == .admit)
    }

    @Test("An erased account, or one of another brand, is as unknown as one that never was")
    func unknown() throws {
        #expect(try decide({ $0.state = .erased }) == .unknown)
        #expect(try decide({ $0.brand = try BrandID("other") }) == .unknown)
        #expect(
            try decide {
                $0.brand = try BrandID("other")
                $0.state = .deactivated
            } == .unknown)
    }

    @Test("A deactivated account is not admitted, whatever else is in order")
    func deactivated() throws {
        #expect(try decide({ $0.state = .deactivated }) == .deactivated)
    }

    @Test("A device that is suspended or deactivated opens nothing, and a removed one is as unknown as any key")
    func devices() throws {
        func decide(
            _ state: SignInPolicy.Device.State, _ instance: InstanceVerification = .exempt
        ) throws -> SignInPolicy.Decision {
            try self.decide(device: SignInPolicy.Device(state: state, instance: instance))
        }
        #expect(try decide(.active) == .admit)
        #expect(try decide(.suspended) == .deviceSuspended)
        #expect(try decide(.deactivated) == .deviceDeactivated)
        #expect(try decide(.closedByFailures) == .deviceDeactivated)
        #expect(try decide(.removed) == .unknown)
        #expect(try decide(.active, .unverified) == .appInstanceUnverified)
        #expect(try decide(.active, .verified) == .admit)
    }

    @Test("An account that changed after its factors were proved has to prove them again")
    func changed() throws {
        #expect(try decide({ $0.securityVersion = 5 }) == .changed)
    }

    @Test("A password that expired, by an operator or by age, has to be changed first")
    func passwords() throws {
        #expect(try decide({ $0.isPasswordExpired = true }) == .passwordChangeRequired)
        #expect(try decide({ _ in }, { $0.passwordMaximumAge = .days(11) }) == .admit)
        #expect(try decide({ _ in }, { $0.passwordMaximumAge = .days(9) }) == .passwordChangeRequired)
        // To the second that was announced.
        #expect(try decide({ _ in }, { $0.passwordMaximumAge = .days(10) }) == .passwordChangeRequired)
    }

    @Test("An address that waits to be confirmed has to be confirmed, after the password is in order")
    func email() throws {
        #expect(try decide({ $0.email = .unverified }) == .emailUnverified)
        #expect(
            try decide {
                $0.email = .unverified
                $0.isPasswordExpired = true
            } == .passwordChangeRequired)
    }

    @Test("A class that was asked for and not reached refuses")
    func acr() throws {
        #expect(try decide({ _ in }, { $0.requiredACR = ["urn:other"] }) == .unmetACR)
        #expect(
            try decide({ _ in }, { $0.requiredACR = ["urn:other", AuthenticationStrength.singleFactor] }) == .admit)
        #expect(try decide({ _ in }, { $0.requiredACR = [AuthenticationStrength.twoFactors] }) == .unmetACR)
    }

    @Test("More than was asked for is enough, and less never")
    func satisfies() {
        let (one, two) = (AuthenticationStrength.singleFactor, AuthenticationStrength.twoFactors)
        #expect(AuthenticationStrength.satisfies(one, []))
        #expect(AuthenticationStrength.satisfies(two, [one]))
        #expect(!AuthenticationStrength.satisfies(one, [two]))
        #expect(!AuthenticationStrength.satisfies(two, ["urn:other"]))
    }

    @Test("The merchant's rules: named where required, client installed, person employed")
    func merchants() throws {
        #expect(try decide({ _ in }, { $0.requiresMerchant = true }) == .merchantMissing)
        #expect(try decide({ _ in }, { $0.merchant = .admitted }) == .admit)
        #expect(try decide({ _ in }, { $0.merchant = .refused(.appNotInstalled) }) == .merchant(.appNotInstalled))
        #expect(try decide({ _ in }, { $0.merchant = .refused(.notAnEmployee) }) == .merchant(.notAnEmployee))
    }
}
