import Core
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Limits of operators' calls", .covers("commands over HTTP"), .threat("An operator's rights over HTTP"))
struct CallLimitsTests {
    /// Whether a call would run while so many others do, the first of which scan.
    private func isAdmitted(_ limits: CallLimits, isScan: Bool, among others: [Bool]) async -> Bool {
        guard let next = others.first else { return await limits.run(isScan: isScan) { true } ?? false }
        return await limits.run(isScan: next) {
            await isAdmitted(limits, isScan: isScan, among: Array(others.dropFirst()))
        } ?? false
    }

    @Test("Four calls run at a time, and one of those that read a whole log; each makes room when it ends")
    func parallel() async {
        let limits = CallLimits()
        for _ in 0..<3 {
            #expect(await isAdmitted(limits, isScan: false, among: [true, false, false]))
            #expect(await !isAdmitted(limits, isScan: false, among: [false, false, false, false]))
            #expect(await !isAdmitted(limits, isScan: true, among: [true]))
            #expect(await isAdmitted(limits, isScan: true, among: [false, false, false]))
        }
    }

    @Test("A call that fails makes room, too")
    func failure() async {
        struct Failure: Error {}
        let limits = CallLimits()
        for _ in 0..<10 {
            await #expect(throws: Failure.self) {
                _ = try await limits.run(isScan: true) { () async throws -> Bool in throw Failure() }
            }
        }
    }

    @Test("attack: a caller has 120 calls a minute, which others do not use up, and the next minute has as many")
    func rate() throws {
        let (limits, start) = (CallLimits(), Timestamp(seconds: 1_800_000_000))
        let caller = OperatorCaller.Identity.backend(try ClientID("helpdesk"))
        let other = OperatorCaller.Identity.backend(try ClientID("console"))
        for _ in 0..<120 { #expect(limits.heldBack(caller, now: start) == nil) }
        #expect(limits.heldBack(caller, now: start + .seconds(15)) == 45)
        #expect(limits.heldBack(other, now: start + .seconds(15)) == nil)
        #expect(limits.heldBack(caller, now: start + .seconds(60)) == nil)
        #expect(limits.heldBack(caller, now: start) == nil)
    }

    @Test("What reads a whole log or exports an account is a scan, and an account's own refusals are none")
    func scans() throws {
        let request = String(repeating: "a", count: 32)
        for words in [
            ["account", "explain", "--request", request], ["audit", "tail"], ["audit", "verify"],
            ["account", "export", "ada"],
        ] { #expect(try command(words).isScan, "\(words)") }
        for words in [["account", "explain", "ada"], ["audit", "tail", "--operation", "a"], ["account", "list"]] {
            #expect(try !command(words).isScan, "\(words)")
        }
    }

    private func command(_ words: [String]) throws -> any AdminCommand {
        let commands: [any AdminCommand.Type] = [
            AccountExplain.self, AuditTail.self, AuditVerify.self, AccountExportCommand.self, AccountList.self,
        ]
        let type = commands.first { $0.title == words.prefix(2).joined(separator: " ") }
        return try #require(type).parse(AdminRequest(words))
    }
}
