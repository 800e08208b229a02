internal import CEmbeddedFiles
internal import Synchronization
package import WalletAuthWire

/// The texts for people in one language. They are data, `Server/Resources/Texts`, which the build embeds in the program.
package struct TextCatalog: Sendable {
    /// The texts of each section, by key. A section within a section has a dotted name, such as `messages.email_code`.
    package private(set) var sections: [String: [String: String]] = [:]

    /// - Throws: `MalformedValue` if the file is not JSON, or has anything but texts and sections of texts.
    package init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let file = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: bytes.count, depth: 4))
        try add(file, as: "")
    }

    private init() {}

    private mutating func add(_ object: JSONObject, as section: String) throws(MalformedValue) {
        for member in object.members {
            switch member.value {
            case .string(let text): sections[section, default: [:]][member.name] = text
            case .object(let object): try add(object, as: section.isEmpty ? member.name : "\(section).\(member.name)")
            default: throw MalformedValue(field: member.name, reason: "is neither a text nor a section")
            }
        }
    }

    // Each is read when the first text in its language is needed: a server without visitors keeps none in memory.
    private static let read = Mutex<[Language: TextCatalog]>([:])

    /// The catalog of a language.
    package static func of(_ language: Language) -> TextCatalog {
        read.withLock { read in
            if let catalog = read[language] { return catalog }
            let catalog = (try? TextCatalog(parsing: file(of: language))) ?? TextCatalog()
            read[language] = catalog
            return catalog
        }
    }

    /// The file of a language, as it was at the build.
    package static func file(of language: Language) -> [UInt8] {
        let file =
            switch language {
            case .bulgarian: embedded_texts_bg()
            case .german: embedded_texts_de()
            case .english: embedded_texts_en()
            case .spanish: embedded_texts_es()
            case .french: embedded_texts_fr()
            }
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
