import Testing
import WalletAuthWire

@Suite("What a challenge asks of a sign-in (RFC 9470)")
struct AuthenticationRequirementsTests {
    private static let two = "urn:wallet-auth:acr:2fa"

    @Test(
        "Read from whatever form RFC 9110 allows",
        arguments: [
            // The examples of RFC 9470 §3.
            (
                [
                    #"Bearer error="insufficient_user_authentication", error_description="A different authentication"#
                        + #" level is required", acr_values="myACR""#
                ], ["myACR"], nil
            ),
            (
                [
                    #"Bearer error="insufficient_user_authentication", error_description="More recent authentication"#
                        + #" is required", max_age="5""#
                ], [], 5
            ),
            (
                [#"DPoP algs="ES256", error="insufficient_user_authentication", acr_values="a b", max_age=0"#],
                ["a", "b"], 0
            ),
            // Several schemes in one value, as some libraries join them, and in several.
            (
                [
                    #"Basic realm="x, y", Negotiate YWJj==, Bearer realm="r", error="insufficient_user_authentication", "#
                        + #"max_age="60", DPoP algs="ES256 EdDSA""#
                ], [], 60
            ),
            (["Negotiate", #"bearer  ERROR = insufficient_user_authentication , Max_Age = "7""#], [], 7),
            ([#"Bearer error="insufficient_\user_authentication", acr_values="quo\"ted""#], [#"quo"ted"#], nil),
            ([#"Bearer error="insufficient_user_authentication""#], [], nil),
            ([#"Bearer error="insufficient_user_authentication", max_age="-5""#], [], nil),
            ([#"Bearer error="insufficient_user_authentication", max_age="99999999999999999999""#], [], nil),
        ] as [([String], [String], Int64?)])
    func read(fields: [String], acrValues: [String], age: Int64?) {
        #expect(
            AuthenticationRequirements(wwwAuthenticate: fields)
                == AuthenticationRequirements(acrValues: acrValues, maximumAge: age))
    }

    @Test(
        "Other challenges, other schemes, doubled parameters and nonsense ask for nothing",
        arguments: [
            [], [""], ["Bearer"], [#"Bearer error="invalid_token", acr_values="a""#],
            [#"Basic error="insufficient_user_authentication""#],
            [#"Bearer error="invalid_token", error="insufficient_user_authentication""#],
            [#"error="insufficient_user_authentication""#], [#"Bearer error="insufficient_user_authentication"#],
            [#"= , ,, "x""#],
            [String(repeating: "Bearer a=b, ", count: 1000) + #"error="insufficient_user_authentication""#],
        ])
    func nothing(fields: [String]) {
        #expect(AuthenticationRequirements(wwwAuthenticate: fields) == nil)
    }

    @Test("What is written is read back")
    func roundTrip() {
        for requirements in [
            AuthenticationRequirements(acrValues: [Self.two], maximumAge: 300),
            AuthenticationRequirements(maximumAge: 0), AuthenticationRequirements(acrValues: ["a", "b"]),
        ] {
            let parameters = requirements.challengeParameters.map { ", \($0.name)=\"\($0.value)\"" }.joined()
            let field = "Bearer error=\"\(AuthenticationRequirements.error)\"" + parameters
            #expect(AuthenticationRequirements(wwwAuthenticate: [field]) == requirements)
        }
        #expect(AuthenticationRequirements(maximumAge: -3).maximumAge == 0)
    }
}
