import Foundation

/// A form as a browser without script sees it.
struct HTMLForm: Sendable {
    let action: URL
    let fields: [(name: String, value: String)]

    init(action: URL, fields: [(name: String, value: String)]) {
        self.action = action
        self.fields = fields
    }

    /// Reads the first form of a page; nothing where there is none.
    init?(html: String, at page: URL) {
        guard let open = html.firstMatch(of: /<form\b([^>]*)>/.ignoresCase()) else { return nil }
        let rest = html[open.range.upperBound...]
        let body = rest.firstRange(of: "</form>").map { rest[..<$0.lowerBound] } ?? rest
        let attributes = Self.attributes(of: open.output.1)
        let target = attributes["action"] ?? page.absoluteString
        guard let action = URL(string: target, relativeTo: page)?.absoluteURL else { return nil }
        self.action = action

        var fields: [(String, String)] = []
        var pressed = false
        for tag in body.matches(of: /<(input|button)\b([^>]*)>/.ignoresCase()) {
            let attributes = Self.attributes(of: tag.output.2)
            // Does nothing without script.
            if attributes["type"] == "button" { continue }
            let isButton = tag.output.1.lowercased() == "button" || attributes["type"] == "submit"
            // A person presses one button: the first.
            if isButton && pressed { continue }
            if isButton { pressed = true }
            guard let name = attributes["name"], attributes["disabled"] == nil else { continue }
            if attributes["type"] == "checkbox" && attributes["checked"] == nil { continue }
            fields.append((name, attributes["value"] ?? ""))
        }
        self.fields = fields
    }

    private static func attributes(of tag: Substring) -> [String: String] {
        var found: [String: String] = [:]
        for match in tag.matches(of: /([A-Za-z\-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/) {
            let value = match.output.2 ?? match.output.3 ?? match.output.4 ?? ""
            found[match.output.1.lowercased()] = unescaped(String(value))
        }
        return found
    }

    /// The five named references of HTML and any numeric one: all that templates emit.
    private static func unescaped(_ text: String) -> String {
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        return text.replacing(/&(?:#([0-9]+)|#[xX]([0-9A-Fa-f]+)|([a-z]+));/) { match in
            let code = match.output.1.flatMap { UInt32($0) } ?? match.output.2.flatMap { UInt32($0, radix: 16) }
            if let scalar = code.flatMap(Unicode.Scalar.init) { return String(scalar) }
            return match.output.3.flatMap { named[String($0)] } ?? String(match.output.0)
        }
    }
}
