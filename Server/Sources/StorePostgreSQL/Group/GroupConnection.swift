// The group of processes that use one database. Calls of the port belong to the folder Engine.

import Foundation
import Store

/// This process in its group: one connection that holds the membership, hears and sends notices, and may hold the
/// leadership, with a thread of its own.
///
/// The server releases the locks when the connection ends, so the connection is watched. Until it is replaced, writes are
/// refused and reads wait. If another process has taken the database for itself meanwhile, that is final.
final class GroupConnection: ProcessGroup {
    private enum Question {
        case leadership(CheckedContinuation<Bool, Never>)
        case solitude(CheckedContinuation<Bool, any Error>)
    }

    private struct State {
        var leads = false
        /// When the server last answered.
        var confirmed = ContinuousClock.now
        var questions: [Question] = []
        /// Whether the thread takes no more questions.
        var isOver = false
        var isClosing = false
    }

    /// The time between two attempts to connect, or to send what the server refused.
    private static let pause = Duration.milliseconds(250)
    /// The time between two signs of life of the server.
    private static let silence = Duration.seconds(2)
    /// How long a start waits. The server may not have noticed yet that a killed process is gone.
    private static let patience = Duration.seconds(2)

    private let connecting: Connecting
    private let membership: Membership
    let name: String
    private let examine: @Sendable (any SQLConnection) throws -> Void
    private let report: @Sendable (PostgreSQLEvent) -> Void
    private let state = LockedValue(State())
    private let outgoing = OutgoingNotices()
    private let streams = NoticeStreams()
    private let primaries: PrimaryWatch
    private let wakeUp: WakeUp
    private let shutdown = Shutdown()

    /// Joins the group. It blocks.
    /// - Parameter examine: see ``PostgreSQLDatabase/join(_:options:as:examine:report:)``.
    /// - Throws: ``StoreError`` with code `owned` if other processes are in the way.
    init(
        _ connecting: Connecting, as membership: Membership,
        examine: @escaping @Sendable (any SQLConnection) throws -> Void,
        report: @escaping @Sendable (PostgreSQLEvent) -> Void
    ) throws {
        self.connecting = connecting
        self.membership = membership
        self.examine = examine
        self.report = report
        name = ProcessName.make(version: connecting.options.version)
        primaries = PrimaryWatch(connecting)
        wakeUp = try WakeUp()
        let end = ContinuousClock.now + Self.patience
        var first: GroupSession?
        while first == nil {
            do {
                first = try GroupSession(connecting, as: membership, name: name, isAgain: false)
            } catch let error as StoreError where error.code == .owned || error == GroupSession.beingReleased {
                guard ContinuousClock.now < end else { throw error }
                wakeUp.sleep(for: .milliseconds(100))
            }
        }
        if let first { connecting.presence.begin(first.presenceKey) }
        primaries.watch(first?.place)
        primaries.start { [wakeUp] in wakeUp.wake() }
        // A thread keeps what its block captures until the thread ends, so the thread takes the session out of this box.
        let session = LockedValue<GroupSession?>(first)
        let thread = Thread { self.run(session) }
        thread.name = "store.postgresql.group"
        thread.start()
    }

    /// - Throws: ``StoreError`` with code `unavailable` while this process is no member.
    func require() throws {
        if let absence = connecting.presence.absence { throw absence }
    }

    /// Sends the last notices and leaves the group. Returns once the connection is closed.
    func close() async {
        abandon()
        await shutdown.completed()
        streams.finish()
    }

    /// Leaves the group soon.
    func abandon() {
        state.withLock { $0.isClosing = true }
        primaries.close()
        wakeUp.wake()
    }

    // MARK: The port

    func announce(_ notice: ChangeNotice) {
        if outgoing.add(notice) { wakeUp.wake() }
    }

    func notices() -> AsyncStream<ChangeNotice> { streams.stream() }

    func leads() async -> Bool {
        let known: Bool? = state.withLock { state in
            guard connecting.presence.absence == nil, !state.isOver else { return false }
            // Without a recent answer, the server may have ended the connection and given the lock to another process.
            guard state.leads, state.confirmed.duration(to: .now) < Self.silence * 3 / 2 else { return nil }
            return true
        }
        if let known { return known }
        return await withCheckedContinuation { ask(.leadership($0)) }
    }

    func isAlone() async throws -> Bool {
        try require()
        return try await withCheckedThrowingContinuation { ask(.solitude($0)) }
    }

    private func ask(_ question: Question) {
        let isTaken = state.withLock { state in
            if !state.isOver { state.questions.append(question) }
            return !state.isOver
        }
        if isTaken { wakeUp.wake() } else { refuse(question) }
    }

    private func refuse(_ question: Question) {
        switch question {
        case .leadership(let continuation): continuation.resume(returning: false)
        case .solitude(let continuation):
            continuation.resume(
                throwing: connecting.presence.absence ?? StoreError(.closed, "the database was closed"))
        }
    }

    // MARK: The thread

    private func run(_ first: LockedValue<GroupSession?>) {
        var session: GroupSession? = first.withLock { $0.take() }
        while !state.withLock({ $0.isClosing }) {
            if let current = session {
                do {
                    try serve(current)
                } catch {
                    session = nil
                    lost(error)
                }
            } else {
                do {
                    let new = try GroupSession(connecting, as: membership, name: name, isAgain: true)
                    try new.run(examine)
                    session = new
                    regained(new)
                } catch let error as StoreError where error.code == .owned {
                    taken(error)
                    break
                } catch {
                    absent(error)
                    refuseQuestions()
                    wakeUp.sleep(for: Self.pause)
                }
            }
        }
        if let session { _ = try? send(on: session) }
        session = nil
        primaries.close()
        state.withLock { state in
            state.isOver = true
            state.leads = false
        }
        refuseQuestions()
        if state.withLock({ $0.isClosing }) { streams.finish() }
        shutdown.complete()
    }

    /// Does what there is to do, and sleeps until there is more.
    private func serve(_ session: GroupSession) throws {
        try primaries.check()
        try reportOthers(on: session)
        while let question = nextQuestion() { try answer(question, on: session) }
        let isSent = try send(on: session)
        var quiet = state.withLock { $0.confirmed }.duration(to: .now)
        if quiet >= Self.silence {
            try session.ask()
            confirm()
            quiet = .zero
        }
        // Also those that came with the answers: the socket says nothing of them any more.
        let received = try session.received()
        streams.yield(received.notices)
        // In a flood, questions and signs of life have their turn as well.
        guard !received.hasMore else { return }
        wakeUp.sleep(for: isSent ? Self.silence - quiet : Self.pause, or: session.socket)
    }

    private func reportOthers(on session: GroupSession) throws {
        guard let others = primaries.newFindings else { return }
        try session.ask()
        confirm()
        primaries.noteReported(others)
        if !others.isEmpty { report(.otherPrimaries(others.sorted(), server: session.place.target.name)) }
    }

    /// - Returns: `false` if the server refused them for now.
    @discardableResult
    private func send(on session: GroupSession) throws -> Bool {
        let notices = outgoing.takeAll()
        guard !notices.isEmpty else { return true }
        do {
            try session.send(notices)
            confirm()
            return true
        } catch {
            outgoing.putBack(notices)
            guard error.remedy != .anotherConnection else { throw error }
            return false
        }
    }

    private func answer(_ question: Question, on session: GroupSession) throws {
        do {
            switch question {
            case .leadership(let continuation):
                let leads: Bool
                if state.withLock({ $0.leads }) {
                    try session.ask()
                    leads = true
                } else {
                    leads = try session.tryToLead()
                }
                confirm()
                state.withLock { $0.leads = leads }
                continuation.resume(returning: leads)
            case .solitude(let continuation):
                let isAlone = try session.isAlone()
                confirm()
                continuation.resume(returning: isAlone)
            }
        } catch {
            // It is refused with the others.
            state.withLock { $0.questions.append(question) }
            throw error
        }
    }

    private func nextQuestion() -> Question? {
        state.withLock { $0.questions.isEmpty ? nil : $0.questions.removeFirst() }
    }

    private func refuseQuestions() {
        while let question = nextQuestion() { refuse(question) }
    }

    private func confirm() {
        state.withLock { $0.confirmed = .now }
    }

    // MARK: Changes of the membership

    private func lost(_ error: any Error) {
        absent(error)
        primaries.watch(nil)
        connecting.counters.count(\.lostConnections)
        refuseQuestions()
        report(.membershipLost(StoreError(of: error)))
    }

    /// There is no session, for a reason that an operator may have to know.
    private func absent(_ error: any Error) {
        let reason = StoreError(of: error).reason
        connecting.presence.end(
            because: StoreError(.unavailable, "this process has no lock on the database: \(reason)"))
        state.withLock { $0.leads = false }
    }

    private func regained(_ session: GroupSession) {
        primaries.watch(session.place)
        confirm()
        connecting.presence.begin(session.presenceKey)
        streams.yield([.everything])
        report(
            .membershipRegained(
                server: session.place.target.name, unasked: connecting.unaskedHosts.withLock { $0 }.map(\.words)))
    }

    private func taken(_ error: StoreError) {
        connecting.presence.end(because: StoreError(.unavailable, error.reason))
        report(.databaseTaken(error))
    }
}
