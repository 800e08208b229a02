import Consent
import Testing
import WalletAuthWire

@Suite("By which ways a person can agree")
struct AvailableVerificationsTests {
    private let all = AvailableVerifications(amrByVerification: [
        .sms: ["sms"], .email: ["otp"], .authenticator: ["otp"], .devicePIN: ["swk", "pin"], .password: ["pwd"],
    ])

    @Test("After a sign-in by password, what is had is asked for, and the password is not asked for again")
    func afterPassword() {
        #expect(all.needed(besides: ["pwd"]) == [.devicePIN, .authenticator, .sms, .email])
    }

    @Test("After a code, what is known is asked for")
    func afterCode() { #expect(all.needed(besides: ["otp"]) == [.devicePIN, .password]) }

    @Test("After nothing, everything is offered that leads to two categories")
    func afterNothing() {
        #expect(all.needed(besides: []) == [.devicePIN, .authenticator, .sms, .email, .password])
        #expect(
            AvailableVerifications(amrByVerification: [.sms: ["sms"], .email: ["otp"]]).needed(besides: []).isEmpty)
        #expect(
            AvailableVerifications(amrByVerification: [.devicePIN: ["swk", "pin"]]).needed(besides: []) == [.devicePIN])
    }

    @Test("After a sign-in by two factors, one factor for this very operation is needed, whichever")
    func afterTwo() {
        #expect(all.needed(besides: ["pwd", "otp"]) == [.devicePIN, .authenticator, .sms, .email, .password])
    }

    @Test("An account without factors is offered none")
    func nothing() { #expect(AvailableVerifications(amrByVerification: [:]).needed(besides: ["pwd"]).isEmpty) }
}
