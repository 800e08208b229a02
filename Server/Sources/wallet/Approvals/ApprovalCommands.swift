import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

/// What waits on this device: payments that were begun elsewhere, and transactions addressed to the account.
struct ApprovalCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approvals",
        abstract: "Approves on this device what was begun on another one, or in a browser.",
        subcommands: [List.self, Approve.self, Reject.self])

    struct List: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what waits for your approval on this device.")

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            let pending = try await wallet.transactions.pending()
            terminal.print(PendingReport(approvals: pending.map(ApprovalReport.init)))
        }
    }

    struct Approve: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what waits, and approves it once you agree.",
            discussion: """
                You see what you approve, confirm, and type this device's PIN; five wrong PINs lock it. If you answer no, nothing \
                is approved, and the exit status is 1. In scripts, use --yes and --pin-stdin.
                """)

        @Argument(help: "The id, as wallet approvals list shows it.") var id: String

        @Flag(help: "Confirm without being asked. Check what a script approves before you use this.")
        var yes = false

        @OptionGroup var source: PINSource
        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            switch try await wallet.pending(id) {
            case .transaction(let transaction):
                let dialogue = TransactionDialogue(
                    answers: try source.answers(), terminal: terminal, decision: yes ? .agree : .ask, factor: nil,
                    account: nil, accounts: try await wallet.accounts)
                terminal.print(try await dialogue.follow(wallet.flows.start(pending: transaction)))
            case .payment(let payment):
                let dialogue = PaymentApproval(answers: try source.answers(), terminal: terminal, isAgreed: yes)
                try await dialogue.approve(payment, with: wallet)
                terminal.print(ApprovalReport(payment, .approved))
            }
        }
    }

    struct Reject: SignedInCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops for good what you did not start. No PIN is needed.")

        @Argument(help: "The id, as wallet approvals list shows it.") var id: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func run(_ wallet: Wallet, _ terminal: Terminal) async throws {
            switch try await wallet.pending(id) {
            case .transaction(let transaction):
                let dialogue = TransactionDialogue(
                    answers: .person(instead: "--account"), terminal: terminal, decision: .reject(.unexpected),
                    factor: nil, account: nil, accounts: try await wallet.accounts)
                terminal.print(try await dialogue.follow(wallet.flows.start(pending: transaction)))
            case .payment(let payment):
                try await wallet.transactions.reject(payment)
                terminal.print(ApprovalReport(payment, .rejected))
            }
        }
    }
}

/// Asks the person about a payment that was begun elsewhere.
struct PaymentApproval: Sendable {
    let answers: Answers
    let terminal: Terminal
    /// Whether a script has agreed beforehand.
    let isAgreed: Bool

    /// - Throws: ``Failure``, also if the person answers no; `WalletError`.
    func approve(_ payment: PendingPayment, with wallet: Wallet) async throws {
        guard payment.availableVerifications.contains(.devicePIN) else {
            throw Failure(
                code: "second_factor_unavailable", message: "this device has no PIN to approve with",
                advice: "set one (wallet pin set), or approve it on another device")
        }
        terminal.say("You are asked to approve:")
        payment.words.forEach { terminal.say("  \($0)") }
        if !isAgreed { try confirm() }
        while true {
            guard let pin = try answers.pin() else { throw Self.notApproved }
            let attempt = try await wallet.transactions.approve(payment, with: .pin(pin))
            switch attempt.statusReason {
            case .valid: return
            case .invalidValue where answers.isPerson:
                let left = attempt.remainingAttempts
                terminal.say("That PIN is wrong. You have \(left == 1 ? "one attempt" : "\(left) attempts") left.")
            case .invalidValue:
                throw Failure(
                    code: "invalid_credentials",
                    message: "the PIN is wrong: attempts left: \(attempt.remainingAttempts)",
                    advice: "correct it, and approve again")
            default:
                throw Failure(
                    code: "not_challenged", message: "it is no longer to be approved here; nothing was approved",
                    advice: "see: wallet approvals list")
            }
        }
    }

    private func confirm() throws {
        let person = Answers.person(instead: "--yes, or: wallet approvals reject")
        guard try person.isYes("Approve this? (yes/no) ", terminal) else { throw Self.notApproved }
    }

    private static let notApproved = Failure(
        code: Failure.notAgreed.code, message: "you did not approve it",
        advice: "if you did not start it, stop it: wallet approvals reject ID")
}

extension Wallet {
    /// What waits under an id.
    /// - Throws: ``Failure`` if nothing does.
    fileprivate func pending(_ id: String) async throws -> PendingApproval {
        guard let found = try await transactions.pending().first(where: { $0.id.rawValue == id.lowercased() }) else {
            throw Failure(
                code: "nothing_pending", message: "nothing with the id \(id) waits on this device",
                advice: "see: wallet approvals list")
        }
        return found
    }
}

extension SCA.Operation {
    /// The content for the person, line by line. Text from others is in quotation marks, so that it cannot imitate a line.
    fileprivate var words: [String] {
        [OperationDescription.kind(type)] + (amount.map { [$0.words] } ?? []) + (payee?.words ?? [])
            + details.sorted { $0.key < $1.key }.map { "\($0.key.quoted): \($0.value.quoted)" }
    }
}

extension PendingPayment {
    /// The content, and who asked for it.
    fileprivate var words: [String] { operation.words + (requester.map { [$0.words] } ?? []) }
}

extension ApprovalRequester {
    fileprivate var words: String {
        let place = [browser, system].compactMap { $0?.quoted }.joined(separator: " on ")
        return "asked for by \(service.quoted)" + (device.map { " on \($0.rawValue.quoted)" } ?? "")
            + (place.isEmpty ? "" : ", in \(place)")
    }
}

struct ApprovalReport: Report {
    enum Status: String, Encodable, Sendable { case pending, approved, rejected }

    let id: String
    let kind: ApprovalKind
    let status: Status
    let content: [String]
    let expiresAt: Date

    init(_ payment: PendingPayment, _ status: Status) {
        (id, kind, self.status) = (payment.id.rawValue, .operation, status)
        content = payment.words
        expiresAt = payment.expiresAt
    }

    private init(_ transaction: PendingTransaction) {
        (id, kind, status) = (transaction.id.rawValue, .transaction, .pending)
        content = transaction.details?.words ?? ["A transaction to sign"]
        expiresAt = transaction.expiresAt
    }

    init(_ pending: PendingApproval) {
        switch pending {
        case .payment(let payment): self.init(payment, .pending)
        case .transaction(let transaction): self.init(transaction)
        }
    }

    var lines: [String] {
        switch status {
        case .approved: ["Approved. The app that began it goes on."]
        case .rejected: ["Stopped. No one can approve it any more:"] + content.map { "  \($0)" }
        case .pending: content.enumerated().map { $0 == 0 ? $1 : "  \($1)" } + ["  id  \(id)"]
        }
    }
}

struct PendingReport: Report {
    let approvals: [ApprovalReport]

    var lines: [String] {
        guard !approvals.isEmpty else {
            return [
                "Nothing is waiting for your approval on this device.",
                "Listed here: what you began on another device or in a browser, but not what this session began. Payments also "
                    + "need: wallet device push",
            ]
        }
        return approvals.flatMap(\.lines) + ["Approve one with: wallet approvals approve ID"]
    }
}
