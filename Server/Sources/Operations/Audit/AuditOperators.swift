internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The operators whose calls are among some entries, by the names that they have now.
struct AuditOperators: Sendable {
    private struct Named: Sendable {
        let name: String
        let brand: String
    }

    private static let nameMember = "operatorUsername"
    private static let brandMember = "operatorBrand"

    private let found: [UniqueID: Named]

    init(of records: [UnverifiedEvent], in database: any Database) async throws {
        let ids = Set(records.compactMap(Self.id))
        guard !ids.isEmpty else {
            found = [:]
            return
        }
        found = try await database.read { connection in
            var found: [UniqueID: Named] = [:]
            for id in ids {
                guard let account = try Accounts.find(id, on: connection),
                    let name = try Accounts.names(of: id, on: connection).first
                else { continue }
                found[id] = Named(name: name, brand: account.brandID)
            }
            return found
        }
    }

    func name(of record: UnverifiedEvent) -> String? { named(record)?.name }

    /// An entry's members, with those of its operator.
    func named(_ json: JSONObject, of record: UnverifiedEvent) -> JSONObject {
        var json = json
        json.set(Self.nameMember, named(record)?.name)
        json.set(Self.brandMember, named(record)?.brand)
        return json
    }

    /// The user name of the operator of an entry, as the caller sees it.
    static func name(in entry: JSONObject) -> String? { entry[nameMember]?.string }

    /// An answer as an operator of one brand sees it: operators of other brands have only their ids.
    static func reached(by grant: OperatorGrant, _ answer: JSONObject) -> JSONObject {
        guard grant.brand != nil, let entries = answer["entries"]?.array else { return answer }
        var answer = answer
        answer["entries"] = .array(
            entries.map { entry in
                guard var entry = entry.object, let brand = entry[brandMember]?.string, !grant.reaches(brand: brand)
                else { return entry }
                entry[nameMember] = nil
                entry[brandMember] = nil
                return .object(entry)
            })
        return answer
    }

    private func named(_ record: UnverifiedEvent) -> Named? { Self.id(of: record).flatMap { found[$0] } }

    private static func id(of record: UnverifiedEvent) -> UniqueID? {
        guard record.entry.kind.hasPrefix("operator.") else { return nil }
        let details = try? JSONValue.object(parsing: Array(record.details.utf8))
        return details?["operator"]?.string.flatMap { UniqueID(uuid: $0) }
    }
}
