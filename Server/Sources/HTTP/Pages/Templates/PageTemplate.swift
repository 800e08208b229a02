import Mustache

/// The templates of the pages: Mustache text in Swift source, so that the program is a single file.
enum PageTemplate: String, CaseIterable, Sendable {
    case signIn
    case account
    case consent
    case fault
    case formPost
    case continuation
    case outbox
    case transaction
    case appleSignIn
    case appleConsole

    var source: String {
        switch self {
        case .signIn: Self.signInText
        case .account: Self.accountText
        case .consent: Self.consentText
        case .fault: Self.faultText
        case .formPost: Self.formPostText
        case .continuation: Self.continuationText
        case .outbox: Self.outboxText
        case .transaction: Self.transactionText
        case .appleSignIn: Self.appleSignInText
        case .appleConsole: Self.appleConsoleText
        }
    }
}

struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// A template that does not parse. It prevents the start, so that visitors never find a broken page.
    struct Fault: Error, CustomStringConvertible {
        let template: String
        let reason: String

        var description: String { "The page template \(template) is broken: \(reason)" }
    }

    /// - Throws: ``Fault`` with the template and the error.
    init() throws(Fault) {
        var sources = [("layout", PageTemplate.layoutText)] + PageTemplate.pieces
        sources += PageTemplate.allCases.map { ($0.rawValue, $0.source) }
        try self.init(sources: sources)
    }

    /// Parses the given templates. Each can include the others by name.
    init(sources: [(name: String, text: String)]) throws(Fault) {
        HTMLEscaping.register()
        var library = MustacheLibrary()
        for (name, text) in sources {
            do {
                try library.register(HTMLEscaping.pragma + text, named: name)
            } catch {
                throw Fault(template: name, reason: "\(error)")
            }
        }
        self.library = library
    }

    func render(_ template: PageTemplate, _ values: [String: Any]) -> String {
        library.render(values, withTemplate: template.rawValue) ?? ""
    }
}

/// Escapes the content of a page, scalar by scalar.
///
/// The template engine compares grapheme clusters. To it, a quotation mark with a combining accent is a different
/// character and is not escaped, which is enough to end an attribute and start a new one. Browsers read scalars, so
/// this code does too.
struct HTMLEscaping: MustacheContentType {
    private static let name = "HTML_SCALARS"

    /// Prepended to every template, so that none can forget it.
    static let pragma = "{{% CONTENT_TYPE:\(name)}}"

    static func register() {
        MustacheContentTypes.register(HTMLEscaping(), named: name)
    }

    func escapeText(_ text: String) -> String {
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
}
