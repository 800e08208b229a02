import Testing
import WalletAuthWire

@Suite("What an account signs in with, as an app sees it")
struct AccountFactorListTests {
    private func read(_ text: String) throws -> AccountFactorList {
        try AccountFactorList(JSONValue.object(parsing: Array(text.utf8)))
    }

    @Test("Passkeys come out as they went in, and a factor without one says nothing of it")
    func roundTrip() throws {
        let list = AccountFactorList(
            factors: [
                AccountFactorList.Factor(method: "otp", channel: "EMAIL", destination: "a•••@example.com"),
                AccountFactorList.Factor(
                    AccountFactorList.Passkey(
                        id: try PasskeyID("0192f0c1-0000-7000-8000-000000000001"), name: "Laptop",
                        createdAt: NumericDate(clamping: 1_795_341_600),
                        lastUsedAt: NumericDate(clamping: 1_795_345_200),
                        coolingUntil: NumericDate(clamping: 1_795_428_000))),
                AccountFactorList.Factor(
                    AccountFactorList.Passkey(
                        id: try PasskeyID("0192f0c1-0000-7000-8000-000000000002"), name: "Key",
                        createdAt: NumericDate(clamping: 1_795_341_600))),
            ], recoveryCodes: 3)
        #expect(try AccountFactorList(list.json) == list)
        #expect(
            String(decoding: list.json.bytes, as: UTF8.self).contains(
                #"{"method":"passkey","passkeyId":"0192f0c1-0000-7000-8000-000000000002","name":"Key","createdAt":1795341600}"#
            ))
    }

    @Test("An app that knows passkeys reads an answer of a server that tells of none")
    func earlierServer() throws {
        let list = try read(#"{"factors":[{"method":"totp"}],"recoveryCodes":0}"#)
        #expect(list.factors == [AccountFactorList.Factor(method: "totp")])
    }

    @Test(
        "What is said of one passkey in another form, or of a factor that is not known, keeps no app from the others",
        arguments: [
            #"{"method":"passkey"}"#, #"{"method":"passkey","name":7,"createdAt":"now"}"#,
            #"{"method":"passkey","name":"x"}"#, #"{"method":"hologram","name":"x","createdAt":{"a":1}}"#,
        ])
    func tolerant(_ entry: String) throws {
        let list = try read(#"{"factors":[\#(entry),{"method":"totp"}],"recoveryCodes":1,"more":[]}"#)
        #expect(list.factors.map(\.passkey) == [nil, nil])
        #expect(list.factors.last == AccountFactorList.Factor(method: "totp"))
    }
}
