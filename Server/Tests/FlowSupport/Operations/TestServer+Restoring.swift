package import WalletAuthWire

@testable import Operations

extension TestServer {
    /// A backup of the database, of this moment.
    package func backup() async throws -> String {
        let copy = path("backup.db")
        try await administer(["database", "backup", "--to", copy])
        return copy
    }
}

extension TestShop {
    /// The same shop at a restored server, where Ada has signed in again.
    package func signedInAgain(at server: TestServer, methods: [String] = ["pwd"]) async throws -> TestShop {
        let app = device.app.client.at(server)
        return TestShop(
            server: server, client: client.at(server), account: account,
            device: try await TestDevice.signedIn(account, app, methods: methods))
    }

    /// Asks for an operation, agrees to it and carries it out.
    package func carryOut(_ operation: WalletOperation, _ id: String) async throws {
        server.clock.advance(by: .seconds(31))
        let event = try await required(operation, id: id)
        try await agree(to: event, id: id)
        _ = try await consume(operation, event: event, id: id).get()
    }
}
