import ArgumentParser
import Foundation
import WalletAuth

/// What a command tells, to a person or to a script.
protocol Report: Encodable, Sendable {
    /// The lines for a person.
    var lines: [String] { get }
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
        case .text: for line in report.lines { Swift.print(line) }
        case .json: printJSON(report)
        }
    }

    /// Says something beside the report, at once. That nobody reads it any more is no reason to stop.
    func say(_ line: String) {
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
        try? FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    }
}
