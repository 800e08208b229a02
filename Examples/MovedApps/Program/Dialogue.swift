import ArgumentParser
import Foundation
import Programs

/// What the app shows, and what it asks a person: a line of standard output for each, and a line of standard input for an answer.
///
/// A question begins with a question mark, so that a script can play the person.
enum Dialogue {
    /// Shows a line. It may contain text of the server.
    static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line.escapedForOneLine + "\n").utf8))
    }

    /// Asks for something that a person types, scans or brings back from a browser.
    /// - Throws: `ExitCode` if standard input has ended.
    static func ask(_ question: String) async throws -> String {
        show("? \(question)")
        // Reading blocks its thread, which must not be one of those that tasks share.
        let answer = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
        guard let answer else {
            show("no answer on standard input")
            throw ExitCode(1)
        }
        return answer
    }

    /// Has a person open a page, and returns the URL that their browser is finally sent to.
    static func open(_ page: URL, until redirectURI: String) async throws -> URL {
        let answer = try await ask("Open \(page.absoluteString) and enter the URL that begins with \(redirectURI)")
        guard let url = URL(string: answer) else {
            show("this is not a URL: \(answer)")
            throw ExitCode(1)
        }
        return url
    }
}
