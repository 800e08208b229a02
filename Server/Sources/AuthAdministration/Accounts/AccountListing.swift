internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    /// In user names.
    private static let pageSizes = 1...1000
    private static let usualPageSize = 100

    /// One page of a brand's user names. There may be millions: `after` is the last name of the previous page.
    func listAccounts(brand: String?, after: String?, limit: Int?) async throws -> AdministrationAnswer {
        let brand = try BrandID(brand ?? BrandSettings.defaultBrand).rawValue
        let after = try after.map { try Username($0).rawValue } ?? ""
        let limit = limit ?? Self.usualPageSize
        guard Self.pageSizes.contains(limit) else {
            throw AdministrationRefusal(
                "--limit must be from \(Self.pageSizes.lowerBound) to \(Self.pageSizes.upperBound).",
                code: "malformed")
        }
        // One more than is shown reveals whether there is another page.
        let found = try await context.database.read { connection in
            guard try Brands.find(brand, on: connection) != nil else {
                throw AdministrationRefusal.notFound("brand", brand)
            }
            return try Accounts.list(brand: brand, after: after, limit: limit + 1, on: connection)
        }
        let page = found.prefix(limit)
        var answer = AdministrationAnswer.list(
            "accounts", columns: ["USERNAME", "ACCOUNT", "STATE", "PASSWORD", "LAST SIGN-IN"],
            page.map(row), empty: after.isEmpty ? "No accounts." : "No accounts after \(after).")
        guard found.count > limit, let last = page.last else { return answer }
        var json = try JSONValue.object(parsing: Array(answer.json.utf8))
        json.set("next", last.name)
        answer.json = JSONValue.object(json).text
        answer.lines.append("There are more: --after \(CommandLineSyntax.quoted(last.name))")
        return answer
    }

    private func row(of entry: NamedAccount) -> AdministrationAnswer.Row {
        let account = entry.account
        var json = JSONObject()
        json.set("username", entry.name)
        json.set("accountId", account.id.uuid)
        json.set("brand", account.brandID)
        json.set("state", account.state.rawValue)
        json.set("passwordState", account.passwordState.rawValue)
        json.set("createdAt", account.createdAt.text)
        json.set("lastLoginAt", account.lastLoginAt?.text)
        let cells = [
            entry.name, account.id.uuid, account.state.rawValue, account.passwordState.rawValue,
            account.lastLoginAt?.text ?? "never",
        ]
        return (cells, json)
    }
}
