import Foundation
import Testing

/// `wallet approvals`: one terminal pays, and another, which is linked, approves.
@Suite("Approvals in the terminal wallet", .onceForAllEngines, .covers("PUSH_NOTIFICATION"))
struct WalletProgramApprovalTests {
    private static let pin = "804613972558"

    /// A linked wallet with a PIN and a push token, past its cooling period, and one of the same person that is not linked.
    private func use(
        _ body: (_ world: PaymentWorld, _ phone: TerminalWallet, _ computer: TerminalWallet) async throws -> Void
    ) async throws {
        try await PaymentWorld.use { world in
            let phone = try await world.wallet()
            world.server.ledger.enter(Self.pin)
            let set = try await phone.run(["pin", "set", "--pin-stdin"], input: Self.pin + "\n")
            #expect(set.succeeded, "\(set.errors)")
            let push = try await phone.run("device", "push", String(repeating: "5a", count: 32))
            #expect(push.succeeded, "\(push.errors)")
            // What takes a day otherwise.
            try await world.server.write("UPDATE devices SET cooling_until = 0")
            let computer = phone.onAnotherDevice("computer")
            let signedIn = try await world.typingCode(
                [
                    "sign-in", "--username", world.person.username, "--password-stdin", "--scope", PaymentWorld.scopes,
                ], after: world.person.password + "\n", with: computer)
            #expect(signedIn.succeeded, "\(signedIn.errors)")
            try await body(world, phone, computer)
        }
    }

    private func transfer(_ world: PaymentWorld) -> [String] {
        [
            "transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--factor", "push", "--backend",
            world.backend.url.absoluteString, "--json",
        ]
    }

    /// The id of what waits, as soon as it does.
    private func waiting(on phone: TerminalWallet) async throws -> String {
        for _ in 0..<300 {
            let list = try await phone.run("approvals", "list", "--json")
            try #require(list.succeeded, "\(list.errors)")
            let approvals = try list.json["approvals"] as? [[String: Any]] ?? []
            if let id = approvals.first?["id"] as? String {
                let content = approvals.first?["content"] as? [String] ?? []
                #expect(content.contains("250.00 EUR"), "\(content)")
                #expect(content.last?.hasPrefix("asked for by ") == true, "\(content)")
                return id
            }
        }
        throw LinkedPhone.Unexpected(what: "nothing waits for an approval")
    }

    @Test("The linked wallet lists the payment, approves it by PIN, and the other one pays once")
    func approve() async throws {
        try await use { world, phone, computer in
            let arguments = transfer(world)
            async let paid = computer.run(arguments)
            let id = try await waiting(on: phone)
            let wrong = try await phone.run(
                ["approvals", "approve", id, "--yes", "--pin-stdin"], input: "804613972559\n")
            #expect(wrong.ending == .exited(1))
            #expect(wrong.errors.contains("attempts left: 4"), "\(wrong.errors)")
            let approved = try await phone.run(
                ["approvals", "approve", id, "--yes", "--pin-stdin"], input: Self.pin + "\n")
            #expect(approved.succeeded, "\(approved.errors)")
            #expect(approved.errors.contains("of \"\(PaymentWorld.payee)\""), "\(approved.errors)")
            let result = try await paid
            #expect(result.succeeded, "\(result.errors)")
            #expect(try result.json["sca"] as? String == "VERIFIED")
            let empty = try await phone.run("approvals", "list")
            #expect(empty.output.contains("Nothing is waiting"), "\(empty.output)")
            #expect(try await world.balance(phone) == "75000")
        }
    }

    @Test("After Ctrl-C where the payment was begun, it no longer waits on the linked wallet")
    func interrupted() async throws {
        try await use { world, phone, computer in
            let stopped = try await computer.run(
                transfer(world), answering: [("Approve it on another device of yours", .interrupt)])
            for told in ["ended by signal 2", "is cancelled; nothing was paid.\n"] {
                #expect(stopped.output.contains(told), "\(stopped.output)")
            }
            let list = try await phone.run("approvals", "list")
            #expect(list.output.contains("Nothing is waiting"), "\(list.output)")
            #expect(try await world.balance(phone) == "100000")
        }
    }

    @Test("Enter at the PIN of a payment lists the other ways, and the way out")
    func emptyPIN() async throws {
        try await use { world, phone, _ in
            let stopped = try await phone.run(
                [
                    "transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--factor", "pin", "--backend",
                    world.backend.url.absoluteString,
                ],
                answering: [
                    ("PIN (press Enter for other ways, or to cancel): ", .text("")), ("Do not pay", .interrupt),
                ])
            #expect(stopped.output.contains("is cancelled; nothing was paid.\n"), "\(stopped.output)")
            #expect(try await world.balance(phone) == "100000")
        }
    }

    @Test("The list of devices says which one has a push address")
    func pushAddress() async throws {
        try await use { _, phone, _ in
            let list = try await phone.run("device", "list")
            #expect(list.output.contains("with a push address"), "\(list.output)")
        }
    }

    @Test("The linked wallet stops it, and nothing is paid")
    func reject() async throws {
        try await use { world, phone, computer in
            let arguments = transfer(world)
            async let refused = computer.run(arguments)
            let id = try await waiting(on: phone)
            let left = try await phone.run(
                ["approvals", "approve", id, "--yes"], answering: [("PIN (press Enter to cancel): ", .text(""))])
            #expect(left.output.contains("you did not approve it"), "\(left.output)")
            let rejected = try await phone.run("approvals", "reject", id)
            #expect(rejected.succeeded, "\(rejected.errors)")
            for told in ["250.00 EUR", PaymentWorld.payee] {
                #expect(rejected.output.contains(told), "\(rejected.output)")
            }
            let result = try await refused
            #expect(result.ending == .exited(1))
            #expect(try result.failure["code"] as? String == "not_agreed", "\(result.errors)")
            #expect(result.errors.contains("you refused this payment; nothing was paid"), "\(result.errors)")
            #expect(try await world.balance(phone) == "100000")
            let again = try await phone.run("approvals", "approve", "0190b3f2-0000-7000-8000-00000000002a", "--yes")
            #expect(again.errors.contains("see: wallet approvals list"), "\(again.errors)")
        }
    }
}
