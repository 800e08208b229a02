import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Tokens
@testable import Transactions

@Suite("Attacks on signing in by scanning", .threat("A relayed sign-in code"))
struct ScanRelayAttackTests {
    @Test("attack: a wrong number ends the attempt on phone and page, and no other number helps any more")
    func guessedNumber() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let scanned = try await table.scan(shown.code).get()
        let right = try #require(try await table.record(shown.id)?.claim?.number)
        #expect(
            try await table.choose(scanned.wrongNumber(than: right), of: scanned).refusal == .refused(.numberMismatch))
        #expect(try await table.look(shown.id).page().notice == .numberMismatch)
        #expect(try await table.choose(right, of: scanned).refusal == .refused(.numberMismatch))
        #expect(try await table.scan(shown.code).refusal == .refused(.numberMismatch))
        #expect(try await table.server.rows(of: "sessions WHERE amr LIKE '%cross_device%'") == 0)
    }

    @Test(
        "attack: three wrong numbers within an hour stop the account's devices, also for codes that were claimed before"
    )
    func mismatches() async throws {
        let table = try await ScanTable.set()
        var last: (shown: ScanTable.Shown, scanned: ScannedSignIn)?
        let waiting = TestBrowser(table.server)
        let claimed = try await table.show(in: waiting)
        let early = try await table.scan(claimed.code).get()
        for _ in 0..<ScanLimits.mismatches {
            let shown = try await table.show()
            let scanned = try await table.scan(shown.code).get()
            let right = try await table.record(shown.id)?.claim?.number
            _ = try await table.choose(scanned.wrongNumber(than: right), of: scanned)
            last = (shown, scanned)
        }
        #expect(last != nil)
        guard case .refused(.scansHeld(let seconds))? = try await table.scan(table.show().code).refusal else {
            Issue.record("the account was not held")
            return
        }
        #expect(seconds > 3000 && seconds <= 3600)
        let number = try #require(try await table.record(claimed.id)?.claim?.number)
        guard case .refused(.scansHeld)? = try await table.choose(number, of: early).refusal else {
            Issue.record("an earlier claim went on")
            return
        }
        #expect(try await table.server.told("scan_held") == 1)
        table.server.clock.advance(by: ScanLimits.mismatchWindow)
        _ = try await table.scan(table.show().code).get()
    }

    @Test("attack: “This is not me” after a wrong number changes nothing: three wrong numbers still stop the devices")
    func mismatchesThenRefused() async throws {
        let table = try await ScanTable.set()
        for _ in 0..<ScanLimits.mismatches {
            let shown = try await table.show()
            let scanned = try await table.scan(shown.code).get()
            let right = try await table.record(shown.id)?.claim?.number
            _ = try await table.choose(scanned.wrongNumber(than: right), of: scanned)
            _ = try await table.refuse(scanned.transactionID).get()
            #expect(try await table.record(shown.id)?.state == .mismatched)
        }
        guard case .refused(.scansHeld)? = try await table.scan(table.show().code).refusal else {
            Issue.record("the account was not held")
            return
        }
    }

    /// A relay sends its page's code to people who scan anything and choose without looking. The server draws the numbers, from a fixed
    /// sequence here, so that the count is the same in every run.
    @Test(
        "attack: a relay whose victims choose blindly succeeds in one of three attempts, and in three attempts an hour at most"
    )
    func simulation() async throws {
        let random = CountedBytes()
        var successes = 0
        let attempts = 30_000
        for attempt in 0..<attempts {
            let drawn = ScanNumbers.draw(random)
            #expect(Set(drawn.numbers).count == ScanLimits.choices)
            // The victim's thumb knows nothing of the number on the attacker's screen.
            if drawn.numbers[attempt % ScanLimits.choices] == drawn.shown { successes += 1 }
        }
        let share = Double(successes) / Double(attempts)
        #expect(share > 0.31 && share < 0.35, "\(share)")
        // Until the account is held, a victim makes this many attempts; each of them may also enter the PIN.
        let perHour = 1 - (0..<ScanLimits.mismatches).reduce(1.0) { left, _ in left * 2 / 3 }
        #expect(perHour < 0.71)
    }

    @Test("attack: a code from a stranger's browser shows the stranger's browser and network on the phone")
    func strangersBrowser() async throws {
        let table = try await ScanTable.set()
        let relay = TestBrowser(table.server)
        let shown = try await table.show(in: relay, from: ScanTable.elsewhere)
        let scanned = try await table.scan(shown.code).get()
        #expect(!scanned.sameNetwork)
        #expect(scanned.system == "Windows")
        let near = try await table.scan(table.show().code).get()
        #expect(near.sameNetwork)
    }

    @Test("attack: a browser and a phone whose addresses are unknown are not shown as in one network")
    func unknownNetworks() async throws {
        let table = try await ScanTable.set()
        let unknown = RequestOrigin(address: "", traceID: TestServer.origin.traceID)
        #expect(try await !table.scan(table.show(from: unknown).code, from: unknown).get().sameNetwork)
    }

    @Test("attack: another browser with the address of a waiting page neither sees its code nor is signed in by it")
    func othersPage() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let thief = TestBrowser(table.server)
        _ = try await thief.open(table.client.request())
        #expect(try await table.look(shown.id, in: thief).fault == .stalePage)
        _ = try await table.approve(table.chosen(shown)).get()
        #expect(try await table.look(shown.id, in: thief).fault == .stalePage)
        #expect(
            try await table.server.flows.signIn.authorization.scanState(shown.id, cookies: thief.cookies) == nil)
        _ = try await table.look(shown.id).code()
    }

    @Test("attack: what was approved signs in once, and its code is of no use to another browser")
    func reuse() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        _ = try await table.approve(table.chosen(shown)).get()
        _ = try await table.look(shown.id).code()
        // The binding has changed since, so that the browser's history opens nothing either.
        #expect(try await table.look(shown.id).fault == .stalePage)
        let again = try await table.scan(shown.code).refusal
        #expect(again == .refused(.over(.signed)) || again == .refused(.scanExpired))
    }

    @Test("attack: another person's phone signs in that person, whoever's name was typed on the page")
    func othersPhone() async throws {
        let table = try await ScanTable.set()
        let eve = try await table.till.stranger()
        let shown = try await table.show { $0["login_hint"] = "ada" }
        let chosen = try await table.chosen(shown, by: eve)
        _ = try await table.approve(chosen, by: eve).get()
        _ = try await table.client.redeem(table.look(shown.id).code()).tokens()
        let account = try await table.server.context.database.read {
            try $0.row("SELECT account_id FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1", [])?.blob(
                "account_id")
        }
        #expect(account == eve.account.bytes)
    }

    @Test(
        "attack: of two phones that scan one code, one claims it, and the other can neither choose, approve nor refuse")
    func twoPhones() async throws {
        let table = try await ScanTable.set()
        let eve = try await table.till.stranger()
        let shown = try await table.show()
        let till = table.till
        async let first = till.claim(SignInCode(shown.code))
        async let second = till.claim(SignInCode(shown.code), by: eve)
        let outcomes = try await [first, second]
        #expect(outcomes.count { $0.refusal == nil } == 1)
        #expect(outcomes.count { $0.refusal == .refused(.alreadyClaimed) } == 1)
        let scanned = try #require(outcomes.compactMap { try? $0.get() }.first)
        let loser = scanned.account == table.till.account ? eve : table.till.phone
        let number = try #require(try await table.record(shown.id)?.claim?.number)
        #expect(try await table.choose(number, of: scanned, by: loser).refusal == .refused(.notFound))
        #expect(try await table.refuse(scanned.transactionID, by: loser).refusal == .refused(.notFound))
    }

    @Test("attack: a phone in its cooling period claims no sign-in")
    func coolingPhone() async throws {
        let table = try await ScanTable.set(pastCooling: false)
        guard case .refused(.deviceCooling)? = try await table.scan(table.show().code).refusal else {
            Issue.record("a cooling phone claimed it")
            return
        }
    }

    @Test("attack: a signature of a sign-in signs no payment, nor a payment's a sign-in")
    func neverAPayment() async throws {
        let table = try await ScanTable.set()
        let till = table.till
        let chosen = try await table.chosen(table.show())
        // The transactions' own endpoints know no such transaction.
        #expect(try await till.confirm(chosen).refusal == .refused(.notFound))
        let asPayment = try await till.phone.assertion(of: table.act(chosen), TestTill.pin)
        #expect(try await till.sign(chosen, asPayment).refusal != nil)
        #expect(throws: MalformedValue.self) { try TransactionPayload(parsing: chosen.payload) }
        #expect(throws: MalformedValue.self) { try TransactionPayload(recorded: chosen.payload) }
        #expect(throws: MalformedValue.self) { try ClientTransactionPayload(parsing: chosen.payload) }

        let payment = try await till.confirmed()
        #expect(throws: MalformedValue.self) { try SignInPayload(parsing: payment.payload) }
        #expect(PayloadHash.scannedSignIn(payment.payload) != .transaction(payment.payload))
        // A PIN that is to sign the bytes of a sign-in as a payment's is not even charged.
        let crossed = DeviceAssertion.Act.transaction(chosen.transactionID, .transaction(chosen.payload))
        let evaluation = try await till.phone.evaluate(till.phone.use(till.phone.exchange(TestTill.pin), act: crossed))
        #expect(evaluation.refusal == .transaction(.otherPayload))
    }

    @Test("attack: no transaction of a backend is a sign-in")
    func backendsLogin() throws {
        for type in ["LOGIN", "login", "L-O-G-I-N"] {
            #expect(throws: MalformedValue.self) {
                try TransactionRequest(
                    account: nil, type: WalletOperationType(type), lines: [TransactionLine(label: "a", value: "b")])
            }
        }
    }

    @Test("attack: an operator who turns scans off, or suspends the phone, stops what was approved but not continued")
    func closedInTime() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        _ = try await table.approve(table.chosen(shown)).get()
        try await table.server.administer(["device", "suspend", table.till.phone.id.rawValue])
        #expect(try await table.look(shown.id).page().notice == .scanExpired)

        try await table.server.administer(["device", "resume", table.till.phone.id.rawValue])
        let other = try await table.show()
        _ = try await table.approve(table.chosen(other)).get()
        try await table.server.administer(["brand", "update", "default", "--scan-sign-in", "off"])
        #expect(try await table.look(other.id).page().notice == .scanExpired)
    }

    @Test("attack: the last wrong PIN ends the sign-in, and an approval that comes too late is not continued")
    func lockedPIN() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        let chosen = try await table.chosen(shown)
        var last: DeviceTransactionRefusal?
        for _ in 0..<5 { last = try await table.approve(chosen, "000111").refusal }
        #expect(last == .assertion(.locked(.tooManyTries)))
        #expect(try await table.look(shown.id).page().notice == .scanRejected)
        // Refusing it as well changes nothing.
        _ = try await table.refuse(chosen.transactionID).get()
        #expect(try await table.record(shown.id)?.state == .failed)
    }

    @Test("attack: an approval waits a minute for its browser")
    func lateBrowser() async throws {
        let table = try await ScanTable.set()
        let shown = try await table.show()
        _ = try await table.approve(table.chosen(shown)).get()
        table.server.clock.advance(by: ScanLimits.continuing)
        #expect(try await table.look(shown.id).page().notice == .scanExpired)
    }
}

/// A sequence of bytes that is the same in every run.
private struct CountedBytes: RandomBytes {
    private let state = LockedValue(UInt64(0x9E37_79B9_7F4A_7C15))

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in
                // xorshift64*
                state ^= state >> 12
                state ^= state << 25
                state ^= state >> 27
                return UInt8(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 56)
            }
        }
    }
}
