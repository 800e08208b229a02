import Testing

@Suite("Commands that nothing undoes")
struct IrreversibleCommandTests {
    @Test("Without a terminal to ask in, an account is erased only with --yes")
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
            try await server.require(["account", "erase", "ada", "--yes"])
            #expect(try await server.administer(["account", "show", "ada"]).ending == .exited(1))
        }
    }
}
