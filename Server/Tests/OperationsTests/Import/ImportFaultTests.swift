import Testing
import WalletAuthWire

@testable import Operations

@Suite("What keeps accounts of a file out")
struct ImportFaultTests {
    @Test("All faults of a conversion are named, and those of a line as well, each member once")
    func allFaults() throws {
        let user = try JSONValue.object(
            parsing: Array(
                #"""
                {"username":"eve@example.com","credentials":[{"type":"webauthn"},{"type":"password",
                "secretData":"{\"value\":\"AAAA\",\"salt\":\"AAAA\"}","credentialData":"{\"hashIterations\":1,\"algorithm\":\"md5\"}"}]}
                """#.utf8))
        let converted = ImportFormat.keycloak.line(user, ImportOptions()).faults.map(\.reason)
        #expect(converted.count == 3, "\(converted)")
        for part in ["hashed by md5", "an e-mail address other than", "credentials of the type webauthn"] {
            #expect(converted.contains { $0.contains(part) }, "\(converted)")
        }
        let line = try JSONValue.object(
            parsing: Array(
                #"{"username":"ada","email":"x","emailVerified":true,"phone":"030","totpSecret":"1","colour":"red","size":7}"#
                    .utf8))
        let reading = ImportedLine.reading(line)
        let fields = reading.faults.map { $0.reason.prefix { $0 != " " } }
        #expect(Set(fields) == ["colour", "size", "email", "phone", "totpSecret"] && fields.count == 5, "\(fields)")
        #expect(reading.content != nil && reading.members.names == ["username"])
        let nameless = ImportedLine.reading(try JSONValue.object(parsing: Array(#"{"email":"x"}"#.utf8)))
        #expect(nameless.faults.count == 2 && nameless.content == nil, "\(nameless.faults)")
    }

    @Test("An account of Keycloak that belongs to a client is none of a person")
    func serviceAccount() throws {
        func isServiceAccount(_ text: String) throws -> Bool {
            let user = try JSONValue.object(parsing: Array(text.utf8))
            return ImportFormat.keycloak.line(user, ImportOptions()).isServiceAccount
        }
        let text = #"{"username":"service-account-shop","enabled":true,"serviceAccountClientId":"shop"}"#
        #expect(try isServiceAccount(text))
        #expect(try !isServiceAccount(#"{"username":"ada","enabled":true}"#))
    }
}
