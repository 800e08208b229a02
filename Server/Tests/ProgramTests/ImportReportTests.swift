import Operations
import Testing

@testable import walletauth

@Suite("What `account import` says at its end")
struct ImportReportTests {
    @Test("A reason that many accounts share is printed once, and of reasons without end only the first")
    func boundedReasons() {
        var report = ImportReport()
        for line in 1...300 {
            let reason = line % 2 == 0 ? "no provider" : "another team \(line)"
            report.add(
                key: line, line: line, isArray: false, name: nil, ImportFault(reason, isGeneral: true))
        }
        let lines = report.answer(isDry: true).lines
        #expect(lines.contains("150 lines: no provider"), "\(lines)")
        // One of 150 reasons in each line, 99 of which fit in the list.
        #expect(lines.contains("51 lines: other reasons, which --json names"), "\(lines)")
        #expect(lines.count { $0.contains("another team") } == 99)
    }
}
