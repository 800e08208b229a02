internal import Kernel
internal import Store
internal import Web

/// The brands among which an operator of all brands chooses, by name or id.
struct ConsoleBrands: Sendable {
    /// A server with more brands than these offers the first ones, and finds the others by their ids.
    private static let most = 200

    private let known: [BrandRecord]

    init(in database: any Database) async throws {
        known = try await database.read { try Brands.list(limit: Self.most, on: $0) }
    }

    /// The id of the brand that was typed; `nil` if there is none, or if several have the name.
    func id(typed text: String) -> String? {
        if known.contains(where: { $0.id == text }) { return text }
        let named = known.filter { $0.name.lowercased() == text.lowercased() }
        if named.count == 1 { return named.first?.id }
        return named.isEmpty && known.count == Self.most ? text : nil
    }

    /// What names a brand in the field: its name, or its id if others have the name.
    func label(of id: String) -> String {
        guard let brand = known.first(where: { $0.id == id }) else { return id }
        return self.id(typed: brand.name) == id ? brand.name : id
    }

    var choices: [ConsoleValues.BrandField.Choice] { known.map { .init(choice: label(of: $0.id), name: $0.name) } }
}
