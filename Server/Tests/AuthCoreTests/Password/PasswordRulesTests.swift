import SignIn
import Testing

@Suite("New passwords")
struct PasswordRulesTests {
    private func fault(_ password: String) -> PasswordRuleViolation? {
        PasswordRules.fault(in: password, names: ["adalovelace", "countess@example.com"])
    }

    @Test("Eight to 256 characters, counted as code points")
    func length() {
        #expect(fault("sevench") == .tooShort)
        #expect(fault("eightchr") == nil)
        #expect(fault("äöüßéèêç") == nil)
        #expect(fault("äöüßéèê") == .tooShort)
        #expect(fault(String(repeating: "correct horse! ", count: 17) + "x") == nil)
        #expect(fault(String(repeating: "correct horse! ", count: 18)) == .tooLong)
    }

    @Test(
        "What everybody tries first is refused",
        arguments: [
            "password", "Password1", "PASSWORD123", "P@ssw0rd", "passw0rd!", "12345678", "123456789", "1234567890",
            "87654321", "qwertyuiop", "qwerty123", "1q2w3e4r", "1qaz2wsx", "zaq12wsx", "aaaaaaaa", "abcabcabc",
            "iloveyou", "iloveyou1", "sunshine", "princess1", "football", "baseball1", "superman", "starwars",
            "letmein1", "welcome1", "admin123", "monkey123", "abcdefgh", "abcd1234", "11111111", "12341234",
            "passwordpassword", "trustno1", "Summer2024", "changeme", "asdfghjkl", "qwertz123", "hallo123",
            "NCC1701d", "jordan23", "!qaz2wsx", "0123654789",
        ])
    func common(password: String) {
        #expect(fault(password) == .tooCommon)
    }

    @Test(
        "A long phrase that holds a common word is fine",
        arguments: [
            "correct horse battery", "my password is a fish", "sunshine over Varna 7", "tr0ub4dor&3xyz", "kV7#qPz2wL",
        ])
    func phrases(password: String) {
        #expect(fault(password) == nil)
    }

    @Test(
        "No password contains the user name, or what is before the @ of the address",
        arguments: [
            "AdaLovelace", "countess", "countess@example.com", "adalovelace1815", "my-Countess!", "xX_ADALOVELACE_Xx",
        ])
    func names(password: String) {
        #expect(fault(password) == .containsName)
    }

    @Test("Names of less than four characters may be part of a password, and a tag of an address is no name")
    func shortNames() {
        #expect(PasswordRules.fault(in: "Canada is large", names: ["ada", "ada+shop@example.com"]) == nil)
        #expect(PasswordRules.fault(in: "emil1234", names: ["emil"]) == .containsName)
        #expect(PasswordRules.fault(in: "emil in the shop", names: ["x", "emil+news@example.com"]) == .containsName)
        #expect(PasswordRules.fault(in: "ｅｍｉｌ is here", names: ["ｅｍｉｌ"]) == .containsName)
    }

    @Test("A common password that is made of the username is refused for the name, also for a short one")
    func nameFirst() {
        #expect(PasswordRules.fault(in: "bobbobbob", names: ["bob", "b@example.com"]) == .containsName)
        #expect(PasswordRules.fault(in: "Admin123", names: ["admin"]) == .containsName)
        #expect(PasswordRules.fault(in: "bobbobbob", names: ["grace"]) == .tooCommon)
        #expect(PasswordRules.fault(in: "password", names: ["a", "as"]) == .tooCommon)
    }
}
