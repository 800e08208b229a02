import Foundation
import Kernel
import Logging
import Programs
import Testing

@testable import walletauth

@Suite("Log lines")
struct LogLineTests {
    private func line(_ message: String, _ metadata: Logger.Metadata = [:], as format: LogFormat) -> String {
        LogLine(
            time: Date(timeIntervalSince1970: 1_767_225_600.25), label: "walletauth", level: .info, message: message,
            metadata: metadata
        ).formatted(as: format)
    }

    @Test("A line of text carries time, level, message and sorted metadata")
    func text() {
        #expect(
            line("request", ["trace": "abc", "route": "/a b"], as: .text)
                == "2026-01-01T00:00:00.250Z INFO walletauth: request route=\"/a b\" trace=abc\n")
    }

    @Test("attack: a value with quotes and backslashes ends nowhere but at its end")
    func forgedFields() {
        let text = line("request", ["client": #"x\" level=error"#, "reason": #"a\"#], as: .text)
        #expect(text.hasSuffix(#" client="x\\\" level=error" reason="a\\""# + "\n"), "\(text)")
    }

    @Test("With JSON as the log's format the ready notice is one line of JSON, which names the sandbox's pages")
    func ready() throws {
        let notice = ReadyNotice(issuer: "http://127.0.0.1:8700", environment: .sandbox)
        let json = notice.formatted(as: .json)
        #expect(json.filter { $0 == "\n" }.count == 1 && json.hasSuffix("\n"))
        let members = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String])
        #expect(members["message"] == "ready" && members["level"] == "info" && members["time"] != nil)
        #expect(members["issuer"] == "http://127.0.0.1:8700")
        #expect(members["outbox"] == "http://127.0.0.1:8700/sandbox/outbox")
        #expect(notice.formatted(as: .text).hasPrefix("walletauth ready at http://127.0.0.1:8700\n"))
        let named = "http://localhost:8700"
        #expect(
            notice.formatted(as: .text).hasSuffix(
                "walletauth database change-issuer \(named), then serve --issuer \(named)\n"))
        #expect(!ReadyNotice(issuer: named, environment: .sandbox).formatted(as: .text).contains("passkeys"))
        let production = ReadyNotice(issuer: "https://id.example.com", environment: .production)
        #expect(production.formatted(as: .text) == "walletauth ready at https://id.example.com\n")
        #expect(!production.formatted(as: .json).contains("outbox"))
    }

    @Test("A line of JSON is one document that keeps every character")
    func json() throws {
        let text = line("a \"b\" \\ \u{1}\u{2028}ö", ["level": "forged", "trace": "x\ny"], as: .json)
        #expect(text.filter { $0 == "\n" }.count == 1)
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(members["message"] == "a \"b\" \\ \u{1}\u{2028}ö")
        #expect(members["level"] == "info")
        #expect(members["meta_level"] == "forged")
        #expect(members["trace"] == "x\ny")
    }

    @Test("Numbers are numbers in JSON, and text that looks like one stays text")
    func numbers() throws {
        let text = line("request", ["status": .stringConvertible(400 as Int), "trace": "4822"], as: .json)
        #expect(text.contains(#""status":400,"trace":"4822"}"#))
        #expect(line("request", ["status": .stringConvertible(400 as Int)], as: .text).hasSuffix(" status=400\n"))
        let taken = line("request", ["level": .stringConvertible(7 as Int64)], as: .json)
        #expect(taken.contains(#""level":"info""#) && taken.contains(#""meta_level":7"#))
    }

    @Test(
        "Log injection: a line break or an escape sequence in metadata forges no line and drives no terminal",
        .threat("Messages read or forged in transit"))
    func injection() {
        let text = line("a\nb", ["k": "x\r\n2026 INFO forged \u{1b}[2J"], as: .text)
        #expect(text.filter(\.isNewline).count == 1)
        #expect(!text.contains("\u{1b}"))
    }

    @Test(
        "Log injection: what turns the direction of text, breaks a line unseen or hides in it is not in a line of text")
    func deceptiveCharacters() {
        let text = line("a\u{202E}b\u{2066}c\u{200B}d\u{9B}e", ["k": "x\u{2028}y"], as: .text)
        let isPlain = text.unicodeScalars.allSatisfy { $0.isASCII }
        #expect(isPlain)
        #expect(line("👩‍👧 ä", as: .text).contains("👩‍👧 ä"), "joiners and variation selectors stay")
    }

    @Test("Log injection: marks piled on a character, or put around it, are not drawn over other lines")
    func piledMarks() {
        let piled = "a" + String(repeating: "\u{301}", count: 40)
        let text = line("\(piled)b\u{20DD}", as: .text)
        #expect(text.unicodeScalars.count { $0 == "\u{301}" } == 2)
        #expect(!text.unicodeScalars.contains("\u{20DD}"))
        let json = #"{"name":"\#(piled)"}"#.jsonEscapedForTerminal
        #expect(json.unicodeScalars.count { $0 == "\u{301}" } == 2)
        #expect(json.contains(#"\u0301"#))
    }
}
