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
