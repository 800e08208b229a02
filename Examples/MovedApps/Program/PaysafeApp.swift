import ArgumentParser
import Foundation
import PaysafeCompat
import PaysafePage
import PaysafePageSwift5
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app with the code of Paysafe's page on authentication.
struct PaysafeApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paysafe",
        abstract: "Signs in on the page and consents to a payment, with the code of Paysafe's page.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var mode: LanguageMode

    @Option(help: ArgumentHelp("The redirect URI, as registered.", valueName: "uri"))
    var redirectURI: String

    @Option(help: ArgumentHelp("Where a person who forgot the password is sent.", valueName: "url"))
    var resetCredentialsURL: String

    @Option(help: ArgumentHelp("The URL of the partner's backend.", valueName: "url"))
    var backend: String

    @Option(help: ArgumentHelp("The brand whose look the page has.", valueName: "id"))
    var brand = "default"

    func run() async throws {
        guard let backend = URL(string: backend) else { throw ValidationError("--backend is not a URL: \(backend)") }
        var configuration = try server.configuration()
        configuration.resources = .only([backend])
        try PaysafeCompat.Wallet.instance.configure(configuration)
        try await play(Partner(url: backend))
    }

    @MainActor
    private func play(_ partner: Partner) async throws {
        let answers = Answers()
        let page: any PaymentPage =
            mode.isSwift5
            ? Swift5PaysafeScreens { answers.note(Answer($0)) }
            : Swift6PaysafeScreens { answers.note(Answer($0)) }

        try await signIn(page, at: partner, answers)
        Dialogue.show("the partner's backend: pay 250.00 EUR")
        page.perform(partner.transfer, scaDetails: nil)
        guard case .scaRequired(let event) = try await answers.next() else { throw ExitCode(1) }
        let (eventID, operationID) = (event.eventID, event.walletOperationID)

        Dialogue.show("1. sendSCAChallenge")
        page.sendChallenge(eventID: eventID, walletOperationID: operationID)
        _ = try await answers.next()
        let code = try await Dialogue.ask("Code of the SMS")
        Dialogue.show("2. submitSCAAttempt, with a wrong value")
        page.submitAttempt(
            eventID: eventID, walletOperationID: operationID, value: code == "123456" ? "654321" : "123456")
        _ = try await answers.next()
        Dialogue.show("2. submitSCAAttempt")
        page.submitAttempt(eventID: eventID, walletOperationID: operationID, value: code)
        _ = try await answers.next()

        Dialogue.show("3. Retry the wallet operation, providing the scaDetails parameter")
        page.perform(
            partner.transfer,
            scaDetails: SCAAuthenticationEventRequest(eventID: eventID, walletOperationID: operationID))
        guard case .done = try await answers.next() else { throw ExitCode(1) }
    }

    /// The page's six steps, from the details to the session.
    @MainActor
    private func signIn(_ page: any PaymentPage, at partner: Partner, _ answers: Answers) async throws {
        let state = UUID().uuidString
        let verifier = UUID().uuidString + UUID().uuidString
        Dialogue.show("getAuthenticationDetails(brandIdentity: \(brand))")
        page.signIn(
            state: state, codeVerifier: verifier, clientIdentifier: server.clientID,
            resetCredentialsURL: resetCredentialsURL, redirectURI: redirectURI, loginHint: server.username,
            loginStrategy: .password, brandIdentity: brand)
        guard case .shownPage(let url) = try await answers.next() else { throw ExitCode(1) }
        let callback = try await Dialogue.open(url, until: redirectURI)
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let values = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        Dialogue.show(
            "    the URL has a code, and the state \(values["state"] == state ? "matches" : "is another one")")
        guard values["state"] == state, let code = values["code"] else { throw ExitCode(1) }
        let token = try await partner.accessToken(code: code, verifier: verifier, redirectURI: redirectURI)
        Dialogue.show("authenticate(AuthenticationConfiguration(token.accessToken))")
        PaysafeCompat.Wallet.instance.authenticate(AuthenticationConfiguration(token))
    }
}

/// What the page's code was given, in its words.
private enum Answer: Sendable {
    case shownPage(URL)
    case challenge(PaysafeCompat.Wallet.SCAAuthenticationEventChallengeEmbeddedHybridResponse)
    case attempt(PaysafeCompat.Wallet.SCAAuthenticationEventAttemptEmbeddedHybridResponse)
    case done(PaysafeCompat.Wallet.OperationResponse)
    case scaRequired(SCAAuthenticationEventResponse)
    case failed(PaysafeCompat.WalletError)

    var words: String {
        switch self {
        case .shownPage: ".success: response.authenticationURL is presented in an SFSafariViewController"
        case .challenge(let challenge):
            ".success: \(Self.words(challenge.verification.method, challenge.verification.channel)) to \(challenge.target ?? "")"
        case .attempt(let attempt):
            ".success: status \(attempt.status.rawValue), statusReason \(attempt.statusReason.rawValue)"
        case .done(let done): ".success: HTTP \(done.response.statusCode)"
        case .scaRequired(let event):
            ".failure: scaRequired, availableVerifications "
                + event.availableVerifications.map { Self.words($0.method, $0.channel) }.joined(separator: ", ")
        case .failed(let error): ".failure: \(error)"
        }
    }

    private static func words(
        _ method: PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerificationMethod,
        _ channel: PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerificationChannel
    ) -> String { "\(method.rawValue) by \(channel.rawValue)" }

    private init(failed error: PaysafeCompat.WalletError) {
        if case .scaRequired(let event, _) = error { self = .scaRequired(event) } else { self = .failed(error) }
    }

    init(_ event: Swift6PaysafeScreens.Event) {
        switch event {
        case .shownPage(let url): self = .shownPage(url)
        case .challenge(let challenge): self = .challenge(challenge)
        case .attempt(let attempt): self = .attempt(attempt)
        case .done(let response): self = .done(response)
        case .failed(let error): self.init(failed: error)
        }
    }

    init(_ event: Swift5PaysafeScreens.Event) {
        switch event {
        case .shownPage(let url): self = .shownPage(url)
        case .challenge(let challenge): self = .challenge(challenge)
        case .attempt(let attempt): self = .attempt(attempt)
        case .done(let response): self = .done(response)
        case .failed(let error): self.init(failed: error)
        }
    }
}

/// What the page's code was given so far.
@MainActor
private final class Answers: Sendable {
    private let (answers, answer) = AsyncStream<Answer>.makeStream()

    func note(_ next: Answer) { answer.yield(next) }

    /// Waits for the next one, and shows it.
    func next() async throws -> Answer {
        for await answer in answers {
            Dialogue.show("    \(answer.words)")
            return answer
        }
        throw ExitCode(1)
    }
}

/// The page's code in one of the two language modes.
@MainActor
private protocol PaymentPage {
    func signIn(
        state: String, codeVerifier: String, clientIdentifier: String, resetCredentialsURL: String, redirectURI: String,
        loginHint: String, loginStrategy: LoginStrategy, brandIdentity: String)
    func sendChallenge(eventID: String, walletOperationID: String)
    func submitAttempt(eventID: String, walletOperationID: String, value: String)
    func perform(_ operation: URLRequest, scaDetails: SCAAuthenticationEventRequest?)
}

extension Swift6PaysafeScreens: PaymentPage {}
extension Swift5PaysafeScreens: PaymentPage {}
