#if os(Linux)
    import Foundation
    import Testing

    @Suite("A clock that leaps under a running server", .threat("Clocks, disks and crashes"))
    struct LeapingClockTests {
        @Test("attack: a clock that is 40 days ahead for a while ends no session, and nothing is answered meanwhile")
        func forAWhile() async throws {
            try await LeapingClock.use { clock in
                try await withServer(["--sweep-interval", "1s"], settings: clock.settings) { server in
                    let client = StandardClient(try await server.makeRelyingApp(), at: server)
                    let tokens = try await client.signIn(try await server.makeAccount())
                    let (web, ready) = (WebClient(ledger: server.ledger), await server.url("/health/ready"))

                    try clock.set(aheadBy: 40 * 86_400)
                    let answer = try await web.get(ready)
                    #expect(answer.status == 503 && answer.members["reason"] == "clock", "\(answer.text)")
                    let refused = try await client.refresh(tokens.refresh)
                    #expect(refused.status == 503)
                    #expect(refused.members["error"] == "temporarily_unavailable")
                    try await eventually("the log to say why") {
                        server.logText().contains("the clock is 40 days ahead of the expected time")
                    }

                    try clock.set(aheadBy: 0)
                    let later = try await web.get(ready)
                    #expect(later.status == 200)
                    _ = try client.tokens(await client.refresh(tokens.refresh))
                    let messages = server.logText().components(separatedBy: "nothing is removed or rotated by time")
                    #expect(messages.count == 2, "once")
                }
            }
        }

        @Test(
            "An operator cannot sweep while the clock is in doubt, and confirms it through the socket",
            .onlySQLite("PostgreSQL's own clock would have to leap: “A time that an operator accepts counts …”"))
        func confirmed() async throws {
            try await LeapingClock.use { clock in
                try await withServer(settings: clock.settings) { server in
                    let ready = await server.url("/health/ready")
                    try clock.set(aheadBy: 7200)
                    for command in [["database", "sweep"], ["keys", "rotate"]] {
                        let refused = try await server.administer(command)
                        #expect(refused.ending == .exited(1))
                        #expect(refused.errors.contains("the clock is 2 hours ahead of the expected time"))
                    }
                    let accepted = try await server.administer(["clock", "accept"])
                    #expect(accepted.ending == .exited(0), "\(accepted.errors)")
                    let answer = try await WebClient(ledger: server.ledger).get(ready)
                    #expect(answer.status == 200)
                    let swept = try await server.administer(["database", "sweep"])
                    #expect(swept.ending == .exited(0), "\(swept.errors)")
                    let audit = try await server.administer(["audit", "tail", "--kind", "clock.accepted"])
                    #expect(audit.output.contains("7200"))
                }
            }
        }
    }

    /// The wall clock of programs that are started with its settings.
    private struct LeapingClock: Sendable {
        private static let source = Programs.peers.appending(path: "leaping_clock.c")

        private let folder: URL
        private var lead: URL { folder.appending(path: "lead") }
        private var library: URL { folder.appending(path: "leaping_clock.so") }

        /// What a program is started with.
        var settings: [String: String] { ["LD_PRELOAD": library.path, "LEAPING_CLOCK": lead.path] }

        /// Builds the library, and removes it after the body.
        static func use(_ body: (LeapingClock) async throws -> Void) async throws {
            // The loader splits the variable at spaces, and this folder's path has none.
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let clock = LeapingClock(folder: folder.url)
            try clock.set(aheadBy: 0)
            let built = try await ChildProcess.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #"exec "$(command -v cc || command -v clang)" "$@""#, "compiler", "-std=gnu11", "-O2",
                    "-shared", "-fPIC", "-o", clock.library.path, source.path,
                ], folder: folder.url)
            try #require(built.ending == .exited(0), "\(built.errors)")
            try await body(clock)
        }

        func set(aheadBy seconds: Int) throws {
            try Data("\(seconds)\n".utf8).write(to: lead, options: .atomic)
        }
    }
#endif
