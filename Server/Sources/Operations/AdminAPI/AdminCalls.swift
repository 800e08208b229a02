internal import Core
internal import Kernel
internal import WalletAuthWire

/// A caller's command on its way through HTTP, whether a program sends it or a button of the console: its limits, its check and record, the
/// sealed places of its pages, and what the caller's role sees of the answer.
struct AdminCalls: Sendable {
    let administration: Administration
    let limits = CallLimits()

    /// In bytes. A longer list is printed by the command line.
    private static let longestAnswer = 8 << 20

    enum Outcome: Sendable {
        case done(JSONObject)
        case refused(AdministrationRefusal)
        /// Too many calls of this caller.
        case heldBack(HeldBack)
    }

    /// Why a caller has to wait, and how long.
    struct HeldBack: Sendable {
        let seconds: Int64
        let reason: String
    }

    static func tooManyCalls(_ seconds: Int64) -> HeldBack {
        HeldBack(seconds: seconds, reason: "A caller has \(CallLimits.callsPerMinute) calls a minute.")
    }

    private static func tooManyMisses(_ seconds: Int64) -> HeldBack {
        let reason = "Support may ask \(CallLimits.missesPerHour) times an hour for an address that no account has."
        return HeldBack(seconds: seconds, reason: reason)
    }

    /// The place in a list. It is sealed, since it is a key of the database.
    private struct Cursor: Codable, Sendable {
        var command: String
        var place: String
    }

    private var cursors: SealedState<Cursor> {
        SealedState(
            administration.server.context.sealing, purpose: .signIn, label: "admin-page", lifetime: .days(1),
            restore: .spares)
    }

    /// - Parameters:
    ///   - form: of the command.
    ///   - members: its options. A failure to read them is a refusal, of callers with a role alone.
    ///   - mayChange: whether the request may change something.
    ///   - mark: what makes one change only; `nil` for a call that may be made again.
    ///   - page: that shows the answer with those of other commands; `nil` without one.
    func answer(
        to form: CommandForm, _ members: () throws -> JSONObject, by caller: OperatorCaller, under grant: OperatorGrant,
        mayChange: Bool, once mark: CallMark? = nil, on page: OperatorPageRecord? = nil
    ) async throws -> Outcome {
        if let seconds = limits.heldBack(caller.identity, now: caller.now) {
            return .heldBack(Self.tooManyCalls(seconds))
        }
        let (command, request): (any AdminCommand, AdminRequest)
        do {
            (command, request) = try parse(form, members, now: caller.now)
        } catch {
            return .refused(error)
        }
        let isReading = command.effect == .reads
        guard isReading || mayChange else {
            return .refused(
                AdministrationRefusal("These members change something: use POST.", code: "malformed"))
        }
        let isGuess = grant.role == .support && command.searchesByAddress
        if isGuess, let seconds = limits.heldBackSearch(caller.identity, now: caller.now) {
            return .heldBack(Self.tooManyMisses(seconds))
        }
        let call = OperatorCall(
            administration: administration, caller: caller, command: command, request: request, mark: mark,
            page: page)
        let run = await limits.run(by: caller.identity, isScan: command.isScan) { await call.run(under: grant) }
        guard let answer = run else {
            return .refused(
                AdministrationRefusal("Other calls are running.", hint: "Try again in a moment.", code: "busy"))
        }
        if let refusal = answer.refusal {
            if isGuess, refusal.code == "not_found" { limits.countMiss(caller.identity, now: caller.now) }
            return .refused(refusal)
        }
        var document = try answer.document()
        if let paging = form.paging {
            let next = document[paging.member]?.string
            document[paging.member] = nil
            document[CommandForm.cursor] = nil
            document.set(
                CommandForm.cursor,
                try next.map { try cursors.seal(Cursor(command: form.title, place: $0), now: caller.now) })
        }
        if grant.role == .support { document = SupportView.of(document) }
        if grant.role == .support || grant.role == .developer { document = SupportView.withoutGuesses(document) }
        document = AuditOperators.reached(by: grant, document)
        guard !isReading || document.bytes.count <= Self.longestAnswer else {
            return .refused(
                AdministrationRefusal(
                    "The answer is too long.", hint: "Ask for less, or use the command line.", code: "too_large"))
        }
        return .done(document)
    }

    private func parse(
        _ form: CommandForm, _ members: () throws -> JSONObject, now: Timestamp
    ) throws(AdministrationRefusal) -> (any AdminCommand, AdminRequest) {
        do {
            var object = try members()
            var page: String?
            if form.paging != nil, let cursor = object[CommandForm.cursor] {
                guard let opened = cursor.string.flatMap({ cursors.open($0, now: now) }), opened.command == form.title
                else {
                    throw MalformedValue(field: CommandForm.cursor, reason: "is not one of this list, or has expired")
                }
                page = opened.place
                object[CommandForm.cursor] = nil
            }
            let request = try form.command(object, page: page)
            let command = try administration.command(for: request)
            // Values come after two dashes, so no words name another command.
            guard type(of: command).title == form.title else { throw InvariantViolation() }
            return (command, request)
        } catch let refusal as AdministrationRefusal {
            throw refusal
        } catch {
            throw AdministrationRefusal("\(error)", code: "malformed")
        }
    }
}

extension AdminCommand {
    /// Whether a caller who guesses learns by it which addresses have an account.
    fileprivate var searchesByAddress: Bool {
        // Only an account has refusals: the reference of one's own at a guessed address is as good as the address.
        if let explain = self as? AccountExplain, explain.request != nil { return true }
        guard case .account(let reference)? = try? target else { return false }
        return reference.isAddress
    }
}
