internal import Mustache

/// The template of a page, or a piece that others include: Mustache text in Swift source, so that the program is a single file.
package struct PageTemplate: Sendable {
    /// Others include it by this name.
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}

/// The values of a page: a struct whose properties its template names, next to it.
///
/// Properties are texts, truth values, further structs, arrays of them, and optionals of all these. A test compares them with the names in
/// the template, both ways.
package protocol PageValues: Encodable, SendableMetatype {
    static var template: PageTemplate { get }
}

package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// A template that does not parse. It prevents the start, so that visitors never find a broken page.
    package struct Fault: Error, CustomStringConvertible {
        package let template: String
        package let reason: String

        package var description: String { "The page template \(template) is broken: \(reason)" }
    }

    /// - Parameters:
    ///   - pages: of the features; those of every feature are added.
    ///   - pieces: the templates that theirs include; the layout and other shared ones are added.
    /// - Throws: ``Fault`` with the template and the error.
    package init(pages: [any PageValues.Type], pieces: [PageTemplate] = []) throws(Fault) {
        HTMLEscaping.register()
        var library = MustacheLibrary()
        for template in PageTemplate.shared + pieces + (SharedPages.all + pages).map({ $0.template }) {
            do {
                try library.register(HTMLEscaping.pragma + template.text, named: template.name)
            } catch {
                throw Fault(template: template.name, reason: "\(error)")
            }
        }
        self.library = library
    }

    package func render<Page: PageValues>(_ page: Page, in frame: PageFrame) -> String {
        library.render(TemplateValues(page, in: TemplateValues(frame)), withTemplate: Page.template.name) ?? ""
    }
}

/// Escapes the content of a page, scalar by scalar.
///
/// The template engine compares grapheme clusters. To it, a quotation mark with a combining accent is a different
/// character and is not escaped, which is enough to end an attribute and start a new one. Browsers read scalars, so
/// this code does too.
package struct HTMLEscaping: MustacheContentType {
    private static let name = "HTML_SCALARS"

    /// Prepended to every template, so that none can forget it.
    package static let pragma = "{{% CONTENT_TYPE:\(name)}}"

    package static func register() {
        MustacheContentTypes.register(HTMLEscaping(), named: name)
    }

    package func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: Self.isEscaped) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 16)
        // Byte by byte equals scalar by scalar here: no byte of a longer UTF-8 sequence is below 0x80.
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            case UInt8(ascii: "`"): escaped += "&#96;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "`"):
            true
        default: false
        }
    }
}
