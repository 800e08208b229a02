import ArgumentParser
import Foundation
import Programs
import QRCodes

/// The output of a command, for a person or a script.
protocol Report: Encodable, Sendable {
    /// A drawing above the lines, with its own colors. It goes to the terminal unescaped, so it must not contain text
    /// from another side.
    var drawing: [String] { get }
    /// The lines for a person. Parts may come from another side; the terminal escapes them.
    var lines: [String] { get }
}

extension Report {
    var drawing: [String] { [] }
}

/// Standard output for the result, standard error for everything else.
struct Terminal: Sendable {
    enum Format: Sendable {
        /// For a person.
        case text
        /// For a script: one JSON document.
        case json
    }

    let format: Format
    /// The profile that commands in its lines are for, unless it is the default one.
    var profile: String?
    /// The user name that commands in its lines are for.
    var username: String?

    func print(_ report: some Report) {
        switch format {
        case .text: for line in shown(report) { Swift.print(line) }
        case .json: printJSON(report)
        }
    }

    /// Prints another side's answer: byte for byte to a program, escaped to a terminal.
    func print(_ report: some Report, orPassOn bytes: Data) {
        guard case .text = format, !bytes.isEmpty, isatty(STDOUT_FILENO) == 0 else {
            // None of its lines is this program's.
            return Terminal(format: format).print(report)
        }
        try? FileHandle.standardOutput.write(contentsOf: bytes + Data("\n".utf8))
    }

    /// Prints another side's JSON document: byte for byte to a program, escaped to a terminal.
    func passOn(_ document: Data) {
        let text = String(decoding: document, as: UTF8.self)
        let shown = isatty(STDOUT_FILENO) == 0 ? text : text.jsonEscapedForTerminal
        try? FileHandle.standardOutput.write(contentsOf: Data((shown + "\n").utf8))
    }

    /// Prints a message on standard error at once. If no one reads it anymore, the command continues. The message may
    /// contain text from another side.
    func say(_ line: String) { write(named(line).escapedForOneLine) }

    /// Prints a further report on standard error.
    func show(_ report: some Report) { shown(report).forEach(write) }

    private func shown(_ report: some Report) -> [String] {
        report.drawing + report.lines.map { named($0).escapedForOneLine }
    }

    /// The line with the profile and the user name in its commands, so that they work as they are shown. What a person
    /// approves or signs is indented, and shown to the letter.
    func named(_ line: String) -> String {
        guard !line.hasPrefix(" ") else { return line }
        let line = profile.map { Failure.naming($0, in: line) } ?? line
        return username.map { Failure.naming(username: $0, in: line) } ?? line
    }

    private func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Runs a command. Any error becomes one line with advice, and exit status 1.
    /// - Parameter place: the names that the line uses.
    func running(at place: Failure.Place, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch let usage as ValidationError {
            throw usage
        } catch {
            let failure = Failure(error, at: place)
            fail(failure.document, failure.line)
            throw ExitCode(1)
        }
    }

    /// Reports a failure: one line on standard error and, for a script, the document in place of the result.
    func fail(_ document: FailureDocument, _ line: String) {
        if format == .json { printJSON(document) }
        say(line)
    }

    private func printJSON(_ value: some Encodable) {
        guard let text = Self.json(of: value) else { return }
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// A document with its members in order; nil if the value cannot be one.
    static func json(of value: some Encodable) -> String? {
        let encoder = JSONEncoder.forTerminal
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .custom { path in MemberName(path[path.count - 1].stringValue) }
        guard let data = try? encoder.encode(value) else { return nil }
        return String(decoding: data, as: UTF8.self).jsonEscapedForTerminal
    }
}

/// The name of a member in the program's documents: a property's, in camelCase as the wire has it. `clientID` is `clientId`.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ property: String) {
        let abbreviation = #/(ID|URI|URL)(?=s?$|[A-Z])/#
        stringValue = property.replacing(abbreviation) { $0.output.1.capitalized }
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// A QR code drawn with half blocks, two rows per line. It fits a terminal, and every phone can read it.
extension QRCode {
    /// The lines, dark on light whatever the terminal's colors.
    var lines: [String] {
        stride(from: extent.lowerBound, to: extent.upperBound, by: 2).map { row in
            let blocks = extent.map { column in Self.block(isDark(row, column), isDark(row + 1, column)) }.joined()
            return "\u{1B}[30;107m\(blocks)\u{1B}[0m"
        }
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
