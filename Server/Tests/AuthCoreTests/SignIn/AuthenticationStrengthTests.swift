import Kernel
import Testing

@Suite("Authentication strength")
struct AuthenticationStrengthTests {
    @Test(
        "Two factors are two categories, never two of one",
        arguments: [
            (["pwd"], false), (["pwd", "pin"], false), (["otp", "swk"], false), (["pwd", "otp"], true),
            (["pin", "swk"], true), (["bio", "hwk"], true), (["pwd", "kba"], false), (["nonce", "otp"], false),
            (["fed", "otp"], true), (["former_system", "otp"], false), ([], false), (["whatever", "pwd"], false),
            (["pop", "uv"], true), (["pop"], false), (["pop", "otp"], false), (["pwd", "uv"], false),
        ])
    func classes(methods: [String], isTwoFactor: Bool) {
        let expected = isTwoFactor ? AuthenticationStrength.twoFactors : AuthenticationStrength.singleFactor
        #expect(AuthenticationStrength.acr(of: methods) == expected)
    }
}
