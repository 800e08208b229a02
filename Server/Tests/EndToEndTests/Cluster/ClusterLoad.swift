import Foundation
import Synchronization
import Testing

/// `cluster_load.py`: people who renew sessions, pay, sign in by PIN and sign transactions, all at once.
final class ClusterLoad: Sendable {
    /// What it has counted so far, and at its end.
    struct Report: Decodable, Sendable, CustomStringConvertible {
        let requests: Int
        /// Those that got no answer, or a 5xx.
        let failed: Int
        /// Those of them that got no answer.
        let unanswered: Int
        let lost: Int
        let twice: Int
        let wrong: Int
        /// The longest that a request took with all of its repetitions, in seconds.
        let longest: Double
        /// What was acknowledged, by kind.
        let done: [String: Int]
        let details: [String]
        var finished: Bool?
        /// The requests that a server has answered, by the servers' logs; known at the end.
        var answered: Int?

        var description: String {
            """
            \(requests) requests, \(failed) failed, \(unanswered) of them unanswered, \(answered.map { "\($0)" } ?? "?") in \
            the servers' logs, \(lost) lost, \(twice) twice, \(wrong) wrong, \(done) \(details)
            """
        }
    }

    private let process: ChildProcess
    private let latest: Latest
    private let reading: Task<Void, Never>

    private final class Latest: Sendable {
        private let report = Mutex<Report?>(nil)
        var value: Report? { report.withLock { $0 } }
        func set(_ report: Report) { self.report.withLock { $0 = report } }
    }

    private init(_ process: ChildProcess) {
        let latest = Latest()
        self.process = process
        self.latest = latest
        reading = Task {
            for await line in process.lines {
                if let report = try? JSONDecoder().decode(Report.self, from: Data(line.utf8)) { latest.set(report) }
            }
        }
    }

    /// Runs a body against a cluster while the load runs, then counts: nothing that was acknowledged is lost, and nothing
    /// was done twice or refused wrongly.
    /// - Parameter settings: further ones of both servers, as environment variables.
    /// - Returns: the last count.
    @discardableResult
    static func use(
        _ kind: ReverseProxy.Kind = .haproxy, database: String, settings: [String: String] = [:], seed: UInt64,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Cluster, ClusterLoad) async throws -> Void
    ) async throws -> Report {
        var last: Report?
        try await Cluster.use(kind, database: database, settings: settings, sourceLocation: sourceLocation) { cluster in
            let load = try await ClusterLoad.start(at: cluster.server, seed: seed)
            var report: Report
            do {
                try await body(cluster, load)
                report = try await load.finish()
                report.answered = cluster.answeredRequests
            } catch {
                Issue.record(
                    "with CLUSTER_SEED=\(seed): \(load.report.map(\.description) ?? "no report")",
                    sourceLocation: sourceLocation)
                await load.kill()
                throw error
            }
            let counts = [report.lost, report.twice, report.wrong]
            #expect(counts == [0, 0, 0], "with CLUSTER_SEED=\(seed): \(report)", sourceLocation: sourceLocation)
            last = report
        }
        return try #require(last, sourceLocation: sourceLocation)
    }

    /// Starts it with two people, and waits until each kind has been acknowledged.
    static func start(at server: RunningServer, seed: UInt64) async throws -> ClusterLoad {
        let settings = try await ClusterLoad.settings(at: server, people: ["ada", "grace"])
        let process = try ChildProcess(
            Programs.python,
            [Programs.peers.appending(path: "cluster_load.py").path] + settings.arguments + ["--seed", String(seed)],
            folder: server.folder, log: server.folder.appending(path: "load.log"), input: settings.input)
        let load = ClusterLoad(process)
        do { try await load.goesOn(by: 1) } catch {
            await load.kill()
            let log = try? String(contentsOf: server.folder.appending(path: "load.log"), encoding: .utf8)
            Issue.record("the load's log ends with: \(log?.suffix(2_000) ?? "")")
            throw error
        }
        return load
    }

    /// The accounts and clients that the scripts need: their arguments, and a line for their standard input.
    static func settings(
        at server: RunningServer, people names: [String]
    ) async throws -> (arguments: [String], input: Data) {
        server.ledger.enter("804613972558")
        let app = try await server.makePublicClient()
        let shop = try await server.makeConfidentialClient("shop", scope: "wallet_operations transactions")
        var people: [[String: String]] = []
        for name in names {
            let person = try await server.makeReachableAccount(name)
            people.append(["username": person.username, "password": person.password])
        }
        let settings = try JSONSerialization.data(withJSONObject: ["people": people, "secret": shop.secret ?? ""])
        return (
            ["--issuer", await server.issuer.absoluteString, "--client", app.id, "--backend", shop.id],
            settings + Data("\n".utf8)
        )
    }

    var report: Report? { latest.value }

    /// Waits until so many more of a kind, or of each kind, were acknowledged.
    func goesOn(by count: Int, _ kind: String? = nil) async throws {
        let before = report?.done ?? [:]
        let kinds = kind.map { [$0] } ?? ["refreshes", "payments", "signIns", "transactions"]
        let latest = latest
        try await eventually("the load to go on") {
            guard let report = latest.value else { return false }
            // A kind that was refused does not go on.
            try #require(report.wrong == 0, "\(report)")
            return kinds.allSatisfy { (report.done[$0] ?? 0) >= (before[$0] ?? 0) + count }
        }
    }

    /// Ends the load, which looks for everything that was acknowledged, and returns the last count.
    func finish() async throws -> Report {
        process.send(SIGTERM)
        let (process, reading, latest) = (process, reading, latest)
        _ = try await within(Duration.patience * 2, "the count") {
            await reading.value
            return await process.wait()
        } otherwise: {
            process.send(SIGKILL)
        }
        let report = try #require(latest.value)
        try #require(report.finished == true, "the count stopped: \(report)")
        return report
    }

    func kill() async {
        process.send(SIGKILL)
        _ = await process.wait()
    }
}

/// Random numbers that a failure can be repeated with: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    /// - Parameter seed: by default a random one, or that of the environment variable `CLUSTER_SEED`.
    init(
        seed: UInt64 = ProcessInfo.processInfo.environment["CLUSTER_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0...999_999)
    ) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
