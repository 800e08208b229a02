import Core
import Kernel
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("What a sign-in is worth while its account may be in the wrong hands")
struct RecoveredAccountTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    @Test(
        "attack: the password that a mailbox set and a code to that mailbox are one factor; a device's PIN, a face and a passkey are two",
        arguments: [
            (["pwd", "otp"], false), (["pwd", "sms"], false), (["otp", "sms"], false), (["pin", "otp"], false),
            (["pwd", "swk"], false), (["swk", "pin"], true), (["hwk", "bio"], true), (["pop", "uv"], true),
        ] as [([String], Bool)])
    func acr(methods: [String], isTwo: Bool) throws {
        let factors = SignInPolicy.Factors(securityVersion: 1, amr: methods, authTime: now)
        var account = SignInPolicy.Account(
            state: .active, securityVersion: 1, brand: try BrandID("default"), email: .verified,
            isPasswordExpired: false, passwordChangedAt: now, coolingUntil: now + .hours(1))
        let (one, two) = (AuthenticationStrength.singleFactor, AuthenticationStrength.twoFactors)
        #expect(account.acr(of: factors, at: now) == (isTwo ? two : one))
        #expect(account.acr(of: factors, at: now + .hours(1)) == factors.acr)
        let decision = SignInPolicy.decide(
            account, device: nil, factors: factors,
            terms: SignInPolicy.Terms(
                brand: nil, requiresMerchant: false, merchant: nil, requiredACR: [two], passwordMaximumAge: nil),
            now: now)
        #expect(decision == (isTwo ? .admit : .unmetACR))
        account.coolingUntil = nil
        #expect(account.acr(of: factors, at: now) == factors.acr)
    }
}
