import Testing

@Suite("Commands that nothing undoes")
struct IrreversibleCommandTests {
    @Test(
        "Without a terminal to ask in, what nothing undoes runs only with --yes, and an unknown name is refused first")
    func erase() async throws {
        try await withServer { server in
            try await server.require(["account", "create", "ada"])
            let unasked = try await server.administer(["account", "erase", "ada"])
            #expect(unasked.ending == .exited(1))
            #expect(unasked.errors.contains("cannot be undone"), "\(unasked.errors)")
            #expect(unasked.errors.contains("--yes"), "\(unasked.errors)")
            try await server.require(["account", "show", "ada"])
            let unknown = try await server.administer(["account", "erase", "grace"])
            #expect(unknown.errors.contains("There is no account"), "\(unknown.errors)")
            let key = try await server.administer(["keys", "revoke", "nosuch"])
            #expect(key.errors.contains("has the id nosuch") && !key.errors.contains("--yes"), "\(key.errors)")
            let issuer = try await server.administer(["database", "change-issuer", "https://id.example.com"])
            #expect(issuer.ending == .exited(1) && issuer.errors.contains("--yes"), "\(issuer.errors)")
            try await server.require(["account", "erase", "ada", "--yes"])
            #expect(try await server.administer(["account", "show", "ada"]).ending == .exited(1))
        }
    }
}
