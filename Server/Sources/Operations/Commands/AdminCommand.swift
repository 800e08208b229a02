package import ArgumentParser
internal import Kernel

/// An operator's command: its words, its options and their help, its effect, and what it does, in one declaration.
///
/// The command line presents it as a ``Subcommand``. The administration socket receives its words and parses them the same way.
/// Options are texts as typed: ``execute(in:)`` checks them, and refuses with a clear line.
package protocol AdminCommand: ParsableArguments, CustomStringConvertible, CustomDebugStringConvertible, Sendable {
    /// Its words on the command line, such as `account deactivate`.
    static var title: String { get }
    /// What it does, in one sentence of its help.
    static var abstract: String { get }
    /// More help.
    static var discussion: String { get }
    /// Whether the help lists it. Commands for other programs are hidden.
    static var isListed: Bool { get }
    /// Who may run it over HTTP.
    static var access: CommandAccess { get }
    /// The option that takes the end of a page, and the member of the answer that has it; `nil` for a command without pages.
    static var paging: (option: String, member: String)? { get }
    /// What to use instead with PostgreSQL, if the command works only on a file.
    static var remedyWithPostgreSQL: String? { get }

    /// Its words in the log, with an option that makes it another command; none of its values.
    var loggedTitle: String { get }
    /// ``CommandEffect/changes`` unless declared.
    var effect: CommandEffect { get }
    /// Whether it takes two people over HTTP, where the server is set to that, whatever it is about.
    var takesTwo: Bool { get }
    /// Whether its answer has a one-time link, with which its caller could become another operator.
    var makesOperatorLink: Bool { get }
    /// Whether it reads so much that only one such command runs at a time over HTTP.
    var isScan: Bool { get }
    /// What it reads or changes.
    var target: CommandTarget { get throws }
    /// The option for the secret or the file that a request over HTTP brings as a member; `nil` if it brings none.
    static var inputOption: String? { get }
    /// What ``readInput(from:)`` returned, or that member.
    var input: String? { get set }
    /// The words of a command that must succeed before this one asks for input, so that people do not type a password for an
    /// account that does not exist.
    /// - Parameter isTyped: whether a person types at a terminal what is asked for.
    func precondition(isTyped: Bool) throws -> AdminRequest?

    /// Checks the answer to ``precondition(isTyped:)``, where its success is not enough.
    /// - Throws: ``AdministrationRefusal``
    func check(_ answer: AdministrationAnswer) throws

    /// What the operator is asked before it is sent; `nil` if it can be undone, or --yes was given.
    var confirmation: Confirmation? { get throws }

    /// Checks that the options request something. Other than `validate()`, it runs after the parser has reported unknown options.
    /// - Throws: `ValidationError` if they request nothing.
    func checkRequest() throws

    /// Reads what is not among the words: a secret, or a file of the operator.
    func readInput(from reader: any CommandInputReader) throws -> String?

    /// More options of the same command that ask for what came after an answer; `nil` if it is asked once.
    func continuation(of answer: AdministrationAnswer) throws -> [String]?

    /// What it uses of the server.
    associatedtype Parts: AdministrationParts

    /// - Throws: ``AdministrationRefusal``, `MalformedValue` or infrastructure errors.
    func execute(in parts: Parts) async throws -> AdministrationAnswer
}

/// The question before a command that nothing undoes. The program asks it: the administration socket is for programs.
package struct Confirmation: Sendable, Hashable {
    /// What happens, in a sentence.
    package let warning: String
    /// What the operator types to go on: the name of what is lost, which is not typed by habit.
    package let word: String

    package init(_ warning: String, typing word: String) { (self.warning, self.word) = (warning, word) }
}

/// Of every command that nothing undoes.
package struct ConfirmationOptions: ParsableArguments, Sendable {
    @Flag(help: "Ask nothing. A script has to give this, because there is no way back.")
    package var yes = false

    package init() {}

    package func unlessGiven(_ warning: String, typing word: String) -> Confirmation? {
        yes ? nil : Confirmation(warning, typing: word)
    }
}

/// What some commands use of the server, as stored properties. Only this initializer sees the whole.
package protocol AdministrationParts: Sendable {
    init(_ administration: Administration)
}

/// A command that needs input. Parsing refuses a request without it.
package protocol CommandWithInput: AdminCommand {
    associatedtype Parts

    func execute(in parts: Parts, input: String) async throws -> AdministrationAnswer
}

extension CommandWithInput {
    package func execute(in parts: Parts) async throws -> AdministrationAnswer {
        guard let input else { throw InvariantViolation() }
        return try await execute(in: parts, input: input)
    }
}

/// What a command does to the database.
package enum CommandEffect: Sendable, Hashable {
    case reads
    /// It changes what servers answer.
    case changes
    /// It creates the database or brings its schema up to date. For any other command a missing file is more likely a mistyped
    /// path, which an empty new database would hide.
    case migrates
    /// It needs a database that several processes may share to itself, and its own answer says when the change applies.
    case replacesSettings
    /// It wraps the database's keys again. While they are not wrapped alike, a key that a new version needs cannot be made, and only
    /// this command runs.
    case rewrapsKeys
}

/// Reads a command's input on the operator's side. The program does, with its terminal and its files.
package protocol CommandInputReader {
    /// - Parameter prompt: its name, such as `client secret`.
    /// - Parameter isChosen: whether the person makes it up, so that only a second entry reveals a typo.
    func secret(_ prompt: String, isChosen: Bool) throws -> String

    /// - Parameter name: what the file is, in errors.
    func file(_ path: String, named name: String, upTo limit: Int) throws -> String

    /// The server may have a different working directory.
    func absolutePath(_ path: String) -> String

    /// The name of the first master key of this configuration, which a running server may have read before it changed; `nil` if that
    /// cannot be read here.
    func masterKeyName() -> String?
}

/// Stands in for the operator's side where a command arrives without input, and refuses one that needs some.
private struct MissingInput: CommandInputReader {
    func secret(_ prompt: String, isChosen: Bool) throws -> String { throw refusal(prompt) }

    func file(_ path: String, named name: String, upTo limit: Int) throws -> String { throw refusal("file") }

    func absolutePath(_ path: String) -> String { path }

    func masterKeyName() -> String? { nil }

    private func refusal(_ what: String) -> AdministrationRefusal {
        AdministrationRefusal("The request has no input: send the \(what) with the words.", code: "malformed")
    }
}

/// A command on its way to the process that executes it: its words, and the input that must not be among them.
package struct AdminRequest: Codable, Sendable, Hashable, ExpressibleByArrayLiteral {
    package let words: [String]
    package let input: String?

    package init(_ words: [String], input: String? = nil) {
        self.words = words
        self.input = input
    }

    package init(arrayLiteral words: String...) { self.init(words) }

    /// Shows the brand that a command's option names.
    static func show(brand: String?) -> AdminRequest {
        AdminRequest(["brand", "show", "--", brand ?? BrandSettings.defaultBrand])
    }
}

extension AdminRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

extension AdminRequest {
    static let mostWords = 1024
    /// Of all words together, in bytes. The input has its own limit.
    static let longestWords = 64 * 1024

    /// Refuses words that the parser must not see.
    ///
    /// Its time grows with the square of their number. A word with three dashes asks it for completions of a shell, and it ends
    /// the process if they are wrong; after `--` it is a value.
    func requireParsable() throws(AdministrationRefusal) {
        guard words.count <= Self.mostWords, words.reduce(0, { $0 + $1.utf8.count }) <= Self.longestWords else {
            throw AdministrationRefusal(
                "A command has at most \(Self.mostWords) words, of \(Self.longestWords) bytes together.",
                code: "malformed")
        }
        guard !words.prefix(while: { $0 != "--" }).contains(where: { $0.utf8.starts(with: "---".utf8) }) else {
            throw AdministrationRefusal(
                "No word may begin with three dashes, except after `--`; write such a value as --option=value.",
                code: "malformed")
        }
    }
}

/// A noun with its commands. Their titles begin with its title.
package protocol CommandNoun: Sendable {
    static var title: String { get }
    static var abstract: String { get }
    static var commands: [any AdminCommand.Type] { get }
}

extension AdminCommand {
    /// The parser reads a command by its mirror, which is therefore not redacted.
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }

    package static var discussion: String { "" }
    package static var isListed: Bool { true }
    package static var remedyWithPostgreSQL: String? { nil }
    package static var access: CommandAccess { .owners }
    package static var paging: (option: String, member: String)? { nil }
    package static var inputOption: String? { nil }

    package var loggedTitle: String { Self.title }
    package var effect: CommandEffect { .changes }
    package var takesTwo: Bool { false }
    package var makesOperatorLink: Bool { false }
    package var isScan: Bool { false }
    package var target: CommandTarget { .everything }
    package func precondition(isTyped: Bool) throws -> AdminRequest? { nil }
    package func check(_ answer: AdministrationAnswer) throws {}
    package var confirmation: Confirmation? { nil }
    /// A command that reads no input keeps none.
    package var input: String? {
        get { nil }
        set {}
    }

    package func checkRequest() throws {}
    package func readInput(from reader: any CommandInputReader) throws -> String? { nil }
    package func continuation(of answer: AdministrationAnswer) throws -> [String]? { nil }

    package static var subcommand: any ParsableCommand.Type { Subcommand<Self>.self }

    /// Executes it with its parts of the server.
    func run(in administration: Administration) async throws -> AdministrationAnswer {
        try await execute(in: Parts(administration))
    }

    /// Parses a request for this command.
    /// - Throws: ``AdministrationRefusal`` that names the wrong option.
    static func parse(_ request: AdminRequest) throws -> Self {
        try request.requireParsable()
        let options = request.words.dropFirst(title.split(separator: " ").count)
        do {
            var command = try Subcommand<Self>.parse(Array(options)).command
            command.input = request.input
            try command.checkRequest()
            if request.input == nil { command.input = try command.readInput(from: MissingInput()) }
            return command
        } catch let refusal as AdministrationRefusal {
            throw refusal
        } catch {
            // A question for the help is no error to the parser.
            let isQuestion = Subcommand<Self>.exitCode(for: error) == .success
            throw AdministrationRefusal(
                isQuestion ? "This is no command." : Subcommand<Self>.message(for: error), code: "malformed")
        }
    }
}

/// A command as a subcommand of the command line.
package struct Subcommand<Command: AdminCommand>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Command.title.split(separator: " ").last.map(String.init), abstract: Command.abstract,
            discussion: Command.discussion, shouldDisplay: Command.isListed)
    }

    @OptionGroup package var command: Command

    @Flag(help: "Print one JSON document.")
    package var json = false

    package init() {}
}

/// What a command is about, by its id. Every command of a noun names it as an argument, in this place.
package struct IDOptions: ParsableArguments, Sendable {
    @Argument(help: "The id, as shown by `list`; after --, if it begins with a dash.")
    package var id: String

    package init() {}
}

/// A provider.
package struct ProviderOptions: ParsableArguments, Sendable {
    @OptionGroup package var provider: IDOptions

    @Option(help: "The brand; `default` if omitted.")
    package var brand: String?

    package init() {}
}
