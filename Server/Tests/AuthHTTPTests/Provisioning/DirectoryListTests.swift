import Testing
import WalletAuthWire

@testable import Operations

@Suite("Lists that a directory asks for", .covers("SCIM 2.0 (RFC 7643, RFC 7644)"))
struct DirectoryListTests {
    @Test("A list that an index does not lead to runs alone, and one for a few accounts runs with others")
    func scans() throws {
        for (filter, cursor, isScan) in [
            (nil, nil, true), (nil, "", false), ("userName eq \"ada\"", nil, false),
            ("emails eq \"ada@example.com\" or externalId eq \"7\"", nil, false),
            ("userName eq \"ada\" and displayName co \"a\"", nil, false), ("userName sw \"a\"", nil, true),
            ("displayName co \"a\"", nil, true), ("active eq true", "", true),
            ("userName eq \"ada\" or active eq true", nil, true),
        ] as [(String?, String?, Bool)] {
            var body = JSONObject()
            body.set("filter", filter)
            body.set("cursor", cursor)
            #expect(UserSearch.isScan(try ListRequest(body, of: .user)) == isScan, "\(filter ?? "")")
        }
    }

    @Test("A list of groups runs alone unless it names their ids or a member")
    func groups() throws {
        for (filter, isScan) in [
            (nil, true), ("displayName eq \"Bakery\"", true), ("id eq \"bakery\"", false),
            ("externalId eq \"7\" or members.value eq \"7\"", false),
            ("members[value eq \"7\"] and displayName sw \"a\"", false), ("members pr", true),
        ] as [(String?, Bool)] {
            var body = JSONObject()
            body.set("filter", filter)
            #expect(GroupSearch.isScan(try ListRequest(body, of: .group)) == isScan, "\(filter ?? "")")
        }
    }
}
