internal import Kernel
internal import Store
internal import WalletAuthWire

extension Administration {
    /// One page of a brand's user names. There may be millions: `after` is the last name of the previous page.
    func listAccounts(brand: String?, after: String?, limit: Int) async throws -> AdministrationAnswer {
        let brand = try BrandID(brand ?? BrandSettings.defaultBrand).rawValue
        let after = try after.map { try Username($0).rawValue } ?? ""
        let limit = try Self.accountsPerPage(limit)
        // One more than is shown reveals whether there is another page.
        let found = try await context.database.read { connection in
            guard try Brands.find(brand, on: connection) != nil else {
                throw AdministrationRefusal.notFound("brand", brand)
            }
            return try Accounts.list(brand: brand, after: after, limit: limit + 1, on: connection)
        }
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last?.name : nil
        var members = JSONObject()
        members.set("next", next)
        return .list(
            "accounts", columns: ["USERNAME", "ACCOUNT", "STATE", "PASSWORD", "LAST SIGN-IN"],
            page.map(row), empty: after.isEmpty ? "No accounts." : "No accounts after \(after).", with: members,
            then: next.map { ["There are more: --after \(CommandLineSyntax.quoted($0))"] } ?? [])
    }

    private func row(of entry: NamedAccount) -> AdministrationAnswer.Row {
        let account = entry.account
        var json = JSONObject()
        json.set("username", entry.typed)
        json.set("accountId", account.id.uuid)
        json.set("brand", account.brandID)
        json.set("state", account.state.rawValue)
        json.set("passwordState", account.passwordState.rawValue)
        json.set("createdAt", account.createdAt.text)
        json.set("lastLoginAt", account.lastLoginAt?.text)
        let cells = [
            entry.typed, account.id.uuid, account.state.rawValue, account.passwordState.rawValue,
            account.lastLoginAt?.text ?? "never",
        ]
        return (cells, json)
    }
}
