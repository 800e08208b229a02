@_spi(Reflection) import Swift
import Testing

@testable import HTTP
@testable import Web

@Suite("The names in page templates")
struct TemplateNameTests {
    @Test("Templates name only what their pages have, and pages have only what templates name")
    func features() throws {
        var names = try TemplateNames(pieces: PageTemplate.shared + Features.pieces)
        for page in SharedPages.all + Features.pages { try names.walk(page) }
        #expect(names.wrong.isEmpty, "\(names.wrong)")
        #expect(names.unused.isEmpty, "\(names.unused)")
    }

    @Test("A name that the page does not have, one that is no text, and a property that no template names are found")
    func faults() throws {
        struct Page: PageValues {
            struct Row: Encodable {
                let label: String
                let note: String?
            }

            let rows: [Row]
            let isOpen: Bool
            let forgotten: String?

            static let template = PageTemplate(
                "page",
                "{{#rows}}{{label}}{{other}}{{rows}}{{/rows}}{{label}}{{#isOpen}}{{isOpen}}{{/isOpen}}{{row.label}}")
        }
        var names = try TemplateNames(pieces: [])
        try names.walk(Page.self)
        #expect(names.wrong == ["page: other", "page: rows", "page: label", "page: isOpen", "page: row.label"])
        let unused = names.unused.filter { $0.hasPrefix("Page.") || $0.hasPrefix("Row.") }
        #expect(unused == ["Page.forgotten", "Row.note"])
    }
}

/// Follows the names in templates through the types of the values.
private struct TemplateNames {
    private indirect enum Node {
        case variable(String)
        case section(String, [Node])
        case piece(String)
        case block(String, [Node])
        case layout(String, [Node])
    }

    private(set) var wrong: [String] = []
    private let pieces: [String: [Node]]
    private var template = ""
    /// The properties of each type: what they hold, and whether a template names them.
    private var properties: [ObjectIdentifier: [String: (content: Any.Type, owner: String, isUsed: Bool)]] = [:]

    init(pieces: [PageTemplate]) throws {
        self.pieces = try Dictionary(
            uniqueKeysWithValues: pieces.map { ($0.name, try Self.nodes(of: $0.text)) })
    }

    /// The properties that no template names.
    var unused: [String] {
        properties.values.flatMap { type in type.filter { !$0.value.isUsed }.map { "\($0.value.owner).\($0.key)" } }
            .sorted()
    }

    mutating func walk(_ page: any PageValues.Type) throws {
        template = page.template.name
        add(PageFrame.self)
        add(page)
        try walk(try Self.nodes(of: page.template.text), in: [PageFrame.self, page], [:])
    }

    private mutating func add(_ type: Any.Type) {
        let id = ObjectIdentifier(type)
        guard type != String.self, type != Bool.self, properties[id] == nil else { return }
        var found: [String: (content: Any.Type, owner: String, isUsed: Bool)] = [:]
        _ = _forEachField(of: type) { name, _, field, _ in
            found[String(cString: name)] = (Self.content(of: field), "\(type)", false)
            return true
        }
        properties[id] = found
        for property in found.values { add(property.content) }
    }

    /// The type in an optional or an array.
    private static func content(of type: Any.Type) -> Any.Type {
        (type as? any Wrapping.Type).map { content(of: $0.content) } ?? type
    }

    private mutating func walk(_ nodes: [Node], in scopes: [Any.Type], _ blocks: [String: [Node]]) throws {
        for node in nodes {
            switch node {
            case .variable("."): break
            case .variable(let name):
                if content(of: name, in: scopes) != String.self { wrong.append("\(template): \(name)") }
            case .section(let name, let inner):
                guard let content = content(of: name, in: scopes) else {
                    wrong.append("\(template): \(name)")
                    continue
                }
                let isPlain = content == String.self || content == Bool.self
                try walk(inner, in: isPlain ? scopes : scopes + [content], blocks)
            case .piece(let name): try walk(#require(pieces[name], "\(name)"), in: scopes, blocks)
            case .block(let name, let inner): try walk(blocks[name] ?? inner, in: scopes, [:])
            case .layout(let name, let inner):
                var own: [String: [Node]] = [:]
                for case .block(let name, let nodes) in inner { own[name] = nodes }
                try walk(#require(pieces[name], "\(name)"), in: scopes, own)
            }
        }
    }

    /// What a name holds, from the innermost struct that has its first part; `nil` if none has.
    private mutating func content(of name: String, in scopes: [Any.Type]) -> Any.Type? {
        var scopes = scopes[...]
        var found: Any.Type?
        for part in name.split(separator: ".").map(String.init) {
            guard let owner = scopes.last(where: { properties[ObjectIdentifier($0)]?[part] != nil }) else { return nil }
            properties[ObjectIdentifier(owner)]?[part]?.isUsed = true
            found = properties[ObjectIdentifier(owner)]?[part]?.content
            scopes = found.map { [$0] } ?? []
        }
        return found
    }

    private static func nodes(of text: String) throws -> [Node] {
        var tags = text.matches(of: /\{\{([#^\/<$>]?) ?([A-Za-z.]+)\}\}/).map { (String($0.1), String($0.2)) }[...]
        let count = text.ranges(of: "{{").count
        #expect(tags.count == count, "a tag has another form: \(text)")
        return nodes(&tags)
    }

    /// The nodes up to the end of the section.
    private static func nodes(_ tags: inout ArraySlice<(String, String)>) -> [Node] {
        var nodes: [Node] = []
        while let (kind, name) = tags.popFirst() {
            switch kind {
            case "/": return nodes
            case ">": nodes.append(.piece(name))
            case "$": nodes.append(.block(name, Self.nodes(&tags)))
            case "<": nodes.append(.layout(name, Self.nodes(&tags)))
            case "#", "^": nodes.append(.section(name, Self.nodes(&tags)))
            default: nodes.append(.variable(name))
            }
        }
        return nodes
    }
}

private protocol Wrapping {
    static var content: Any.Type { get }
}

extension Optional: Wrapping {
    static var content: Any.Type { Wrapped.self }
}

extension Array: Wrapping {
    static var content: Any.Type { Element.self }
}
