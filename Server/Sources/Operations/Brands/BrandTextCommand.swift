internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

struct BrandText: AdminCommand {
    static let title = "brand text"
    static let access = CommandAccess.reading([.developer, .auditor], changing: [.developer])
    static let abstract = "Show, set or remove a text that a brand has in place of the program's."
    static let discussion = """
        Without --key, the brand's own texts are listed, or with --all every text that it may have. With --key, --text \
        sets the text of a language and --remove returns to the program's. A text keeps the placeholders of the one that it replaces, such as {client}. It \
        applies to pages, e-mails and SMS of the brand.
        """

    @Argument(help: "The brand id, as it appears in URLs.")
    var id: String

    @Option(
        help: ArgumentHelp("The language: \(Language.listed).", valueName: "code"),
        completion: .list(Language.allCases.map(\.rawValue).sorted()))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "The name of the text: section and key, such as pages.signInLead.",
            valueName: "name"),
        completion: .list(Self.names.map(\.description)))
    var key: String?

    @Flag(help: "List every text that a brand may replace, in --language or English.")
    var all = false

    @Option(help: "The brand's text, in plain characters.")
    var text: String?

    @Flag(help: "Show the program's text again.")
    var remove = false

    var target: CommandTarget { .brand(id) }

    var effect: CommandEffect { text == nil && !remove ? .reads : .changes }

    var loggedTitle: String { Self.title + (text == nil ? remove ? " --remove" : "" : " --text") }

    func checkRequest() throws {
        guard text == nil || !remove else { throw ValidationError("use either --text or --remove") }
        guard !all || (key == nil && text == nil && !remove) else {
            throw ValidationError("--all needs no --key, --text or --remove")
        }
        guard all || (key == nil) == (language == nil) else {
            throw ValidationError("use --key and --language together")
        }
        guard key != nil || effect == .reads else { throw ValidationError("--text and --remove need a --key") }
    }

    func execute(in brands: BrandAdministration) async throws -> AdministrationAnswer {
        let language = try language.map { tag in
            guard let language = Language(rawValue: tag) else {
                throw MalformedValue(
                    field: "language",
                    reason: "is not one of \(Language.listed)")
            }
            return language
        }
        if all { return try await brands.listAllTexts(of: id, Self.names, in: language ?? .english) }
        guard let key, let language else { return try await brands.listTexts(of: id) }
        let name = try name(of: key)
        if remove { return try await brands.changeText(of: id, name, in: language, to: nil) }
        guard !name.isOfErrorPage else {
            throw MalformedValue(field: "key", reason: "names a text of error pages, which belong to no brand")
        }
        guard let text else { return try await brands.showText(of: id, name, in: language) }
        return try await brands.changeText(of: id, name, in: language, to: text)
    }

    /// The texts of the program that a brand may replace.
    private static let names = TextName.replaceable.filter { !$0.isOfErrorPage }

    private func name(of key: String) throws -> TextName {
        do throws(MalformedValue) {
            let name = try TextName(key)
            // A text may be removed although the program no longer has its key.
            if !remove { try name.requireReplaceable() }
            return name
        } catch {
            guard error == TextName.unknown else { throw error }
            let near = Self.names.filter { $0.isNear(key) }.prefix(3).map(\.description)
            throw AdministrationRefusal(
                "There is no text \(key)." + (near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"),
                hint: "`walletauth brand text \(CommandLineSyntax.quoted(id)) --all` lists all names.",
                code: "malformed")
        }
    }
}

extension TextName {
    fileprivate var isOfErrorPage: Bool {
        section == PageText.section && PageText.unbranded.contains { $0.rawValue == key }
    }

    /// Whether a mistyped name may mean this one: without its section, or one slip away.
    fileprivate func isNear(_ typed: String) -> Bool {
        typed.split(separator: ".").last?.lowercased() == key.lowercased()
            || Spelling.edits(from: typed, to: description) <= 2
    }
}

extension BrandAdministration {
    private func texts(of id: String) async throws -> BrandTexts {
        guard let brand = try await database.read({ try Brands.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("brand", id)
        }
        return try BrandProfile(json: brand.settings).texts ?? BrandTexts()
    }

    fileprivate func listTexts(of id: String) async throws -> AdministrationAnswer {
        let texts = try await texts(of: id)
        return .list(
            "texts", columns: ["LANGUAGE", "KEY", "TEXT"],
            texts.all.map { language, name, text in
                let isShown = texts.isShown(name, in: language)
                var json = JSONObject(strings: ["language": language.rawValue, "key": name.description, "text": text])
                json["shown"] = .bool(isShown)
                let cells = [
                    language.rawValue, name.description, isShown ? text : "\(text) (not shown: set or remove it)",
                ]
                return (cells, json)
            }, empty: "Brand \(id) has no texts of its own.")
    }

    fileprivate func listAllTexts(
        of id: String, _ names: [TextName], in language: Language
    ) async throws -> AdministrationAnswer {
        let texts = try await texts(of: id)
        return .list(
            "texts", columns: ["KEY", "TEXT"],
            names.map { name in
                let own = texts[name, language]
                var json = JSONObject(strings: ["key": name.description, "language": language.rawValue])
                json.set("text", own)
                json.set("programText", name.text(in: language))
                return ([name.description, own ?? name.text(in: language)], json)
            }, empty: "The program has no texts.")
    }

    fileprivate func showText(
        of id: String, _ name: TextName, in language: Language
    ) async throws -> AdministrationAnswer {
        let text = try await texts(of: id)[name, language]
        var json = JSONObject(strings: ["language": language.rawValue, "key": name.description])
        json.set("text", text)
        json.set("programText", name.text(in: language))
        return .facts([("brand", text ?? "none of its own"), ("program", name.text(in: language))], json)
    }

    /// - Parameter text: `nil` removes the brand's.
    fileprivate func changeText(
        of id: String, _ name: TextName, in language: Language, to text: String?
    ) async throws -> AdministrationAnswer {
        var details = JSONObject(strings: ["brand": id, "language": language.rawValue, "key": name.description])
        details.set("text", text)
        let entry = try auditLog.administration(
            AdministrationEvent.brandChanged, details: details, now: clock.now())
        let isWritten = try await database.write { connection in
            guard let brand = try Brands.find(id, on: connection) else { return false }
            var look = try BrandProfile(json: brand.settings)
            var texts = look.texts ?? BrandTexts()
            if let text {
                try texts.set(text, for: name, in: language)
            } else {
                guard texts[name, language] != nil else { throw AdministrationRefusal.notFound("text", "\(name)") }
                texts.remove(name, in: language)
            }
            look.texts = texts.isEmpty ? nil : texts
            guard try Brands.update(id, name: brand.name, settings: try look.json(), on: connection) else {
                return false
            }
            try entry.write(on: connection)
            return true
        }
        guard isWritten else { throw AdministrationRefusal.notFound("brand", id) }
        let action = text == nil ? "removed" : "set"
        return .done("Text \(name) of brand \(id) \(action) in \(language.rawValue).", details)
    }
}
