import Testing
import WalletAuthWire
import Web

@testable import Loyalty

@Suite("Messages of the loyalty API")
struct LoyaltyMessageTests {
    private let token = #"""
        {"authentication":"b2b","grant_type":"http://paytronix.com/oauth/fieldset","merchantId":10101010,
         "scope":"user_read account_read","fields":{"externalIdentifier":"integration",
         "externalAccessToken":"code","externalAccountCode":"001234.0a1b.0456"}}
        """#
    private let enrollment = #"""
        {"authentication":"b2b","merchantId":10101010,"cardTemplateCode":0,"activationStoreCode":"pxweb",
         "enforceUniqueFields":["username"],"setUserFields":{"style":"typed","username":"testUsername",
         "password":"testPassword"},"setAccountFields":{"style":"typed","externalAccounts":[
         {"accountCode":"eyJhbGciOiJSUzI1NiJ9.e30.AAAA","integration":"integration","accessToken":"code",
         "externalNonce":"nonce-1"}]}}
        """#

    private func object(_ text: String) throws -> JSONObject { try JSONValue.object(parsing: Array(text.utf8)) }

    /// The failure of a body in which one text replaces another.
    private func failure<Message>(
        of body: String, _ old: String, _ new: String, _ read: (JSONObject) throws -> Message
    ) throws -> LoyaltyFailure? {
        let changed = body.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != body)
        do {
            _ = try read(object(changed))
            return nil
        } catch let failure as LoyaltyFailure { return failure }
    }

    @Test("A request by user fields is read as it was sent")
    func tokenRequest() throws {
        let request = try GuestTokenRequest(object(token))
        #expect(request.merchantID == 10_101_010)
        #expect(request.scope?.rawValue == "user_read account_read")
        guard case .fields(let account) = request.grant else {
            Issue.record("no fields: \(String(describing: request.grant))")
            return
        }
        #expect(account.integration.rawValue == "integration")
        #expect(account.code == .subject("001234.0a1b.0456"))
        #expect(account.accessToken.reveal() == "code")
    }

    @Test("Passwords, codes and refresh tokens are read from the request itself")
    func otherGrants() throws {
        let password = try GuestTokenRequest(
            object(
                #"{"authentication":"b2b","grant_type":"password","merchantId":1,"username":"ada","password":"secret"}"#
            ))
        #expect(password.grant == .password(username: "ada", try Password("secret")))
        let refresh = try GuestTokenRequest(
            object(#"{"authentication":"b2b","grant_type":"refresh_token","merchantId":1,"refresh_token":"wrt_1"}"#))
        #expect(refresh.grant == .refreshToken(try RefreshToken("wrt_1")))
        let verifier = String(repeating: "v", count: 43)
        let code = try GuestTokenRequest(
            object(
                #"{"authentication":"b2b","grant_type":"authorization_code","merchantId":1,"code":"wac_1","#
                    + #""redirect_uri":"https://shop.example.com/login","code_verifier":"\#(verifier)"}"#))
        #expect(
            try code.grant
                == .authorizationCode(
                    AuthorizationCode("wac_1"), redirectURI: RedirectURI("https://shop.example.com/login"),
                    CodeVerifier(verifier)))
    }

    @Test("An enrollment is read as it was sent, the name as typed and mapped, and values in arrays of one as well")
    func enrollmentRequest() throws {
        let request = try LoyaltyEnrollmentRequest(object(enrollment))
        #expect(request.username.rawValue == "testusername")
        #expect(request.cardTemplateCode == 0)
        #expect(request.externalAccount.code == .token(try IDToken("eyJhbGciOiJSUzI1NiJ9.e30.AAAA")))
        #expect(request.externalAccount.nonce?.rawValue == "nonce-1")
        #expect(try LoyaltyEnrollmentRequest(request.json) == request)
        #expect(try LoyaltyEnrollmentRequest(request.json).username.typed == "testUsername")
        let listed = enrollment.replacing(#""testUsername""#, with: #"["testUsername"]"#)
        #expect(try LoyaltyEnrollmentRequest(object(listed)) == request)
    }

    private let form = #"""
        "firstName":["Ada"],"lastName":"Lovelace","email":"ada@example.com","mobilePhone":"514-299-1649",
        "address1":"12 St. James's Square","address2":" ","city":"London","stateProvince":null,"postalCode":"SW1Y 4JH",
        "country":"GB","dateOfBirth":"1815-12-10","language":"en_GB","username":
        """#

    @Test("The fields of an enrollment form are read in both styles, and empty ones are left out")
    func enrollmentForm() throws {
        let old = enrollment.replacing(#""username":"#, with: form)
        #expect(throws: LoyaltyFailure.fields([LoyaltyFieldError("dateOfBirth", .invalid)])) {
            try LoyaltyEnrollmentRequest(object(old))
        }
        let body = old.replacing("1815-12-10", with: "1915-12-10")
        let request = try LoyaltyEnrollmentRequest(object(body))
        let profile = request.profile
        #expect(profile.firstName == "Ada" && profile.lastName == "Lovelace")
        #expect(profile.email?.rawValue == "ada@example.com")
        #expect(profile.mobilePhone == "514-299-1649")
        #expect(profile.address1 == "12 St. James's Square" && profile.city == "London")
        #expect(profile.address2 == nil && profile.stateProvince == nil)
        #expect(profile.postalCode == "SW1Y 4JH" && profile.country == "GB")
        #expect(profile.dateOfBirth?.rawValue == "1915-12-10")
        #expect(profile.language?.rawValue == "en-GB")
        #expect(try LoyaltyEnrollmentRequest(request.json) == request)
        #expect(!"\(profile)".contains("Lovelace"))

        let strings = body.replacing(#"["Ada"]"#, with: #""Ada""#).replacing(#""typed""#, with: #""string""#)
        #expect(try LoyaltyEnrollmentRequest(object(strings)) == request)
        let listed = body.replacing(#""typed""#, with: #""string""#)
        #expect(throws: LoyaltyFailure.field("firstName", .invalid)) { try LoyaltyEnrollmentRequest(object(listed)) }
    }

    @Test("Each field of a form that is not valid is named with its reason, and the message says them in words")
    func invalidForm() throws {
        let values = #"""
            "firstName":"a\u202eb","lastName":7,"city":"\#(String(repeating: "x", count: 101))","email":"ada",
            "dateOfBirth":"2023-02-29","language":"English (UK)","country":["GB","US"],"username":
            """#
        do {
            _ = try LoyaltyEnrollmentRequest(object(enrollment.replacing(#""username":"#, with: values)))
            Issue.record("the form was accepted")
        } catch let failure as LoyaltyFailure {
            #expect(
                failure.fields == [
                    LoyaltyFieldError("firstName", .invalid), LoyaltyFieldError("lastName", .invalid),
                    LoyaltyFieldError("city", .tooLong), LoyaltyFieldError("country", .exactlyOne),
                    LoyaltyFieldError("email", .invalid), LoyaltyFieldError("dateOfBirth", .invalid),
                    LoyaltyFieldError("language", .invalid),
                ])
            #expect(failure.message.contains("city is too long; country must have exactly one value;"))
        }
        for date in ["2024-02-29", "1999-12-31"] { #expect(try DateOfBirth(date).rawValue == date) }
        for date in [
            "1900-02-29", "2024-2-1", "12/31/1999", "2024-13-01", "2024-00-10", "1899-01-01", "２０２４-01-01", "",
        ] {
            #expect(throws: MalformedValue.self, "\(date)") { try DateOfBirth(date) }
        }
    }

    @Test("attack: two values for one field, and fields that are not a client's to set, are refused by name")
    func fields() throws {
        let read = { (object: JSONObject) in try LoyaltyEnrollmentRequest(object) }
        func fields(_ old: String, _ new: String) throws -> [LoyaltyFieldError]? {
            try failure(of: enrollment, old, new, read)?.fields
        }
        #expect(try fields(#""testUsername""#, #"["a","b"]"#) == [LoyaltyFieldError("username", .exactlyOne)])
        #expect(try fields(#""testUsername""#, #""ad a""#) == [LoyaltyFieldError("username", .invalid)])
        #expect(try fields(#""testUsername""#, "7") == [LoyaltyFieldError("username", .invalid)])
        #expect(
            try fields(#""password":"testPassword""#, #""password":null"#) == [LoyaltyFieldError("password", .required)]
        )
        #expect(try fields(#""typed","username""#, #""loose","username""#) == [LoyaltyFieldError("style", .invalid)])
        #expect(
            try fields(#""username":"t"#, #""emailVerified":true,"isAdmin":1,"username":"t"#)
                == [LoyaltyFieldError("emailVerified", .notAccepted), LoyaltyFieldError("isAdmin", .notAccepted)])
        #expect(
            try fields(#""integration":"#, #""subject":"x","integration":"#)
                == [LoyaltyFieldError("subject", .notAccepted)])
        #expect(
            try fields(#""externalAccounts":["#, #""externalAccounts":[{},"#)
                == [LoyaltyFieldError("externalAccounts", .exactlyOne)])
        #expect(
            try fields(#"["username"]"#, #"["email"]"#) == [LoyaltyFieldError("enforceUniqueFields", .notAccepted)])
    }

    @Test("attack: a member that is missing, unknown or of another type is a malformed request")
    func malformed() throws {
        let read = { (object: JSONObject) in try GuestTokenRequest(object) }
        for (old, new) in [
            ("10101010", #""10101010""#), ("10101010", "1.5"), (#""merchantId":10101010,"#, ""),
            (#""scope""#, #""client_secret":"x","scope""#), (#""fields""#, #""field""#),
            (#""http://paytronix.com/oauth/fieldset""#, #""password""#),
        ] {
            #expect(try failure(of: token, old, new, read)?.code == .invalidRequest, "\(old) \(new)")
        }
        #expect(try failure(of: token, "b2b", "anonymous", read)?.code == .unsupportedAuthentication)
        #expect(try failure(of: token, "fieldset", "other", read)?.code == .unsupportedGrantType)
        let doubled = token.replacing(#""scope""#, with: #""merchantId":2,"scope""#)
        #expect(throws: MalformedValue.self) { try object(doubled) }
    }

    @Test("A failure is written with its fields; every code has a name under a service")
    func failures() throws {
        let failure = LoyaltyFailure(
            .invalidFields,
            fields: [LoyaltyFieldError("password", .tooCommon), LoyaltyFieldError("password", .tooShort)])
        #expect(
            String(decoding: failure.json.bytes, as: UTF8.self)
                == #"{"result":"failure","errorCode":"authentication.invalid_fields","#
                + #""errorMessage":"A field is not accepted.","#
                + #""errorsByField":{"password":["too_common","too_short"]}}"#)
        let services = ["authentication", "one_time_password"]
        #expect(
            LoyaltyErrorCode.allCases.allSatisfy { services.contains($0.rawValue.prefix { $0 != "." }.description) })
    }

    @Test("Answers have the members that clients expect, and no print shows a secret of theirs")
    func answers() throws {
        let tokens = GuestTokens(
            accessToken: try AccessToken("access"), expiresIn: 300, refreshToken: try RefreshToken("refresh"),
            scope: try Scope("user_read"), username: "ada")
        let token = GuestTokenResponse(tokens: tokens)
        let members =
            #""access_token":"access","token_type":"bearer","expires_in":300,"refresh_token":"refresh","#
            + #""scope":"user_read","username":"ada""#
        #expect(String(decoding: token.bytes, as: UTF8.self) == #"{"result":"success",\#(members)}"#)
        let enrolled = LoyaltyEnrollmentResponse(accountID: 213_736_109, tokens: tokens)
        #expect(
            String(decoding: enrolled.bytes, as: UTF8.self)
                == #"{"result":"cardCreatedSuccess","accountId":213736109,"oauthTokens":{\#(members)}}"#)
        for secret in ["access\"", "refresh\""] { #expect(!"\(token) \(enrolled)".contains(secret)) }
    }
}
