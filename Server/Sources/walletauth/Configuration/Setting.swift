/// A setting of the program. One declaration makes a flag, an environment variable and a key of the YAML file.
///
/// The name is the YAML path. `masterKey.file` is `--master-key-file` as a flag and `WALLETAUTH_MASTER_KEY_FILE` in the
/// environment. `docs/configuration.md` is generated from these declarations.
struct Setting<Value: Sendable>: Sendable {
    /// The path in the YAML file, its components joined by dots.
    let name: String
    /// The type, for the documentation.
    let type: String
    /// The default as text, for the documentation.
    let fallback: String
    /// The value if none is configured, or an invalid one.
    let defaultValue: Value
    /// The purpose, in one or two sentences.
    let description: String
    let sources: SettingSources
    /// Parses the configured text. The error states the expected format.
    let parse: @Sendable (String) throws(InvalidValue) -> Value

    /// A setting with a default. A default that a flow has as well is the flow's: `default: DevicePolicy().coolingPeriod`.
    init(
        _ name: String,
        type: String,
        default defaultValue: Value,
        sources: SettingSources = .everywhere,
        _ description: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Value
    ) where Value: SettingValue {
        self.name = name
        self.type = type
        fallback = defaultValue.asSetting
        self.defaultValue = defaultValue
        self.sources = sources
        self.description = description
        self.parse = parse
    }

    /// A setting without a default, or with one that depends on others: its value is `nil` if none is configured.
    /// - Parameter fallback: what applies then, in words.
    init<Wrapped: Sendable>(
        _ name: String,
        type: String,
        fallback: String,
        sources: SettingSources = .everywhere,
        _ description: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Wrapped
    ) where Value == Wrapped? {
        self.name = name
        self.type = type
        self.fallback = fallback
        defaultValue = nil
        self.sources = sources
        self.description = description
        self.parse = { text throws(InvalidValue) in try parse(text) }
    }
}

/// Why a text is invalid, as the end of the sentence "it must be …".
struct InvalidValue: Error {
    let expected: String

    init(_ expected: String) {
        self.expected = expected
    }
}

/// The places where a setting may be given.
struct SettingSources: OptionSet, Sendable {
    let rawValue: Int

    static let flag = SettingSources(rawValue: 1)
    static let environment = SettingSources(rawValue: 2)
    static let file = SettingSources(rawValue: 4)
    static let everywhere: SettingSources = [.flag, .environment, .file]
}

/// A setting without its value's type, as lists, documentation and flag parsing need it.
protocol DeclaredSetting: Sendable {
    var name: String { get }
    var type: String { get }
    var fallback: String { get }
    var description: String { get }
    var sources: SettingSources { get }
}

extension Setting: DeclaredSetting {}

extension DeclaredSetting {
    /// The components of the name: `["masterKey", "file"]`.
    var components: [String] {
        name.split(separator: ".").map(String.init)
    }

    /// The flag: `--master-key-file`.
    var flag: String {
        "--" + words.joined(separator: "-")
    }

    /// For advice, which is read by people with flags and by people with a YAML file: `--master-key-file (masterKey.file)`.
    var spellings: String {
        sources.contains(.file) && flag != "--" + name ? "\(flag) (\(name))" : flag
    }

    /// The environment variable: `WALLETAUTH_MASTER_KEY_FILE`.
    var environmentVariable: String {
        "WALLETAUTH_" + words.joined(separator: "_").uppercased()
    }

    /// Whether the text is the path of a file or folder, absolute or relative to the working directory.
    var isPath: Bool { type == "path" }

    /// The words of the name in lower case: `["master", "key", "file"]`.
    private var words: [String] {
        var words = [""]
        for character in name {
            if character == "." {
                words.append("")
            } else if character.isUppercase {
                words.append(character.lowercased())
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }
}
