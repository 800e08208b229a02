import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The forms of files with accounts", .covers("account import"))
struct ImportFormatTests {
    private func line(
        _ text: String, _ format: ImportFormat, _ options: ImportOptions = ImportOptions()
    ) throws -> ConvertedLine {
        let converted = format.line(try JSONValue.object(parsing: Array(text.utf8)), options)
        guard converted.faults.isEmpty else { throw AccountImport.Refusal(converted.faults) }
        // Whatever a conversion yields is a line of ours.
        _ = try ImportedPerson(converted.line)
        return converted
    }

    private func units(_ text: String, _ layout: ImportFormat.Layout, parts: Int = 3) -> (
        [ImportSplitter.Unit], ImportSplitter.End
    ) {
        var splitter = ImportSplitter(layout)
        var units: [ImportSplitter.Unit] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: parts) {
            units += splitter.append(Array(bytes[start..<min(start + parts, bytes.count)]))
        }
        let (rest, end) = splitter.finish()
        return (units + (rest.map { [$0] } ?? []), end)
    }

    private func texts(_ units: [ImportSplitter.Unit]) -> [String] {
        units.map { unit in
            if case .json(let bytes) = unit.content {
                "\(unit.line) \(String(decoding: bytes, as: UTF8.self))"
            } else {
                "\(unit.line) \(unit.content)"
            }
        }
    }

    @Test("Keycloak's PBKDF2 and Argon2 credentials, authenticator app, identities and required actions are read")
    func keycloak() throws {
        let pbkdf2 = try line(
            #"""
            {"id":"8c7d0a7e-7a4e-4a52-9d38-4f2f0f0a3b11","username":"ada","email":"ada@example.com","emailVerified":true,
            "enabled":false,"firstName":"Ada","lastName":"Lovelace","attributes":{"locale":["de"],"tier":["gold"]},
            "credentials":[{"type":"password",
            "secretData":"{\"value\":\"GpDXs43Pv1yzzx3LK8LzSX9hyoDFpp2q5IJQHLRqXHM=\",\"salt\":\"c2FsdHNhbHRzYWx0c2FsdA==\",\"additionalParameters\":{}}",
            "credentialData":"{\"hashIterations\":27500,\"algorithm\":\"pbkdf2-sha256\",\"additionalParameters\":{}}"},
            {"type":"otp","secretData":"{\"value\":\"WWDKgdbDe8ycuLmT0kVH\"}",
            "credentialData":"{\"subType\":\"totp\",\"digits\":6,\"counter\":0,\"period\":30,\"algorithm\":\"HmacSHA1\"}"}],
            "requiredActions":["UPDATE_PASSWORD"],"federatedIdentities":[{"identityProvider":"google","userId":"117","userName":"a"}],
            "groups":["/staff"]}
            """#, .keycloak)
        #expect(pbkdf2.line["externalId"]?.string == "8c7d0a7e-7a4e-4a52-9d38-4f2f0f0a3b11")
        #expect(
            pbkdf2.line["passwordHash"]?.string
                == "$pbkdf2-sha256$i=27500$c2FsdHNhbHRzYWx0c2FsdA==$GpDXs43Pv1yzzx3LK8LzSX9hyoDFpp2q5IJQHLRqXHM=")
        #expect(pbkdf2.line["totpSecret"]?.string == Base32.encode(Array("WWDKgdbDe8ycuLmT0kVH".utf8)))
        #expect(pbkdf2.line["disabled"]?.bool == true && pbkdf2.line["passwordExpired"]?.bool == true)
        #expect(pbkdf2.line["locale"]?.string == "de" && pbkdf2.line["givenName"]?.string == "Ada")
        #expect(pbkdf2.line["identities"]?.array?.first?.object?["subject"]?.string == "117")
        #expect(pbkdf2.ignored.sorted() == ["attributes.tier", "groups"])

        let argon2 = try line(
            #"""
            {"username":"bob","credentials":[{"type":"password",
            "secretData":"{\"value\":\"GpDXs43Pv1yzzx3LK8LzSX9hyoDFpp2q5IJQHLRqXHM=\",\"salt\":\"c2FsdHNhbHRzYWx0c2FsdA==\",\"additionalParameters\":{}}",
            "credentialData":"{\"hashIterations\":5,\"algorithm\":\"argon2\",\"additionalParameters\":{\"hashLength\":[\"32\"],\"memory\":[\"7168\"],\"type\":[\"id\"],\"version\":[\"1.3\"],\"parallelism\":[\"1\"]}}"}]}
            """#, .keycloak)
        #expect(argon2.line["passwordHash"]?.string?.hasPrefix("$argon2id$v=19$m=7168,t=5,p=1$") ?? false)
    }

    @Test(
        "Keycloak's phone number is read, in both spellings, and confirmed only if the export says so",
        arguments: [
            (#"{"phoneNumber":["+359 2 123 4567"],"phoneNumberVerified":["true"]}"#, true),
            (#"{"phone_number":["+35921234567"],"phone_number_verified":["true"]}"#, true),
            (#"{"phoneNumber":["+35921234567"],"phoneNumberVerified":["false"]}"#, false),
            (#"{"phoneNumber":["+35921234567"],"phone_number":["+35927"],"phone_number_verified":["true"]}"#, false),
        ])
    func keycloakPhone(attributes: String, isVerified: Bool) throws {
        let user = try line(
            #"""
            {"id":"0d2b9f86-5a5c-4c43-8a0e-0f6f7b5f3f0e","username":"ada","firstName":"Ada","lastName":"Lovelace",
            "email":"ada@example.com","emailVerified":true,"attributes":\#(attributes),"createdTimestamp":1709548800000,
            "enabled":true,"totp":false,"credentials":[],"disableableCredentialTypes":[],"requiredActions":[],
            "realmRoles":["default-roles-shop"],"notBefore":0,"groups":[]}
            """#, .keycloak)
        let person = try ImportedPerson(user.line)
        #expect(person.phone == "+35921234567" && person.profile.isPhoneVerified == isVerified)
        #expect(user.ignored == ["realmRoles"])
    }

    @Test("Keycloak's confirmation without a number is left alone; a number that is not international is a fault")
    func keycloakPhoneFaults() throws {
        let alone = try line(#"{"username":"ada","attributes":{"phoneNumberVerified":["true"]}}"#, .keycloak)
        #expect(alone.line["phoneVerified"] == nil)
        let fault = #expect(throws: MalformedValue.self) {
            try line(#"{"username":"ada","attributes":{"phoneNumber":["030 123"]}}"#, .keycloak)
        }
        #expect(fault?.field == "phone")
    }

    @Test("Auth0's imports and its export of hashes are read, with identities and authenticator apps")
    func auth0() throws {
        let user = try line(
            #"""
            {"user_id":"5f7c8ec7c33c6c004bbafe82","email":"ada@example.com","email_verified":true,"name":"ada@example.com",
            "given_name":"Ada","blocked":true,"password_hash":"$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "identities":[{"provider":"auth0","user_id":"5f"},{"provider":"google-oauth2","user_id":"117","isSocial":true}],
            "mfa_factors":[{"totp":{"secret":"JBSWY3DPEHPK3PXPJBSWY3DP"}},{"phone":{"value":"+15551230"}}],"app_metadata":{"plan":"x"}}
            """#, .auth0)
        #expect(user.line["externalId"]?.string == "auth0|5f7c8ec7c33c6c004bbafe82")
        #expect(user.line["name"] == nil && user.line["disabled"]?.bool == true)
        #expect(user.line["identities"]?.array?.count == 1)
        #expect(user.line["totpSecret"]?.string == "JBSWY3DPEHPK3PXPJBSWY3DP")
        #expect(user.ignored.sorted() == ["app_metadata", "mfa_factors.phone"])

        let hash = try line(
            #"""
            {"_id":{"$oid":"5f7c"},"email":"bob@example.com","email_verified":false,
            "passwordHash":"$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW","tenant":"t",
            "connection":"c"}
            """#,
            .auth0)
        #expect(hash.line["externalId"]?.string == "auth0|5f7c")

        let custom = try line(
            #"""
            {"email":"cyd@example.com","custom_password_hash":{"algorithm":"scrypt",
            "hash":{"value":"fdbabe1c9d3472007856e7190d01e9fe","encoding":"hex","cost":1024,"blockSize":8,
            "parallelization":16},"salt":{"value":"NaCl","encoding":"utf8"}}}
            """#,
            .auth0)
        #expect(custom.line["passwordHash"]?.string == "$scrypt$ln=1024,r=8,p=16$TmFDbA$_bq-HJ00cgB4VucZDQHp_g")
        #expect(throws: AccountImport.Refusal.self) {
            try line(
                #"{"email":"e@example.com","custom_password_hash":{"algorithm":"md5","hash":{"value":"x"}}}"#, .auth0)
        }
    }

    @Test("attack: Auth0's connections of one strategy are different providers, since each has subjects of its own")
    func auth0Connections() throws {
        let text =
            #"""
            {"user_id":"oidc|corp-a|1001","email":"ada@example.com","identities":[
            {"provider":"oidc","connection":"corp-a","user_id":"1001"},
            {"provider":"oidc","connection":"corp-b","user_id":"1001"},
            {"provider":"auth0","connection":"Username-Password-Authentication","user_id":"5f"}]}
            """#
        func providers(_ mapping: [String: String]) throws -> [String?]? {
            var options = ImportOptions()
            options.providers = mapping
            return try line(text, .auth0, options).line["identities"]?.array?.map { $0.object?["provider"]?.string }
        }
        #expect(try providers([:]) == ["corp-a", "corp-b"])
        #expect(try providers(["corp-a": "a", "corp-b": ""]) == ["a"])
        #expect(try providers(["oidc": "a"]) == ["corp-a", "corp-b"])
    }

    @Test("Firebase's export needs the project's parameters, and is read with them")
    func firebase() throws {
        let text =
            #"""
            {"localId":"UWsM1","email":"ada@example.com","emailVerified":true,
            "passwordHash":"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
            "salt":"42xEC+ixf3L2lw==","phoneNumber":"+359212345678","providerUserInfo":[{"providerId":"google.com",
            "rawId":"117"},{"providerId":"password","rawId":"ada@example.com"}],"disabled":false}
            """#
        let missing = #expect(throws: AccountImport.Refusal.self) { try line(text, .firebase) }
        #expect(missing?.faults.map(\.isGeneral) == [true])
        var options = ImportOptions()
        options.firebase = try ImportOptions.Firebase(
            """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: 14,
            }
            """)
        options.providers = ["google.com": "google"]
        let user = try line(text, .firebase, options)
        #expect(user.line["username"]?.string == "ada@example.com" && user.line["phoneVerified"]?.bool == true)
        #expect(user.line["identities"]?.array?.compactMap { $0.object?["provider"]?.string } == ["google"])
        #expect(
            user.line["passwordHash"]?.string?.hasPrefix("$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrf") ?? false)
        #expect(throws: MalformedValue.self) { try ImportOptions.Firebase("hash_config { rounds: 8 }") }
    }

    @Test(
        "Kratos' identities are read with the usual traits, verified addresses, hashes, identities and authenticator apps"
    )
    func kratos() throws {
        let identity = try line(
            #"""
            {"id":"9f425a8d-7efc-4768-8f23-7647a74fdf13","schema_id":"default","state":"inactive",
            "traits":{"email":"ada@example.com","name":{"first":"Ada","last":"Lovelace"},"tier":"gold"},
            "verifiable_addresses":[{"value":"ada@example.com","verified":true,"via":"email"}],
            "credentials":{"password":{"type":"password","identifiers":["ada@example.com"],
            "config":{"hashed_password":"$argon2id$v=19$m=65536,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$GpDXs43Pv1yzzx3LK8LzSX9hyoDFpp2q5IJQHLRqXHM"}},
            "oidc":{"config":{"providers":[{"provider":"google","subject":"117"}]}},
            "totp":{"config":{"totp_url":"otpauth://totp/x:ada?algorithm=SHA1&digits=6&issuer=x&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DP"}},
            "webauthn":{"config":{}}}}
            """#, .kratos)
        #expect(identity.line["emailVerified"]?.bool == true && identity.line["disabled"]?.bool == true)
        #expect(identity.line["givenName"]?.string == "Ada" && identity.line["familyName"]?.string == "Lovelace")
        #expect(identity.line["totpSecret"]?.string == "JBSWY3DPEHPK3PXPJBSWY3DP")
        #expect(identity.line["identities"]?.array?.count == 1)
        #expect(identity.ignored.sorted() == ["credentials.webauthn", "traits.tier"])
    }

    @Test(
        "attack: a person whose only second factors cannot be imported signs in with the password alone only if the operator says so",
        arguments: [
            (Exported.keycloak(#"{"type":"webauthn"}"#), "credentials of the type webauthn"),
            (Exported.keycloak(#"{"type":"recovery-authn-codes"}"#), "credentials of the type recovery-authn-codes"),
            (Exported.keycloak(#"{"type":"mobile-number"}"#), "credentials of the type mobile-number"),
            (
                Exported.keycloak(
                    #"""
                    {"type":"otp","secretData":"{\"value\":\"WWDKgdbDe8ycuLmT0kVH\"}","credentialData":"{\"subType\":\"hotp\",\"digits\":6}"}
                    """#), "authenticator app"
            ),
            (
                Exported.kratos(#""webauthn":{"config":{"credentials":[{"id":"a","is_passwordless":false}]}}"#),
                "webauthn"
            ),
            (Exported.kratos(#""webauthn":{"identifiers":["ada"]}"#), "webauthn"),
            (Exported.kratos(#""lookup_secret":{"config":{"recovery_codes":[{"code":"a"}]}}"#), "lookup_secret"),
            (Exported.kratos(#""totp":{"identifiers":["1"]}"#), "include_credential=totp"),
            (
                Exported.kratos(#""totp":{"config":{"totp_url":"otpauth://totp/x?digits=8&secret=JBSWY3DP"}}"#),
                "authenticator app"
            ),
            (
                (
                    #"{"username":"ada","passwordHash":"\#(Exported.bcrypt)","mfa_factors":[{"phone":{"value":"+15551230"}}]}"#,
                    .auth0
                ), "mfa_factors.phone"
            ),
            (
                (#"{"username":"ada","passwordHash":"\#(Exported.bcrypt)","multifactor":["guardian"]}"#, .auth0),
                "multifactor.guardian"
            ),
            (
                (
                    #"{"localId":"ada","mfaInfo":[{"phoneInfo":"+1555"}],"providerUserInfo":[{"providerId":"google","rawId":"1"}]}"#,
                    .firebase
                ),
                "mfaInfo"
            ),
        ] as [((String, ImportFormat), String)])
    func lostFactors(person: (text: String, format: ImportFormat), factor: String) throws {
        let refusal = #expect(throws: AccountImport.Refusal.self) { try line(person.text, person.format) }
        let reason = try #require(refusal?.faults.first?.reason)
        #expect(reason.hasPrefix("the second factor cannot be imported"), "\(reason)")
        #expect(reason.contains(factor) && reason.contains("--without-second-factors"), "\(reason)")
        var options = ImportOptions()
        options.areSecondFactorsLeftOut = true
        let converted = try line(person.text, person.format, options)
        #expect(converted.isWithoutSecondFactor)
        #expect(converted.ignored.contains { $0.contains(factor) }, "\(converted.ignored)")
    }

    @Test(
        "A person with another second factor, or with a passkey in place of the password, is imported with a remark",
        arguments: [
            (Exported.keycloak(#"{"type":"webauthn-passwordless"}"#), "credentials of the type webauthn-passwordless"),
            (Exported.kratos(#""passkey":{"config":{}}"#), "credentials.passkey"),
            (
                Exported.kratos(#""webauthn":{"config":{"credentials":[{"is_passwordless":true}]}}"#),
                "credentials.webauthn"
            ),
            (Exported.kratos(#""lookup_secret":{"config":{}},\#(Exported.totp)"#), "credentials.lookup_secret"),
            (Exported.kratos(#""webauthn":{"config":{}}"#, password: ""), "credentials.webauthn"),
        ] as [((String, ImportFormat), String)])
    func remark(person: (text: String, format: ImportFormat), ignored: String) throws {
        let converted = try line(person.text, person.format)
        #expect(converted.ignored == [ignored])
        #expect(!converted.isWithoutSecondFactor)
    }

    @Test(
        "attack: a user name that is an e-mail address is the account's own email, and no one takes another's",
        arguments: [
            (#"{"username":"eve@example.com","email":"ada@example.com"}"#, ImportFormat.keycloak),
            (#"{"username":"eve@example.com"}"#, .keycloak),
            (#"{"username":"\uFF45ve\uFF20example.com","email":"ada@example.com"}"#, .keycloak),
            (#"{"user_id":"auth0|1","username":"eve@example.com","email":"ada@example.com"}"#, .auth0),
            (#"{"id":"1","traits":{"username":"eve@example.com","email":"ada@example.com"}}"#, .kratos),
        ])
    func othersAddress(text: String, format: ImportFormat) throws {
        let refusal = #expect(throws: AccountImport.Refusal.self) { try line(text, format) }
        #expect(refusal?.faults.map { $0.reason.hasPrefix("username is an e-mail address") } == [true])
    }

    @Test("A user name may be the account's own email, in any case of its letters")
    func ownAddress() throws {
        let own = try line(#"{"username":"ada@example.com","email":"Ada@Example.com"}"#, .keycloak)
        #expect(own.line["username"]?.string == "ada@example.com")
    }

    @Test("A file is cut into accounts wherever its parts end, with the line of each")
    func cut() {
        let lines = units("{\"a\":1}\n\n{\"b\":\"}\\n\"}\r\n{\"c\":3}", .lines)
        #expect(texts(lines.0) == ["1 {\"a\":1}", "3 {\"b\":\"}\\n\"}\r", "4 {\"c\":3}"])
        let document = units(
            "{\n\"realm\":\"x\",\"roles\":[{\"users\":[{}]}],\n\"users\":[{\"a\":[{\"]\":\"\\\"\"}]},\n7,{\"b\":2}\n]}",
            .array(member: "users"))
        #expect(texts(document.0) == ["3 {\"a\":[{\"]\":\"\\\"\"}]}", "4 noObject", "4 {\"b\":2}"])
        #expect(document.1 == .whole)
        #expect(texts(units("[{\"a\":1},{\"b\":2}]", .array(member: nil)).0) == ["1 {\"a\":1}", "1 {\"b\":2}"])
        #expect(units("[{\"a\":1},{\"b\"", .array(member: nil)).1 == .cut)
        #expect(units("{\"a\":[]}", .array(member: "users")).1 == .noAccounts)
    }

    @Test(
        "A form that cannot be the file's is refused for the likely one, and one that reads it alike is taken",
        arguments: [
            (#"{"externalId":"7","username":"ada","passwordHash":"x"}"#, ImportFormat.keycloak, ImportFormat.lines),
            (#"{"username":"ada","email":"ada@example.com"}"#, .keycloak, nil),
            (#"{"email":"ada@example.com","name":"Ada"}"#, .auth0, nil),
            (#"{"id":"1","username":"ada","enabled":true,"credentials":[]}"#, .lines, .keycloak),
            (#"{"realm":"shop","users":[{"username":"ada","enabled":true}]}"#, .lines, .keycloak),
            ("{\"id\":\"x\",\n\"realm\":\"shop\",\"users\":[", .lines, .keycloak),
            (#"{"localId":"1","email":"ada@example.com"}"#, .keycloak, .firebase),
            (#"{"id":"1","schema_id":"p","traits":{"email":"ada@example.com"}}"#, .kratos, nil),
        ] as [(String, ImportFormat, ImportFormat?)])
    func otherForm(text: String, named: ImportFormat, likely: ImportFormat?) {
        #expect(named.conflict(with: Array(text.utf8)) == likely)
    }

    @Test("Accounts of an array on one line are named by their number")
    func numbered() {
        let found = units("[{\"a\":1},7,{\"b\":2}]", .array(member: nil)).0
        #expect(found.map(\.number) == [1, 2, 3] && found.map(\.line) == [1, 1, 1])
    }

    @Test("attack: an endless line is dropped as it comes, and the next one is read")
    func tooLong() {
        let text = "{\"a\":\"" + String(repeating: "x", count: 2 * ImportSplitter.longest) + "\"}\n{\"b\":1}\n"
        #expect(texts(units(text, .lines, parts: 4096).0) == ["1 tooLong", "2 {\"b\":1}"])
        let array = "[" + text.dropLast(9) + ",{\"b\":1}]"
        #expect(texts(units(array, .array(member: nil), parts: 4096).0) == ["1 tooLong", "1 {\"b\":1}"])
    }

    @Test(
        "A file is recognized where it can be only one, and not otherwise",
        arguments: [
            (#"{"username":"ada","passwordHash":"x"}"#, ImportFormat.lines),
            (#"{"username":"ada","colour":"red","identities":[{"provider":"id","subject":"1"}]}"#, .lines),
            (#"{"username":"ada","colour":"red","identities":[{"provider":"id","user_id":"1"}]}"#, nil),
            (#"[{"id":"1","username":"ada","enabled":true,"credentials":[]}]"#, .keycloak),
            ("{\n  \"id\" : \"x\",\n  \"realm\" : \"wallet\",", .keycloak),
            (#"{"user_id":"auth0|1","email":"a@example.com"}"#, .auth0),
            (#"[{"email":"a@example.com","email_verified":true}]"#, .auth0),
            (#"{"_id":{"$oid":"1"},"email":"a@example.com","passwordHash":"x"}"#, .auth0),
            ("{\"users\": [\n{\n  \"localId\": \"x\",", .firebase), (#"{"users":[{"localId":"x"}]}"#, .firebase),
            (#"[{"id":"1","schema_id":"default","traits":{}}]"#, .kratos),
            ("{\"identities\":[{\"id\":\"1\",", .kratos), (#"{"mail":"a@example.com"}"#, nil), ("name,email\n", nil),
            ("", nil),
        ] as [(String, ImportFormat?)])
    func detected(beginning: String, format: ImportFormat?) {
        #expect(ImportFormat.detect(Array((beginning + "\n").utf8)) == format)
        #expect(ImportFormat.detect(Array(beginning.utf8)) == format)
    }
}

/// Accounts with second factors, as the former systems export them.
private enum Exported {
    private static let password =
        #"""
        {"type":"password","secretData":"{\"value\":\"GpDXs43Pv1yzzx3LK8LzSX9hyoDFpp2q5IJQHLRqXHM=\",\"salt\":\"c2FsdHNhbHRzYWx0c2FsdA==\"}","credentialData":"{\"hashIterations\":27500,\"algorithm\":\"pbkdf2-sha256\"}"}
        """#
    static let bcrypt = "$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    static func keycloak(_ credential: String) -> (String, ImportFormat) {
        (#"{"username":"ada","credentials":[\#(password),\#(credential)]}"#, .keycloak)
    }

    static func kratos(_ credentials: String, password: String = bcrypt) -> (String, ImportFormat) {
        (
            #"""
            {"id":"1","traits":{"username":"ada"},"credentials":{"password":{"config":{"hashed_password":"\#(password)"}},\#(credentials)}}
            """#, .kratos
        )
    }

    static let totp =
        #""totp":{"config":{"totp_url":"otpauth://totp/x:ada?digits=6&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DP"}}"#
}
