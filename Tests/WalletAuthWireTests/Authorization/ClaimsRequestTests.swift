import Testing
import WalletAuthWire

@Suite("Claims that are asked for one by one")
struct ClaimsRequestTests {
    private func fault(_ text: String) -> String? {
        do throws(MalformedValue) {
            _ = try ClaimsRequest(text)
            return nil
        } catch { return error.description }
    }

    @Test func `Claims are read with their values, and unknown ones are ignored`() throws {
        let claims = try ClaimsRequest(
            """
            {"userinfo":{"name":{"essential":true},"nickname":7,"https://claims.example/x":null},
             "id_token":{"email":null,"acr":{"essential":true,"values":["a","b"]},"sub":{"value":"ada"}},"other":7}
            """)
        #expect(claims.userInfo.keys.sorted() == ["name"])
        #expect(claims.userInfo["name"]?.isEssential == true)
        #expect(claims.requiredACR == ["a", "b"])
        #expect(claims.subject == "ada")
        #expect(claims.personInIDToken == ["email"])
        #expect(claims.scopes == ["email", "profile"])
    }

    @Test func `A class that is not essential is not required`() throws {
        #expect(try ClaimsRequest(#"{"id_token":{"acr":{"values":["a"]}}}"#).requiredACR == [])
    }

    @Test func `A sub or acr with a value that is no text is invalid_request, and null beside a value hides none`()
        throws
    {
        for value in ["7", "null", "true", "[]", "{}"] {
            for claim in ["sub", "acr"] {
                for text in [
                    #"{"id_token":{"\#(claim)":{"value":\#(value)}}}"#,
                    #"{"id_token":{"\#(claim)":{"essential":true,"values":["ada",\#(value)]}}}"#,
                    #"{"userinfo":{"\#(claim)":{"value":\#(value)}}}"#,
                ] { #expect(fault(text)?.hasPrefix("claims") == true, "\(text)") }
            }
        }
        for text in [
            #"{"id_token":{"sub":null},"userinfo":{"sub":{"value":"ada"}}}"#,
            #"{"id_token":{"sub":{"value":"ada"}},"userinfo":{"sub":null}}"#,
            #"{"id_token":{"sub":{"value":"ada"}},"userinfo":{"sub":{"values":["ada"]}}}"#,
        ] { #expect(try ClaimsRequest(text).subject == "ada", "\(text)") }
        // What decides nothing may have any value.
        #expect(try ClaimsRequest(#"{"id_token":{"email":{"value":7}}}"#).subject == nil)
    }

    @Test(arguments: [
        #"{"id_token":{"sub":{"value":"ada"}},"userinfo":{"sub":{"value":"grace"}}}"#,
        #"{"id_token":{"sub":{"values":["ada","grace"]}}}"#,
    ])
    func `Two persons of whom only one can sign in are a fault`(text: String) {
        #expect(fault(text)?.hasPrefix("claims.sub") == true)
    }

    @Test(arguments: [
        "", "7", "[]", #"{"userinfo":7}"#, #"{"id_token":{"email":7}}"#, #"{"id_token":{"email":{"essential":"yes"}}}"#,
        #"{"id_token":{"acr":{"value":"a","values":["a"]}}}"#, #"{"id_token":{"acr":{"values":"a"}}}"#,
        #"{"userinfo":{"name":null,"name":null}}"#, #"{"a":[[[[[]]]]]}"#,
        #"{"a":""# + String(repeating: "a", count: 4096) + #""}"#,
    ])
    func `What is malformed, huge, deep or doubled is refused`(text: String) {
        #expect(fault(text)?.hasPrefix("claims") == true)
    }
}
