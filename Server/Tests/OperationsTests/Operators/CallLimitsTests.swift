import Core
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("Limits of operators' calls", .covers("commands over HTTP"), .threat("An operator's rights over HTTP"))
struct CallLimitsTests {
    private static let callers = ["helpdesk", "console", "office"]

    /// Whether a call would run while so many others do, the first of which scan.
    /// - Parameter caller: of all of them; without one, each has the next of three.
    private func isAdmitted(
        _ limits: CallLimits, isScan: Bool, by caller: String? = nil, among others: [Bool]
    ) async throws -> Bool {
        let id = try ClientID(caller ?? Self.callers[others.count % Self.callers.count])
        guard let next = others.first else {
            return await limits.run(by: .backend(id), isScan: isScan) { true } ?? false
        }
        return try await limits.run(by: .backend(id), isScan: next) {
            try await isAdmitted(limits, isScan: isScan, by: caller, among: Array(others.dropFirst()))
        } ?? false
    }

    @Test("Four calls run at a time, and one of those that read a whole log; each makes room when it ends")
    func parallel() async throws {
        let limits = CallLimits()
        for _ in 0..<3 {
            #expect(try await isAdmitted(limits, isScan: false, among: [true, false, false]))
            #expect(try await !isAdmitted(limits, isScan: false, among: [false, false, false, false]))
            #expect(try await !isAdmitted(limits, isScan: true, among: [true]))
            #expect(try await isAdmitted(limits, isScan: true, among: [false, false, false]))
        }
    }

    @Test("attack: a caller holds all calls by commands that wait for a slow provider")
    func parallelCallsOfCaller() async throws {
        let limits = CallLimits()
        let slow = OperatorCaller.Identity.backend(try ClientID("slow"))
        for _ in 0..<3 {
            #expect(try await isAdmitted(limits, isScan: false, by: "slow", among: [false]))
            #expect(try await !isAdmitted(limits, isScan: false, by: "slow", among: [false, false]))
            let isRoom = try await limits.run(by: slow, isScan: false) {
                try await limits.run(by: slow, isScan: false) {
                    try await isAdmitted(limits, isScan: false, by: "helpdesk", among: [false])
                }
            }
            #expect(isRoom == true)
        }
    }

    @Test("A call that fails makes room, too")
    func failure() async throws {
        struct Failure: Error {}
        let limits = CallLimits()
        let caller = OperatorCaller.Identity.backend(try ClientID("helpdesk"))
        for _ in 0..<10 {
            await #expect(throws: Failure.self) {
                _ = try await limits.run(by: caller, isScan: true) { () async throws -> Bool in throw Failure() }
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
