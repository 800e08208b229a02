import Foundation
import Testing

/// The form of an enrollment, and the one-time passwords that go to its number, against a built server.
@Suite(
    "Guests' forms and one-time passwords, end to end", .threat("Integrators' backends"),
    .covers("POST onetimepassword/generateAndSendSMSOTP.json"))
struct GuestEnrollmentEndToEndTests {
    private static let phone = "514-299-1649"
    /// What only the test's people type.
    private static let form: [String: String] = [
        "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com", "mobilePhone": phone,
        "address1": "12 Main Street", "address2": "Apartment 7", "city": "Montreal", "stateProvince": "QC",
        "postalCode": "H2X 1Y4", "country": "CA", "dateOfBirth": "1985-12-10", "language": "fr-CA",
    ]

    private func serve(_ body: (RunningServer, ApplePeer) async throws -> Void) async throws {
        try await withServer { server in
            try await ApplePeer.registered(at: server, options: ["--guest-passwords"]) { apple in
                try await body(server, apple)
            }
        }
    }

    /// Enrolls a person whose provider gives no address, which would be a second factor.
    /// - Returns: the access token.
    private func enroll(
        _ person: String, _ fields: [String: Any], style: String = "typed", at apple: ApplePeer
    ) async throws -> String {
        let credential = try await apple.sheet(account: person, claims: ["email": NSNull()])
        let answer = try await apple.enroll(credential, username: person, fields: fields, style: style)
        let tokens = answer.object["oauthTokens"] as? [String: Any]
        return try #require(tokens?["access_token"] as? String, "\(answer.text)")
    }

    /// The codes in the sandbox's outbox, the newest first.
    private func codes(at server: RunningServer) async throws -> [String] {
        let page = try await WebClient(ledger: server.ledger).get(await server.url("/sandbox/outbox"))
        return page.text.matches(of: /<code>(\d{6})<\/code>/).map { String($0.output.1) }
    }

    /// Lets the next message to a number be sent at once: what is tested here is not the wait.
    private func forgetMessages(at server: RunningServer) async throws {
        try await server.write("DELETE FROM attempts WHERE pending = 0")
    }

    @Test("All fields of the form are stored, typed and as strings")
    func form() async throws {
        try await serve { server, apple in
            // In the typed style a value may be an array of one.
            let typed = (Self.form as [String: Any]).merging(["firstName": ["Ada"]]) { $1 }
            _ = try await enroll("ada", typed, at: apple)
            try await expectForm(of: "ada", at: server)
            _ = try await enroll("bob", Self.form, style: "string", at: apple)
            try await expectForm(of: "bob", at: server)
        }
    }

    private func expectForm(of person: String, at server: RunningServer) async throws {
        let exported = try await server.require(["account", "export", person, "--json"])
        let account = try #require(
            try JSONSerialization.jsonObject(with: Data(exported.utf8)) as? [String: Any], "\(exported)")
        #expect(account["givenName"] as? String == "Ada" && account["familyName"] as? String == "Lovelace")
        #expect(account["enteredEmail"] as? String == "ada@example.com")
        #expect(account["enteredPhone"] as? String == "+15142991649")
        #expect(account["birthdate"] as? String == "1985-12-10" && account["locale"] as? String == "fr-CA")
        let address = try #require(account["postalAddress"] as? [String: Any])
        #expect(address["street_address"] as? String == "12 Main Street\nApartment 7")
        #expect(address["locality"] as? String == "Montreal" && address["region"] as? String == "QC")
        #expect(address["postal_code"] as? String == "H2X 1Y4" && address["country"] as? String == "CA")
    }

    @Test(
        "A field that is not stored, a wrong style and an array in the string style are refused and create nothing",
        .onceForAllEngines)
    func refused() async throws {
        try await serve { server, apple in
            for (fields, style) in [
                (["optIn": "true"], "typed"), ([:], "other"), (["firstName": ["Ada"]], "string"),
                (["mobilePhone": "call me"], "typed"), (["dateOfBirth": "10/12/1985"], "typed"),
            ] as [([String: Any], String)] {
                let answer = try await apple.enroll(
                    await apple.sheet(), username: "ada", fields: fields, style: style)
                #expect(answer.errorCode == "authentication.invalid_fields", "\(fields) \(style): \(answer.text)")
            }
            let listed = try await server.require(["account", "list", "--json"])
            #expect(!listed.contains("\"username\""), "\(listed)")
        }
    }

    @Test("A guest proves the number of the form, and from then on signs in by a code, once")
    func oneTimePassword() async throws {
        try await serve { server, apple in
            let token = try await enroll("ada", Self.form, at: apple)
            // Typed is not proved.
            #expect(try await apple.sendOneTimePassword(to: Self.phone).members["result"] == "success")
            #expect(try await codes(at: server).isEmpty)
            try await forgetMessages(at: server)

            let asked = try await apple.sendOneTimePassword(to: Self.phone, provedBy: token)
            #expect(asked.members["result"] == "success", "\(asked.text)")
            let proof = try #require(try await codes(at: server).first)
            let proved = try await apple.requestGuestToken(
                oneTimePassword: proof, sentTo: Self.phone, provedBy: token)
            #expect(proved.members["username"] == "ada", "\(proved.text)")
            try await forgetMessages(at: server)

            #expect(try await apple.sendOneTimePassword(to: "+1 (514) 299-1649").members["result"] == "success")
            let all = try await codes(at: server)
            #expect(all.count == 2)
            let code = try #require(all.first)
            let signedIn = try await apple.requestGuestToken(oneTimePassword: code, sentTo: Self.phone)
            #expect(signedIn.members["username"] == "ada", "\(signedIn.text)")
            #expect(signedIn.members["token_type"] == "bearer" && signedIn.members["refresh_token"] != nil)
            let again = try await apple.requestGuestToken(oneTimePassword: code, sentTo: Self.phone)
            #expect(again.errorCode == "authentication.invalid_credentials", "\(again.text)")
        }
    }
}
