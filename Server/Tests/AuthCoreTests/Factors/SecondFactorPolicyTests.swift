import Core
import Kernel
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("When a second factor is asked for")
struct SecondFactorPolicyTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func decide(
        amr: [String] = ["pwd"], policy: NewDevicePolicy = .secondFactor, isLinked: Bool = false,
        usable: Set<FactorKind> = [.email], unreachable: Set<FactorKind> = [], requiredACR: [String] = [],
        isPasswordExpired: Bool = false,
        device: SignInPolicy.Device? = nil, hasDevice: Bool = false, recovery: SignInPolicy.Recovery? = nil,
        first: FactorKind? = nil
    ) throws -> SignInPolicy.Decision {
        let account = SignInPolicy.Account(
            state: .active, securityVersion: 4, brand: try BrandID("default"), email: .verified,
            isPasswordExpired: isPasswordExpired, passwordChangedAt: now - .days(10))
        let terms = SignInPolicy.Terms(
            brand: try BrandID("default"), requiresMerchant: false, merchant: nil, requiredACR: requiredACR,
            passwordMaximumAge: nil,
            secondFactors: SecondFactors(
                newDevice: policy, isLinked: isLinked, usable: usable, unreachable: unreachable, hasDevice: hasDevice))
        let factors = SignInPolicy.Factors(
            securityVersion: 4, amr: amr, authTime: now, recovery: recovery, first: first)
        return SignInPolicy.decide(account, device: device, factors: factors, terms: terms, now: now)
    }

    @Test("From a device that is not linked, where the account has one and the brand asks")
    func asked() throws {
        #expect(try decide() == .secondFactorRequired)
        #expect(try decide(isLinked: true) == .admit)
        #expect(try decide(policy: .allow) == .admit)
        #expect(try decide(usable: []) == .admit)
    }

    @Test(
        "attack: a code by SMS that was the first factor is not counted as the second one, nor asked for again",
        .threat("Integrators' backends"))
    func smsFirst() throws {
        let sms = FactorKind.sms.authenticationMethod
        #expect(try decide(amr: [sms], usable: [.sms, .totp], first: .sms) == .secondFactorRequired)
        #expect(try decide(amr: [sms], usable: [.sms], first: .sms) == .admit)
        #expect(try decide(amr: [sms], usable: [], first: .sms) == .admit)
        #expect(try decide(amr: ["pwd", sms], usable: [.sms, .totp]) == .admit)
    }

    @Test(
        "attack: a server that cannot send codes does not accept less: a factor it cannot ask for is unmet, not missing"
    )
    func unreachable() throws {
        #expect(try decide(usable: [], unreachable: [.sms]) == .unmetACR)
        #expect(try decide(usable: [.totp], unreachable: [.sms]) == .secondFactorRequired)
        #expect(try decide(isLinked: true, usable: [], unreachable: [.sms]) == .admit)
        #expect(try decide(policy: .allow, usable: [], unreachable: [.sms]) == .admit)
        #expect(try decide(amr: ["pwd", "swk"], usable: [], unreachable: [.sms]) == .admit)
        let two = [AuthenticationStrength.twoFactors]
        #expect(try decide(isLinked: true, usable: [], unreachable: [.sms], requiredACR: two) == .unmetACR)
        #expect(try decide(policy: .allow, usable: [], unreachable: [.sms], isPasswordExpired: true) == .unmetACR)
    }

    @Test("attack: a recovery by the mailbox alone is no way around a factor that nothing delivers")
    func unreachableInRecovery() throws {
        #expect(try decide(amr: ["otp"], recovery: .mailbox) == .passwordChangeRequired)
        #expect(try decide(amr: ["otp"], unreachable: [.sms], recovery: .mailbox) == .recoveryUnavailable)
        #expect(
            try decide(amr: ["otp"], usable: [.totp], unreachable: [.sms], recovery: .mailbox) == .secondFactorRequired)
    }

    @Test("A device that failures closed lets a recovery go on that its key takes part in, and nothing else")
    func closedDevice() throws {
        let closed = SignInPolicy.Device(state: .closedByFailures, instance: .exempt)
        #expect(
            try decide(amr: ["otp", "swk"], usable: [], device: closed, recovery: .mailbox) == .passwordChangeRequired)
        #expect(
            try decide(amr: ["otp", "swk"], usable: [.totp], device: closed, recovery: .mailbox)
                == .secondFactorRequired)
        #expect(
            try decide(amr: ["otp", "swk"], device: closed, recovery: .mailboxAndFactor) == .passwordChangeRequired)
        #expect(try decide(amr: ["otp"], usable: [], device: closed, recovery: .mailbox) == .deviceDeactivated)
        #expect(try decide(amr: ["otp"], device: closed, recovery: .mailboxAndFactor) == .deviceDeactivated)
        let young = SignInPolicy.Device(
            state: .closedByFailures, instance: .exempt, coolingUntil: now + .hours(1))
        #expect(
            try decide(amr: ["otp", "swk"], usable: [.totp], device: young, recovery: .mailbox) == .recoveryUnavailable)
        #expect(try decide(amr: ["pwd", "swk"], device: closed) == .deviceDeactivated)
        #expect(try decide(amr: ["pin", "swk"], device: closed) == .deviceDeactivated)
        for state in [SignInPolicy.Device.State.deactivated, .suspended, .removed] {
            let device = SignInPolicy.Device(state: state, instance: .exempt)
            let recovered = try decide(amr: ["otp", "swk"], usable: [], device: device, recovery: .mailbox)
            #expect(recovered != .passwordChangeRequired)
        }
    }

    @Test(
        "Not again once it was proved", arguments: [["pwd", "otp"], ["pwd", "sms"], ["pwd", "kba"], ["pin", "swk"]])
    func proved(amr: [String]) throws {
        #expect(try decide(amr: amr) == .admit)
    }

    @Test("After what is decided about the device, and before the password's age: a stolen password sets no other")
    func order() throws {
        #expect(try decide(isPasswordExpired: true) == .secondFactorRequired)
        #expect(try decide(amr: ["pwd", "otp"], isPasswordExpired: true) == .passwordChangeRequired)
        let suspended = SignInPolicy.Device(state: .suspended, instance: .exempt)
        #expect(try decide(device: suspended) == .deviceSuspended)
    }

    @Test(
        "Before an expired password is replaced, wherever the account has one, whatever the brand asks of new devices")
    func expired() throws {
        #expect(try decide(policy: .allow, isPasswordExpired: true) == .secondFactorRequired)
        #expect(try decide(policy: .allow, usable: [.secretQuestion], isPasswordExpired: true) == .secondFactorRequired)
        #expect(
            try decide(amr: ["pwd", "kba"], usable: [.secretQuestion], isPasswordExpired: true)
                == .passwordChangeRequired)
        #expect(try decide(amr: ["pwd", "kba"], isPasswordExpired: true) == .secondFactorRequired)
        #expect(try decide(usable: [], isPasswordExpired: true, hasDevice: true) == .unmetACR)
        #expect(
            try decide(amr: ["pwd", "kba"], usable: [.secretQuestion], isPasswordExpired: true, hasDevice: true)
                == .unmetACR)
        #expect(
            try decide(amr: ["pwd", "swk"], usable: [], isPasswordExpired: true, hasDevice: true)
                == .passwordChangeRequired)
        #expect(try decide(isLinked: true, isPasswordExpired: true) == .passwordChangeRequired)
        #expect(try decide(usable: [], isPasswordExpired: true) == .passwordChangeRequired)
    }

    @Test("With the key of a device in its cooling period, where two factors are asked for by name")
    func cooling() throws {
        let device = SignInPolicy.Device(state: .active, instance: .exempt, coolingUntil: now + .hours(1))
        let two = [AuthenticationStrength.twoFactors]
        #expect(try decide(amr: ["pwd", "swk"], device: device) == .admit)
        #expect(try decide(amr: ["pwd", "swk"], requiredACR: two, device: device) == .secondFactorRequired)
        #expect(try decide(amr: ["pwd", "swk", "otp"], requiredACR: two, device: device) == .admit)
        #expect(try decide(amr: ["pwd", "swk"], usable: [], requiredACR: two, device: device) == .admit)
        let settled = SignInPolicy.Device(state: .active, instance: .exempt, coolingUntil: now)
        #expect(try decide(amr: ["pwd", "swk"], requiredACR: two, device: settled) == .admit)
    }

    @Test("From a linked device too, where two categories are required; a question cannot help there")
    func required() throws {
        let two = [AuthenticationStrength.twoFactors]
        #expect(try decide(isLinked: true, requiredACR: two) == .secondFactorRequired)
        #expect(try decide(policy: .allow, requiredACR: two) == .secondFactorRequired)
        #expect(try decide(isLinked: true, usable: [.secretQuestion], requiredACR: two) == .unmetACR)
        #expect(try decide(isLinked: true, usable: [], requiredACR: two) == .unmetACR)
        #expect(
            try decide(isLinked: true, requiredACR: two + [AuthenticationStrength.singleFactor]) == .admit)
    }

    @Test("A question raises no class, the other factors make two categories with a password")
    func classes() {
        for kind in FactorKind.allCases {
            let acr = AuthenticationStrength.acr(of: ["pwd", kind.authenticationMethod])
            #expect((acr == AuthenticationStrength.twoFactors) == (kind != .secretQuestion), "\(kind)")
        }
    }
}
