/// The templates of all messages, by the name that a message's row stores.
package struct MessageCatalog: Sendable {
    private let templates: [String: MessageTemplate]

    package init(_ kinds: [any SecurityMessageKind]) {
        templates = Dictionary(kinds.map { ($0.rawValue, $0.template) }, uniquingKeysWith: { first, _ in first })
    }

    /// The template of a name; `nil` for a name that no flow declares.
    package subscript(name: String) -> MessageTemplate? { templates[name] }

    /// Every name, sorted.
    var names: [String] { templates.keys.sorted() }
}
