import ArgumentParser
import Foundation
import OneLineText
import WalletAuth

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a command tells, to a person or to a script.
protocol Report: Encodable, Sendable {
    /// What stands above the lines, drawn by this program and with the colors that it wants. It goes to the terminal as it is:
    /// no text of another side may be in it.
    var drawing: [String] { get }
    /// The lines for a person. Parts of them may be what another side said: what would steer the terminal is left out.
    var lines: [String] { get }
}

extension Report {
    /// Nothing is drawn.
    var drawing: [String] { [] }
}

/// Standard output for what was asked for, standard error for everything else.
struct Terminal: Sendable {
    /// For whom.
    enum Format: Sendable {
        /// A person.
        case text
        /// A script: one JSON document.
        case json
    }

    let format: Format

    /// Prints a report.
    func print(_ report: some Report) {
        switch format {
        case .text: for line in Self.shown(report) { Swift.print(line) }
        case .json: printJSON(report)
        }
    }

    /// Prints what another side answered: to a program as it came, by the byte; on a terminal it must not steer it.
    func print(_ report: some Report, orPassOn bytes: Data) {
        guard case .text = format, !bytes.isEmpty, isatty(STDOUT_FILENO) == 0 else { return print(report) }
        try? FileHandle.standardOutput.write(contentsOf: bytes + Data("\n".utf8))
    }

    /// Says something beside the report, at once. That nobody reads it any more is no reason to stop. What another side said
    /// may be part of it.
    func say(_ line: String) { write(line.escapedForOneLine) }

    /// Shows a report beside the one that is asked for.
    func show(_ report: some Report) { Self.shown(report).forEach(write) }

    private static func shown(_ report: some Report) -> [String] {
        report.drawing + report.lines.map(\.escapedForOneLine)
    }

    private func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Runs a command: whatever it throws becomes one line that says what to do, and exit status 1.
    /// - Parameter place: what the line calls the server.
    func running(at place: Failure.Place, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch let usage as ValidationError {
            throw usage
        } catch {
            let failure = Failure(error, at: place)
            if format == .json { printJSON(failure) }
            say(failure.line)
            throw ExitCode(1)
        }
    }

    private func printJSON(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(value) else { return }
        let text = String(decoding: data, as: UTF8.self).jsonEscapedForTerminal
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }
}
