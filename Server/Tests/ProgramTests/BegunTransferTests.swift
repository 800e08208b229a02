import Foundation
import Testing
import WalletAuthWire

@testable import wallet

@Suite(
    "Transfers whose result `wallet` does not know",
    .covers("the terminal wallet pays a transfer twice"))
struct BegunTransferTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
    private var begun: BegunTransfers { BegunTransfers(folder: folder) }

    private func transfer(
        _ key: String, to payee: String = "Dune Bakery", cents: Int64 = 3100, by subject: String = "ada",
        secondsAgo: TimeInterval = 0
    ) throws -> BegunTransfer {
        BegunTransfer(
            key: key, backend: try #require(URL(string: "https://wallet.example.com")), subject: subject, payee: payee,
            amount: try Money(minorUnits: cents, currency: Currency("EUR")),
            begunAt: Date().addingTimeInterval(-secondsAgo))
    }

    @Test("Another transfer of the same amount to the same payee needs the key of the first, or --again")
    func sameTransfer() throws {
        let first = try transfer("k-1")
        let same = try transfer("k-2", to: "dune bakery")
        let others = try [
            transfer("k-3", cents: 3101), transfer("k-4", to: "Bookshop"), transfer("k-5", by: "bob"),
        ]
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(try !begun.begin(first, again: false), "a repetition")
        let refusal = try #require(throws: Failure.self) { try begun.begin(same, again: false) }
        #expect(refusal.code == "transfer_begun")
        #expect(refusal.line.contains("a transfer of 31.00 EUR to Dune Bakery was begun at "), "\(refusal.line)")
        #expect(refusal.line.contains("--idempotency-key k-1 while you stay signed in"), "\(refusal.line)")
        #expect(refusal.line.contains("wallet status --forget k-1"), "\(refusal.line)")
        for other in others { #expect(try begun.begin(other, again: false)) }
        #expect(try begun.begin(same, again: true))
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1", "k-3", "k-4", "k-2"])
    }

    @Test("A forgotten transfer blocks no other, nor does one whose key the backend no longer remembers")
    func forgotten() throws {
        let (first, next) = try (transfer("k-1"), transfer("k-3"))
        let old = try transfer("k-2", secondsAgo: BegunTransfer.lifetime)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(try begun.forget(first.key))
        #expect(try !begun.forget(first.key))
        #expect(try begun.begin(old, again: false))
        #expect(try begun.begin(next, again: false))
        #expect(try begun.all(of: "ada").map(\.key) == ["k-3"])
    }

    /// A process that runs as long as the test, and one that does not exist.
    private static let (living, dead) = (getppid(), Int32.max)

    @Test("A command killed while it asks for approval has paid nothing; killed before or after that, it may have")
    func killed() throws {
        let (first, same) = try (transfer("k-1"), transfer("k-2"))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"])
        let asked = try #require(try begun.ask(first.key, by: Self.dead))
        #expect(try begun.all(of: "ada").isEmpty)
        #expect(
            asked.interruption(of: nil)
                == "The transfer of 31.00 EUR to Dune Bakery is cancelled; nothing was paid. It may still be approved on your "
                + "other device for up to 15 minutes.")
        #expect(try begun.begin(same, again: false))
        _ = try begun.ask(same.key, by: Self.dead)
        try begun.approve(same, by: Self.dead)
        #expect(try begun.all(of: "ada").map(\.key) == ["k-2"])
        let kept = try #require(try begun.all(of: "ada").first)
        #expect(kept.interruption(of: nil).contains("may have been paid"))
    }

    @Test("race: of two commands with one key, one that asks for approval says nothing of what the other sent")
    func oneKey() throws {
        let first = try transfer("k-1")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false, by: 1))
        #expect(try !begun.begin(first, again: false, by: 2))
        let asked = try #require(try begun.ask(first.key, by: Self.living))
        #expect(asked.interruption(of: nil).contains("may have been paid"), "the request of the other may have paid")
        _ = try begun.ask(first.key, by: Self.dead)
        #expect(try begun.all(of: "ada").isEmpty)
        try begun.approve(first, by: Self.dead)
        _ = try begun.ask(first.key, by: Self.living)
        #expect(try begun.all(of: "ada").isEmpty, "one request, asked about twice")
    }

    @Test("race: what one command withdraws may still have been paid by another with its key")
    func withdrawn() throws {
        let first = try transfer("k-1")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(try !begun.begin(first, again: false))
        try begun.withdraw(first.key, isSent: true)
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"])
        try begun.withdraw(first.key, isSent: false)
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"])
        try begun.withdraw(first.key, isSent: true)
        #expect(try begun.all(of: "ada").isEmpty)
        try begun.approve(first)
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"], "added again before its approval is sent")
    }

    @Test("While another terminal asks for approval, a second transfer like it needs --again")
    func otherTerminal() throws {
        let (first, same) = try (transfer("k-1"), transfer("k-2"))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        _ = try begun.ask(first.key, by: Self.living)
        let refusal = try #require(throws: Failure.self) { try begun.begin(same, again: false) }
        #expect(refusal.line.contains("waits for your approval in another terminal"), "\(refusal.line)")
        #expect(!refusal.line.contains("may have been paid"), "\(refusal.line)")
        #expect(try begun.begin(same, again: false, by: Self.living), "the number of a process that has ended")
    }

    @Test("A transfer of an earlier version, which counted nothing, may have been paid whatever a command is asked")
    func uncounted() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var first = try transfer("k-1")
        first.openRequests = nil
        #expect(try begun.begin(first, again: false))
        _ = try begun.ask(first.key, by: Self.dead)
        #expect(try begun.all(of: "ada").map(\.key) == ["k-1"])
    }

    @Test("A transfer that its backend takes no more is to be forgotten, not repeated, once the balance is checked")
    func interrupted() throws {
        let (first, other) = try (transfer("k-1"), transfer("k-2", to: "Bookshop"))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(try begun.begin(other, again: false))
        try begun.interrupt(first.key)
        let notices = try begun.all(of: "ada").map { $0.notice(of: nil) }
        #expect(notices[0].hasSuffix("check wallet balance, then forget it with: wallet status --forget k-1."))
        #expect(notices[1].contains("--idempotency-key k-2"))
    }

    @Test("A paid transfer that cannot be removed from the list is reported, and is no failure")
    func settled() throws {
        let first = try transfer("k-1")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try begun.begin(first, again: false))
        #expect(begun.settle(first.key, of: nil) == nil)
        #expect(try begun.all(of: "ada").isEmpty)
        try Data("damaged".utf8).write(to: folder.appending(path: "transfers.json"))
        #expect(
            begun.settle(first.key, of: "work")
                == "It is paid, but could not be struck from the list: wallet status --profile work --forget k-1")
    }

    @Test("Only its owner can read the list, even in a folder that is open to others")
    func openFolder() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        #expect(try begun.begin(try transfer("k-1"), again: false))
        #expect(try begun.begin(try transfer("k-2", to: "Bookshop"), again: false))
        let list = folder.appending(path: "transfers.json").path
        let mode = try FileManager.default.attributesOfItem(atPath: list)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["transfers.json", "transfers.lock"])
    }

    @Test("A sign-out says that the transfer cannot be repeated, and what to do about it")
    func signOut() throws {
        let notice = try transfer("k-1").noticeOfSignOut(of: "work")
        #expect(notice.contains("may have been paid, and cannot be repeated after this sign-out: "), "\(notice)")
        #expect(
            notice.hasSuffix(
                "check wallet balance --profile work, then forget it with: wallet status --profile work --forget k-1."),
            "\(notice)")
        #expect(!notice.contains("--idempotency-key"), "\(notice)")
    }

    @Test("The notice of a transfer names the profile in its command")
    func profile() throws {
        let notice = try transfer("k-1").notice(of: "work")
        #expect(notice.hasSuffix("with: wallet status --profile work --forget k-1."), "\(notice)")
    }
}
