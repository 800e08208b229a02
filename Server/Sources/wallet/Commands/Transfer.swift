import ArgumentParser
import Foundation
import Programs
import WalletAuth
import WalletAuthWire

/// A payment, with the person's consent if it needs one.
struct Transfer: BackendCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pays one of your payees; larger amounts need your approval.",
        discussion: """
              wallet transfer --to "Dune Bakery" --amount 12.50

            Needs a sign-in with the scope "payments". If strong customer authentication is required, you see what you are \
            approving, choose a way to approve it (a code by e-mail or SMS, your authenticator app, this device's PIN), and \
            have five attempts. You type codes and PINs at the terminal; with --answers-stdin, they are the lines of standard input, \
            and the first way that they can answer is used unless --factor names another.

            A transfer is identified by its idempotency key, which is printed before it is sent: if the command is interrupted, \
            or the response is lost, repeat it with that key while you stay signed in, and you pay only once. Until the result \
            is known, another transfer of the same amount to the same payee needs --again; wallet status shows such transfers.
            """)

    @Option(help: ArgumentHelp("The payee's name.", valueName: "name"))
    var to: String

    @Option(
        name: .customLong("to-account"),
        help: ArgumentHelp("The account that the payee must have.", valueName: "account"))
    var account: String?

    // Unconditional, so that -3 is reported as an invalid amount rather than a missing one.
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The amount in the currency, such as 12.50.", valueName: "amount"))
    var amount: String

    @Option(help: ArgumentHelp("The currency (ISO 4217).", valueName: "code"))
    var currency = "EUR"

    @Option(help: ArgumentHelp("A message for the payee.", valueName: "text"))
    var reference: String?

    @Option(
        help: ArgumentHelp(
            """
            How to approve: email, sms, authenticator, pin, device-passkey, push, or on a page: passkey, password, account-pin; or \
            biometric, with wallet biometrics enable.
            """,
            valueName: "factor"), completion: .list(ConsentDialogue.names.values.sorted()), transform: FactorName.usual)
    var factor: String?

    @Flag(name: .customLong("no-open"), help: "Print the URL of a page and open no browser.")
    var noOpen = false

    @Flag(
        name: .customLong("answers-stdin"),
        help: "Read codes and PIN from the lines of standard input; --factor chooses the way.")
    var fromStandardInput = false

    @OptionGroup var passkeys: PasskeyOptions

    @Option(
        help: ArgumentHelp(
            "Identifies this transfer; 16 to 64 letters and digits. Generated if omitted.", valueName: "key"))
    var idempotencyKey: String?

    @Flag(help: "Pay even if a transfer of the same amount to this payee was begun and may have been paid.")
    var again = false

    @OptionGroup var backend: BackendOptions
    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func validate() throws {
        _ = try money()
        if let reference, reference.utf8.count > WalletOperation.maximumDetailBytes {
            throw ValidationError(
                "--reference is \(reference.utf8.count) bytes long: the maximum is \(WalletOperation.maximumDetailBytes)"
            )
        }
        if let idempotencyKey {
            do { _ = try IdempotencyKey(idempotencyKey) } catch {
                throw ValidationError("--idempotency-key \(error.reason)")
            }
        }
        let factors = ConsentDialogue.names.values.sorted()
        if let factor, !factors.contains(factor) {
            throw ValidationError("--factor \"\(factor)\" is not one of: \(factors.joined(separator: ", "))")
        }
    }

    private func money() throws -> Money {
        let unit: Currency
        do { unit = try Currency(currency) } catch { throw ValidationError("--currency \(currency) \(error.reason)") }
        let money: Money
        do { money = try Money(typed: amount, currency: unit) } catch {
            throw ValidationError("--amount \(amount) \(error.reason)")
        }
        guard money.minorUnits > 0 else { throw ValidationError("--amount \(amount) is zero") }
        return money
    }

    var opensPage: Bool { !noOpen }
    var presence: TerminalPresence { passkeys.presence }

    func run(_ backend: Backend, _ terminal: Terminal) async throws {
        // Before a transfer begins that the script could not approve.
        if factor == ConsentDialogue.names[.devicePasskey] { try presence.check() }
        let amount = try money()
        let key = idempotencyKey ?? UUID().uuidString.lowercased()
        var body = JSONObject(strings: ["to": to])
        body["amount"] = .object(amount.json)
        if let account { body.set("account", account) }
        if let reference { body.set("reference", reference) }
        let dialogue = ConsentDialogue(
            answers: Answers(fromStandardInput: fromStandardInput, "--answers-stdin"), terminal: terminal,
            factor: factor, isUnattended: presence.isUnattended, amount: amount, payee: to, account: account,
            refusalOfPIN: factor == ConsentDialogue.names[.devicePIN] ? try await backend.wallet.refusalOfPIN() : nil)
        let begun = BegunTransfers(folder: connection.folder)
        let (progress, isNew) = try await begin(key, amount, in: begun, backend, terminal)
        backend.requests.before { request in
            if request.headers["Idempotency-Key"] == key { try progress.send() }
        }
        let request = backend.request("transfers", body, key: key)
        do {
            let answer = try await progress.interruptible {
                try backend.read(
                    try await backend.wallet.perform(
                        request,
                        onSCA: { prompt in
                            progress.ask()
                            let answer = try await AbandonableQuestion.ask { try dialogue.ask(prompt) }
                            if !RequestWatch.isUsed { try progress.send() }
                            return answer
                        },
                        choosing: { ways in
                            progress.ask()
                            return try await AbandonableQuestion.ask { try dialogue.choose(ways) }
                        }))
            }
            // First of all: the payment is made, whatever happens to the list.
            terminal.print(try TransferReport(answer))
        } catch is TransferProgress.Interrupted {
            let withdrawal = await Withdrawal.request(key, of: backend.wallet)
            // The line with the question has not ended.
            terminal.say("")
            terminal.say(progress.stop(after: withdrawal))
            InterruptNotice.end()
        } catch {
            var said = Self.said(of: error, key: key, backend.url, progress.stage)
            if let failure = error as? Failure, failure.code == Failure.notAgreed.code, progress.stage == .unapproved {
                let withdrawal = await Withdrawal.request(key, of: backend.wallet)
                let completed = withdrawal.completing(failure, of: key)
                guard withdrawal != .over else {
                    progress.keepOpen()
                    throw completed
                }
                said = completed
            }
            // A key of a transfer with other details: those of this one were never sent under it before.
            let isForeignKey = isNew && said?.code == "idempotency_mismatch"
            if said?.code == "transfer_interrupted" { try? begun.interrupt(key) }
            if isForeignKey || Self.isUnpaid(error, said, key, progress.stage, isNew: isNew) { progress.withdraw() }
            throw said ?? error
        }
        InterruptNotice.clear()
        if let remark = begun.settle(key, of: connection.place().profile) { terminal.say(remark) }
    }

    /// Whether an error proves that this command did not pay the transfer.
    /// - Parameters:
    ///   - said: the error as the person reads it, if it concerns payments.
    ///   - isNew: whether no other command of this wallet has begun it.
    private static func isUnpaid(
        _ error: any Error, _ said: Failure?, _ key: String, _ stage: TransferProgress.Stage, isNew: Bool
    ) -> Bool {
        if stage == .unapproved { return true }
        // An earlier command may have paid with the key of a repetition.
        guard isNew, said?.leavesTransferOpen(key: key) != true else { return false }
        // A refusal, or an error from before the request was sent.
        return said?.saysUnpaid == true || stage == .sent && (said != nil || error is WalletError)
    }

    /// Keeps the transfer before it is sent, and says how to repeat it.
    /// - Returns: its progress, and whether its key is new.
    /// - Throws: ``Failure`` if it may have been paid already, or waits for approval in another terminal.
    private func begin(
        _ key: String, _ amount: Money, in begun: BegunTransfers, _ backend: Backend, _ terminal: Terminal
    ) async throws -> (TransferProgress, isNew: Bool) {
        // Loads the session without a call.
        _ = try? await backend.wallet.pendingSCA
        let transfer = BegunTransfer(
            key: key, backend: backend.url, subject: backend.wallet.identity?.subject ?? "", payee: to, amount: amount,
            begunAt: Date())
        let profile = connection.place().profile
        let others = try begun.all(of: transfer.subject).filter { $0.key != key }
        let isNew = try begun.begin(transfer, again: again)
        for other in others { terminal.say(other.notice(of: profile)) }
        if idempotencyKey == nil {
            terminal.say("If this is interrupted, repeat it with --idempotency-key \(key).")
        }
        return (TransferProgress(transfer, in: begun, of: profile), isNew)
    }

    /// An error of a transfer as the person reads it; nil if it does not concern payments.
    private static func said(
        of error: any Error, key: String, _ backend: URL, _ stage: TransferProgress.Stage
    ) -> Failure? {
        switch error {
        case let error as WalletError: Failure(payment: error, key: key, stage)
        case let failure as Failure: failure.ofTransfer(key: key)
        case let fault as MalformedValue: Failure(malformed: fault, from: backend).ofTransfer(key: key)
        default: nil
        }
    }
}

struct TransferReport: Report {
    let transferID: String
    let to: PayeeReport
    let amount: Money
    let walletOperationID: String
    let sca: String
    let exemption: String?
    let eventID: String?

    init(_ object: JSONObject) throws(MalformedValue) {
        transferID = try object.required("transferId", object.string("transferId"))
        to = try PayeeReport(object.required("to", object["to"]?.object))
        amount = try Money(object["amount"]?.object)
        walletOperationID = try object.required("walletOperationId", object.string("walletOperationId"))
        sca = try object.required("sca", object.string("sca"))
        exemption = try object.string("exemption")
        eventID = try object.string("eventId")
    }

    var lines: [String] {
        let basis = sca == "VERIFIED" ? "you approved it" : "not needed: \(OperationDescription.exemption(exemption))"
        // The backend knows it by the first id, and the server's audit log by the second: `walletauth audit tail --operation`.
        return [
            "Paid \(amount.words) to \(to.name).", "  transfer   \(transferID)", "  operation  \(walletOperationID)",
            "  consent    \(basis)",
        ]
    }
}

extension Failure {
    /// This failure of a transfer, with the key to repeat it with where the answer does not tell whether it was paid: a gateway
    /// may answer in the backend's place after the backend has paid. Only a refusal with a code of the backend's own tells, and
    /// one of the token, which is checked first.
    func ofTransfer(key: String) -> Failure {
        if code == Self.tooManyOpenTransfers { return self }
        if let status = statusCode {
            let isRefusal = (400..<500).contains(status) && status != 408 && status != 429
            let hasCode = !code.hasPrefix("http_")
            if isRefusal && (hasCode || status == 401 || status == 403) { return self }
        } else if code != "malformed_answer" {
            // It came from this program, before the payment was sent.
            return self
        }
        var failure = self
        // It is no refusal: one would mean that nothing was paid.
        let refused = "refused: "
        if failure.message.hasPrefix(refused) { failure.message.removeFirst(refused.count) }
        failure.message += "; \(Self.unknownOutcome)"
        failure.advice = Self.findingOut(with: key)
        return failure
    }

    private static let unknownOutcome = "it is not known whether the transfer was paid"

    private static func findingOut(with key: String) -> String {
        "\(repetition(with: key)); or see: wallet balance"
    }

    static func repetition(with key: String) -> String {
        "repeat it with --idempotency-key \(key) while you stay signed in: you pay only once"
    }

    /// Whether the transfer may have been paid in spite of this failure.
    fileprivate func leavesTransferOpen(key: String) -> Bool {
        advice.contains(Self.repetition(with: key))
            || ["transfer_interrupted", "idempotency_mismatch", "sca_already_used"].contains(code)
    }

    /// Whether this failure tells that nothing was paid. Another request with the same key tells nothing of the first.
    var saysUnpaid: Bool { code != "idempotency_mismatch" && message.contains("nothing was paid") }

    /// The failure of a payment; nil for errors that do not concern payments.
    init?(payment error: WalletError, key: String, _ stage: TransferProgress.Stage = .sent) {
        guard let text = Self.textOfPayment(error, key, stage) else { return nil }
        self.init(error, code: error.code == .cancelledByPerson ? Self.notAgreed.code : nil, text)
    }

    /// After "I didn't start this", on the page or in another app. It says nothing of a repetition, which would be refused as well.
    static let ofRefused = Text(
        "you refused this payment; nothing was paid",
        "if you did not start it, someone else may be signed in as you: change your password, and see: wallet device list"
    )

    private static func textOfPayment(
        _ error: WalletError, _ key: String, _ stage: TransferProgress.Stage
    ) -> Text? {
        switch (error.code, error.outcome) {
        case (.dataError, _) where error.remainingAttempts != 0:
            Text(
                "the consent has ended: it expired, was withdrawn or used",
                "\(Self.repetition(with: key)); or start a new transfer if nothing was paid")
        case (.dataError, _) where error.pinLockReason != nil:
            Text(
                "there were too many wrong PINs: this device's PIN is locked now; nothing was paid",
                "start a new transfer and approve it in another way (--factor), or set a new PIN: \(withTwoFactors), then: wallet pin set"
            )
        case (.dataError, _):
            Text(
                "there were too many wrong attempts; nothing was paid",
                "start a new transfer: wallet transfer --to NAME --amount AMOUNT")
        case (.pinLocked, _):
            Text(
                "\(PINLockReason.inWords(error.pinLockReason)); nothing was paid",
                "start a new transfer and approve it in another way (--factor), or set a new PIN: \(withTwoFactors), then: wallet pin set"
            )
        case (.pinExhausted, _):
            Text(
                "too many wrong PINs on this device within thirty days; the PIN is locked for now; nothing was paid",
                "start a new transfer and approve it in another way (--factor)")
        case (.cancelledByPerson, _) where error.isRefusedByPerson: ofRefused
        case (.cancelledByPerson, _): Text(notAgreed.message, notAgreed.advice)
        case (.operationMismatch, _):
            Text(
                "the operation you were asked to approve is not yours; nothing was signed or paid",
                "contact the wallet's issuer")
        case (.scaUnavailable, _), (.noCodeLeft, _), (.verificationUnavailable, _):
            Text(
                "you have no way left to approve this here; nothing was paid",
                "set up another way first with: wallet mfa authenticator, or: wallet pin set; then start a new transfer"
            )
        case (.pushUnavailable, _):
            Text(
                "no push message reaches another device of yours; nothing was paid",
                "start a new transfer and approve it in another way (--factor); or, on that device: wallet device push TOKEN"
            )
        case (_, .offline) where stage == .unapproved, (_, .temporarilyUnavailable) where stage == .unapproved:
            Text(
                "the transfer was not approved, so it was not paid: \(reason(error))",
                "try again later; \(repetition(with: key))")
        case (_, .offline), (_, .temporarilyUnavailable):
            Text("\(unknownOutcome): \(reason(error))", findingOut(with: key))
        default: nil
        }
    }
}
