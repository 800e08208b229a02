import Programs
import WalletAuthWire
import Yams

/// The parsed YAML file of `--config`: each setting in it, with its line.
struct ConfigurationFile {
    /// The text of a setting. The elements of a list are joined by commas.
    struct Entry {
        let text: String
        let line: Int?
    }

    let path: String
    /// By setting name; nil if the file is unusable.
    let entries: [String: Entry]?
    let faults: [Fault]

    /// More than any real configuration.
    private static let limit = 1024 * 1024

    /// - Parameter path: the path as given, for messages.
    init(path: String) {
        self.path = path
        do {
            let file = try ReadableFile.Opened(path)
            if let fault = Self.accessFault(file.status, path: path) {
                entries = nil
                faults = [fault]
                return
            }
            var reading = Reading(path: path)
            let (root, doubled) = try Self.compose(file.text(upTo: Self.limit), path: path)
            reading.visitRoot(root)
            faults = doubled + reading.faults
            entries = reading.isMapping ? reading.entries : nil
        } catch let error as ReadableFile.Unreadable {
            entries = nil
            faults = [
                Fault(
                    "the configuration file \(path) \(error.reason)",
                    error.remedy ?? "Use a readable file with \(Settings.config.flag), or leave it out")
            ]
        } catch {
            entries = nil
            faults = [Self.syntaxFault(error, path: path)]
        }
    }

    /// Why a readable file or pipe is not used: it can name commands, so anyone who can write it can run them as the
    /// server. Anyone may write to some devices, such as `/dev/null`, and only their owner decides what is read from them.
    ///
    /// The rule is the same in every environment, since the file could name another one.
    /// - Parameter status: of the open file. What its path leads to may have changed since.
    static func accessFault(_ status: FileStatus, path: String, for user: UInt32 = geteuid()) -> Fault? {
        guard status.owner == user || status.owner == 0 else {
            return Fault(
                "the configuration file \(path) belongs to user \(status.owner), who can change it, but this is user "
                    + "\(user)",
                "Make root, or the user who runs the server, its owner: it can name commands for the server to run")
        }
        guard status.kind == .file || status.kind == .pipe, status.isWritableByOthers else { return nil }
        return Fault(
            "the configuration file \(path) has mode \(status.octalMode), so others can change it",
            "chmod go-w \(path), and check what is in it: it can name commands for the server to run")
    }

    /// Parses the text. A duplicate key should not hide the file's other faults. Each one is recorded, and the parser
    /// runs again without the second occurrence and the lines under it.
    private static func compose(_ text: String, path: String) throws -> (root: Node?, doubled: [Fault]) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var doubled: [Fault] = []
        while true {
            do {
                return (try Yams.compose(yaml: lines.joined(separator: "\n")), doubled)
            } catch let error as YamlError {
                guard case .duplicatedKeysInMapping(let keys, let context) = error,
                    let repeated = keys.lazy.compactMap({ repetition(of: $0, in: lines, from: context.mark.line) })
                        .first
                else {
                    guard !doubled.isEmpty else { throw error }
                    return (nil, doubled + [syntaxFault(error, path: path)])
                }
                doubled.append(syntaxFault(error, path: path))
                for line in repeated { lines[line] = "" }
            }
        }
    }

    /// The lines of a repeated key in the mapping that begins at `first`, and of everything under it; nil if the key is
    /// not at the beginning of a line, as in `{a: 1, a: 2}`.
    private static func repetition(of key: String, in lines: [String], from first: Int) -> Range<Int>? {
        func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }
        let found = lines.indices.dropFirst(max(0, first - 1)).filter {
            lines[$0].drop { $0 == " " }.hasPrefix("\(key):")
        }
        guard let one = found.first,
            let other = found.dropFirst().first(where: { indentation(lines[$0]) == indentation(lines[one]) })
        else { return nil }
        let depth = indentation(lines[other])
        let end = lines.indices.dropFirst(other + 1).first { index in
            guard let beginning = lines[index].first(where: { !$0.isWhitespace }), beginning != "#" else {
                return false
            }
            let own = indentation(lines[index])
            // The elements of a list may have the same indentation as its key.
            return own < depth || (own == depth && beginning != "-")
        }
        return other..<(end ?? lines.endIndex)
    }

    /// The parser's error with its line, but without the text around it, which may contain a secret.
    private static func syntaxFault(_ error: any Error, path: String) -> Fault {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            Fault(
                "\(path) line \(mark.line): this is not YAML: \(problem)",
                "Fix the line; a value that contains a colon, a number sign or a quote needs quotes around it")
        case .duplicatedKeysInMapping(let keys, let context):
            Fault(
                "\(path) line \(context.mark.line): \(keys.joined(separator: ", ").escapedForOneLine) appears in "
                    + "the file twice", "Keep one: otherwise one value would be silently ignored")
        case .reader(let problem, _, _, _):
            Fault("\(path) is not YAML: \(problem)", "Save it as UTF-8 text")
        default:
            Fault("\(path) is not YAML", "Fix the file, or leave out \(Settings.config.flag)")
        }
    }
}

private struct Reading {
    let path: String
    var entries: [String: ConfigurationFile.Entry] = [:]
    var faults: [Fault] = []
    var isMapping = true

    private let known = Set(Settings.all.filter { $0.sources.contains(.file) }.map(\.name))

    init(path: String) {
        self.path = path
    }

    mutating func visitRoot(_ root: Node?) {
        switch root {
        case nil: return
        case .mapping(let mapping)?: visit(mapping, under: [])
        // A file that contains only comments.
        case .scalar(let scalar)? where scalar.string.isEmpty: return
        case let node?:
            isMapping = false
            let kind = node.sequence == nil ? "a text" : "a list"
            faults.add(
                "\(place(node)): the file is \(kind), but must be a mapping of settings",
                "Write each setting as `name: value`, without a dash before it")
        }
    }

    private mutating func visit(_ mapping: Node.Mapping, under prefix: [String]) {
        for (key, value) in mapping {
            let components = prefix + [key.string ?? "?"]
            let name = components.joined(separator: ".")
            if case .mapping(let inner) = value, !known.contains(name) {
                visit(inner, under: components)
            } else if known.contains(name) {
                take(value, for: name)
            } else {
                faults.append(unknown(name, at: key))
            }
        }
    }

    private mutating func take(_ value: Node, for name: String) {
        let line = value.mark?.line
        if let text = value.string {
            entries[name] = ConfigurationFile.Entry(text: text, line: line)
        } else if let elements = value.sequence.map({ $0.compactMap(\.string) }),
            elements.count == value.sequence?.count
        {
            entries[name] = ConfigurationFile.Entry(text: elements.joined(separator: ","), line: line)
        } else {
            faults.add(
                "\(place(value)): \(name) is a value; nothing can be nested under it",
                "Write it as `\(name.split(separator: ".").last ?? ""): value`")
        }
    }

    /// A key that is not a setting is a typo. If it were ignored, the setting it was meant for would silently have no
    /// effect.
    private func unknown(_ name: String, at key: Node) -> Fault {
        if let remedy = remedy(ofSecret: name) {
            return Fault("\(place(key)): \(name) itself cannot be in a file, since files get copied", remedy)
        }
        let isGroup = known.contains { $0.hasPrefix(name + ".") }
        let suggestion = Spelling.correction(of: name, among: Array(known)).map { "Did you mean \($0)? " } ?? ""
        return Fault(
            "\(place(key)): "
                + (isGroup
                    ? "\(name) is a mapping and has no value of its own"
                    : "there is no setting \"\(name.prefix(80).escapedForOneLine)\" for the file"),
            suggestion + "See `walletauth configuration` for the settings and their spelling")
    }

    /// What takes a secret that is written in the file itself; nil if the name is not that of a secret.
    private func remedy(ofSecret name: String) -> String? {
        if let secret = Settings.all.first(where: { $0.name == name && $0.sources == .environment }) {
            return "Write \(name).file or \(name).command, as a mapping under \(name), or set the variable "
                + secret.environmentVariable
        }
        let file = name + "File"
        return known.contains(file) ? "Save it in a file that only its owner can read, and name that in \(file)" : nil
    }

    private func place(_ node: Node) -> String {
        path + (node.mark.map { " line \($0.line)" } ?? "")
    }
}
