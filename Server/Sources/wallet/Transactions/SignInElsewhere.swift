import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthPIN
import WalletAuthWire

struct SignInElsewhere: WalletCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in-elsewhere",
        abstract: "Signs in a browser whose sign-in page shows a code, with this device and its PIN.",
        discussion: """
            To see the code, press "Sign in with your phone" on an app's sign-in page. The button is there if the operator has set: \
            walletauth brand update BRAND --scan-sign-in on. Codes change every 20 seconds: take a picture of one, and pass it \
            with --picture FILE.

            You see which browser asks, choose the number that its page shows, and type this device's PIN. A wrong number ends \
            the attempt. If someone sent you the code, answer no. With --not-me, the browser that you approved is signed out.
            """)

    @Flag(help: "Only show which browser asks, and the three numbers; then use --number.")
    var look = false

    @Option(help: ArgumentHelp("The number on the page, for scripts.", valueName: "number"))
    var number: Int?

    @Flag(help: "Refuse the sign-in, or sign out the browser that was approved by this code.")
    var notMe = false

    @OptionGroup var code: SignInCodeSource
    @Option(
        help: ArgumentHelp(
            "Whom to sign in there, if this device has several accounts: a user name or an account id.",
            valueName: "name"))
    var account: String?
    @OptionGroup var pin: PINSource
    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func run(_ terminal: Terminal) async throws {
        let wallet = try connection.wallet()
        let accounts = try await wallet.accounts
        let dialogue = TransactionDialogue(
            answers: try pin.answers(), terminal: terminal, decision: .ask, factor: nil,
            account: try accounts.account(named: account), accounts: accounts)
        let text = try await code.text()
        if notMe {
            guard let scanned = try? SignInCode(text) else { throw Failure.notSignInCode }
            try await wallet.transactions.rejectSignIn(scanned.transactionID, account: dialogue.account)
            return terminal.print(
                SignInElsewhereReport(isApproved: false, transactionID: scanned.transactionID.rawValue))
        }
        let signIn = try await wallet.transactions.scanSignIn(text, account: dialogue.account)
        guard !look else { return terminal.print(SeenSignInReport(signIn)) }
        signIn.words.forEach { terminal.say($0) }
        guard let number = try chosen(signIn, terminal) else {
            try await signIn.reject()
            throw Failure.refusedSignIn
        }
        let approval = try await signIn.choose(number)
        try await dialogue.approve(approval)
        terminal.print(
            SignInElsewhereReport(isApproved: true, transactionID: signIn.id.rawValue, service: signIn.service))
    }

    /// - Returns: nil for a person who says that it is not them.
    private func chosen(_ signIn: ElsewhereSignIn, _ terminal: Terminal) throws -> Int? {
        if let number { return number }
        terminal.say("Which number does the page show? 0 if you did not open it.")
        let numbers = signIn.numbers.map(String.init)
        let person = Answers.person(instead: "--number NUMBER, or: --not-me")
        while true {
            let typed = try person.next(asking: "\(numbers.joined(separator: ", ")): ", shown: .visible)
            if typed == "0" { return nil }
            if numbers.contains(typed) { return Int(typed) }
            terminal.say("Type one of the three numbers, or 0.")
        }
    }
}

/// The source of a sign-in page's code.
struct SignInCodeSource: ParsableArguments {
    @Argument(help: "The text of the code, which begins with WALLET-LOGIN.")
    var code: String?

    @Option(
        help: ArgumentHelp(
            "Read the code from a picture of the page: PNG or JPEG, at most 16 MiB. Needs zbarimg.", valueName: "file"))
    var picture: String?

    func validate() throws {
        guard (code == nil) != (picture == nil) else { throw ValidationError("use either a code or --picture FILE") }
    }

    /// The text of the code.
    func text() async throws -> String {
        if let picture { return try await CodePicture(path: picture).text() }
        guard let code else { throw ValidationError("use either a code or --picture FILE") }
        return code
    }
}

extension TransactionDialogue {
    /// Asks for the PIN until it is right, or for a script once.
    fileprivate func approve(_ approval: ElsewhereSignIn.Approval) async throws {
        guard approval.allowedSecondFactors.contains(.pin) else {
            throw Failure(
                code: "second_factor_unavailable", message: "no PIN is set on this device",
                advice: "sign in, then: wallet pin set")
        }
        while true {
            guard let pin = try answers.pin() else { throw Failure.notApprovedSignIn }
            do {
                return try await approval.approve(pin: pin)
            } catch let error as WalletError where answers.isPerson && error.remainingAttempts ?? 0 > 0 {
                terminal.say("The PIN is wrong. Attempts left: \(error.remainingAttempts ?? 0).")
            }
        }
    }
}

extension ElsewhereSignIn {
    /// What the person has to know, line by line.
    fileprivate var words: [String] {
        let place = [browser, system].compactMap(\.self)
        return [
            "A browser asks to sign in to \(service.quoted) as you:",
            "  browser  \(place.isEmpty ? "unknown" : place.joined(separator: " on "))",
            isOnSameNetwork
                ? "  network  the same as yours" : "  network  another one than yours; it may be a stranger's",
        ]
    }
}

/// A sign-in before the number is chosen.
struct SeenSignInReport: Report {
    let service: String
    let browser: String?
    let system: String?
    let sameNetwork: Bool
    let numbers: [Int]
    let expiresAt: Date
    private let words: [String]

    init(_ signIn: ElsewhereSignIn) {
        service = signIn.service
        browser = signIn.browser
        system = signIn.system
        sameNetwork = signIn.isOnSameNetwork
        numbers = signIn.numbers
        expiresAt = signIn.expiresAt
        words = signIn.words
    }

    private enum CodingKeys: String, CodingKey { case service, browser, system, sameNetwork, numbers, expiresAt }

    var lines: [String] { words + ["  numbers  \(numbers.map(String.init).joined(separator: ", "))"] }
}

struct SignInElsewhereReport: Report {
    let isApproved: Bool
    let transactionID: String
    var service: String?

    var lines: [String] {
        isApproved
            ? ["Approved. The browser signs in to \(service ?? "") now.", "  sign-in  \(transactionID)"]
            : [
                "Refused. A browser that you approved by scanning is signed out.",
                "If someone knows your PIN, change it: wallet pin change",
            ]
    }
}

extension Failure {
    fileprivate static let refusedSignIn = Failure(
        code: notAgreed.code, message: "you refused it; no one was signed in", advice: "to sign in, scan a new code")

    fileprivate static let notApprovedSignIn = Failure(
        code: notAgreed.code, message: "you did not approve it; no one was signed in",
        advice: "to sign in, scan a new code; if you did not open the page, use --not-me")

    fileprivate static let notSignInCode = Failure(
        code: "invalid_qr_data", message: "this is not a sign-in page's code", advice: "use the full text of the code")
}
