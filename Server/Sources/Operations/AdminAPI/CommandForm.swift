internal import ArgumentParser
internal import Synchronization
internal import WalletAuthWire

/// What a command takes over HTTP: its options as swift-argument-parser declares them, by their names in camel case.
///
/// Options that use the terminal or files of the machine are left out, but for the one whose content the request brings. The words are built
/// so that no value becomes an option.
struct CommandForm: Sendable {
    struct Member: Sendable {
        enum Kind: Sendable, Hashable {
            case positional
            case option
            case flag
            /// What the option reads: a secret, or a file.
            case input
        }

        let name: String
        let kind: Kind
        /// On the command line, without its dashes.
        let option: String
        /// The flag that says no; `nil` if leaving it out does.
        var negation: String?
        let isRequired: Bool
        let isRepeated: Bool
        let choices: [String]
        let isNumber: Bool
        /// Whether the input is a JSON object, and not a text.
        var isDocument = false
        /// The word that asks for the input.
        var inputWord = ""
    }

    let title: String
    private(set) var members: [Member]
    /// Whether the answers come in pages.
    let paging: (option: String, member: String)?

    /// The member for the place of a page, in requests and answers.
    static let cursor = "cursor"

    /// Of the commands that were asked for. The parser needs long to describe one, and the API and the console offer the same.
    private static let read = Mutex<[ObjectIdentifier: CommandForm]>([:])

    /// The form of a command.
    /// - Throws: `MalformedValue` if the parser describes its options in another way than this reads.
    static func of(_ command: any AdminCommand.Type) throws -> CommandForm {
        let id = ObjectIdentifier(command)
        if let form = read.withLock({ $0[id] }) { return form }
        let form = try CommandForm(command)
        read.withLock { $0[id] = form }
        return form
    }

    private init(_ command: any AdminCommand.Type) throws {
        title = command.title
        paging = command.paging
        let help = Array(command.describedOptions.utf8)
        let document = try JSONValue.object(parsing: help, limits: JSONLimits(bytes: help.count))
        guard let arguments = document["command"]?.object?["arguments"]?.array else {
            throw MalformedValue(field: title, reason: "has no description of its options")
        }
        let isRequired = command is any CommandWithInput.Type
        let declared = arguments.compactMap(\.object).compactMap { argument in
            Member.option(of: argument) == command.inputOption && command.inputOption != nil
                ? Member(input: argument, isRequired: isRequired) : Member(argument)
        }
        let negations = Set(declared.filter { $0.kind == .flag }.map(\.option))
        members = declared.filter { $0.option != command.paging?.option }
        for index in members.indices where members[index].kind == .flag {
            let negation = "no-" + members[index].option
            if negations.contains(negation) { members[index].negation = negation }
        }
        let negating = Set(members.compactMap(\.negation))
        members.removeAll { $0.kind == .flag && negating.contains($0.option) }
    }
}

extension CommandForm.Member {
    /// Flags of every command, and those about questions of the terminal and lists that it follows.
    private static let local: Set = ["help", "version", "json", "follow", "yes"]
    private static let numbers: Set = ["number", "seconds", "days"]

    fileprivate static func option(of argument: JSONObject) -> String? {
        argument["preferredName"]?.object?["name"]?.string ?? argument["valueName"]?.string
    }

    /// The content of a file, or what `--…-stdin` reads.
    fileprivate init?(input argument: JSONObject, isRequired: Bool) {
        guard let option = Self.option(of: argument) else { return nil }
        let suffix = "-stdin"
        let isFlag = argument["kind"]?.string == "flag"
        name = Self.camelCase(option.hasSuffix(suffix) ? String(option.dropLast(suffix.count)) : option)
        (kind, self.option, self.isRequired) = (.input, option, isRequired)
        (isRepeated, choices, isNumber) = (false, [], false)
        let extensions = argument["completionKind"]?.object?["file"]?.object?["extensions"]?.array ?? []
        isDocument = extensions.contains(.string("json"))
        inputWord = isFlag ? "--\(option)" : "--\(option)=\(name)"
    }

    /// `nil` for an option that makes sense only on the server's machine, or that is hidden.
    fileprivate init?(_ argument: JSONObject) {
        guard let declared = argument["kind"]?.string, argument["shouldDisplay"]?.bool != false,
            let option = Self.option(of: argument), !Self.local.contains(option), !option.hasSuffix("-stdin")
        else { return nil }
        let completion = argument["completionKind"]?.object
        guard completion?["file"] == nil, completion?["directory"] == nil else { return nil }
        switch declared {
        case "positional": kind = .positional
        case "option": kind = .option
        case "flag": kind = .flag
        default: return nil
        }
        self.option = option
        name = Self.camelCase(option)
        isRequired = argument["isOptional"]?.bool == false
        isRepeated = argument["isRepeating"]?.bool ?? false
        choices = completion?["list"]?.object?["values"]?.strings ?? []
        isNumber = Self.numbers.contains(argument["valueName"]?.string ?? "")
    }

    /// `--redirect-uri` is `redirectUri`, as in the answers.
    private static func camelCase(_ option: String) -> String {
        let parts = option.split(separator: "-")
        return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    var shape: WireShape {
        if kind == .flag { return .truth }
        if isDocument { return .object(WireObject(members: [], isOpen: true)) }
        let one: WireShape = choices.isEmpty ? isNumber ? .integer() : .text(nil) : .choice(choices)
        return isRepeated ? .array(one) : one
    }
}

extension CommandForm {
    /// The members as `/openapi.json` describes them.
    var described: [WireObject.Member] {
        members.map { $0.isRequired ? .required($0.name, $0.shape) : .optional($0.name, $0.shape) }
            + (paging == nil ? [] : [.optional(Self.cursor, .text(nil))])
    }

    /// A request as the command line would send it.
    /// - Parameters:
    ///   - request: without a cursor.
    ///   - page: the opened cursor.
    /// - Throws: `MalformedValue` that names the member.
    func command(_ request: JSONObject, page: String? = nil) throws(MalformedValue) -> AdminRequest {
        let known = Set(members.map(\.name))
        if let other = request.names.first(where: { !known.contains($0) }) {
            throw MalformedValue(
                field: Self.shown(other),
                reason: "is not a member; known: \(described.map(\.name).joined(separator: ", "))")
        }
        var options: [String] = []
        var values: [String] = []
        var input: String?
        var missing: String?
        for member in members {
            guard let value = request[member.name] else {
                if member.isRequired { throw MalformedValue(field: member.name, reason: "is missing") }
                if member.kind == .positional { missing = missing ?? member.name }
                continue
            }
            switch member.kind {
            case .flag:
                let isSet = try member.truth(value)
                if isSet { options.append("--" + member.option) }
                if !isSet, let negation = member.negation { options.append("--" + negation) }
            case .input:
                options.append(member.inputWord)
                input = try member.content(value)
            case .option: options += try member.texts(value).map { "--\(member.option)=\($0)" }
            case .positional:
                if let missing { throw MalformedValue(field: missing, reason: "is missing") }
                values += try member.texts(value)
            }
        }
        if let page, let paging { options.append("--\(paging.option)=\(page)") }
        let words = title.split(separator: " ").map(String.init) + options + (values.isEmpty ? [] : ["--"] + values)
        return AdminRequest(words, input: input)
    }

    /// Any other name could deceive the reader.
    private static func shown(_ name: String) -> String {
        let isShort = (1...64).contains(name.utf8.count)
        return isShort && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") } ? name : "request"
    }
}

extension CommandForm.Member {
    /// A query has texts only.
    fileprivate func truth(_ value: JSONValue) throws(MalformedValue) -> Bool {
        switch value {
        case .bool(let truth): return truth
        case .string("true"): return true
        case .string("false"): return false
        default: throw MalformedValue(field: name, reason: "is neither true nor false")
        }
    }

    fileprivate func content(_ value: JSONValue) throws(MalformedValue) -> String {
        if isDocument {
            guard let document = value.object else { throw MalformedValue(field: name, reason: "is not an object") }
            return String(decoding: document.bytes, as: UTF8.self)
        }
        guard let text = value.string else { throw MalformedValue(field: name, reason: "is not a text") }
        guard !text.isEmpty else { throw MalformedValue(field: name, reason: "is empty") }
        return text
    }

    fileprivate func texts(_ value: JSONValue) throws(MalformedValue) -> [String] {
        if isRepeated, let values = value.array {
            var texts: [String] = []
            for value in values { texts.append(try text(value)) }
            return texts
        }
        return [try text(value)]
    }

    private func text(_ value: JSONValue) throws(MalformedValue) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        default:
            throw MalformedValue(field: name, reason: isRepeated ? "is not a list of texts" : "is not a text")
        }
    }
}

extension AdminCommand {
    /// As JSON.
    fileprivate static var describedOptions: String { _dumpHelp() }
}
