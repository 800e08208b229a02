import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

/// A browser that shows a code, and Ada's phone, which may scan it.
final class ScanTable {
    static let home = TestServer.origin
    static let elsewhere = RequestOrigin(
        address: "203.0.113.9", traceID: "00000000000000000000000000000002",
        userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0")

    let till: TestTill
    let client: TestClient
    let browser: TestBrowser

    var server: TestServer { till.server }

    private init(till: TestTill, client: TestClient, browser: TestBrowser) {
        self.till = till
        self.client = client
        self.browser = browser
    }

    /// - Parameters:
    ///   - isOn: whether the operator has turned scans on.
    ///   - pastCooling: whether the phone has been Ada's for long enough.
    static func set(isOn: Bool = true, pastCooling: Bool = true) async throws -> ScanTable {
        let till = try await TestTill.open(pastCooling: pastCooling)
        if isOn { try await till.server.administer(["brand", "update", "default", "--scan-sign-in", "on"]) }
        let client = try await till.server.bearerClient("web")
        return ScanTable(till: till, client: client, browser: TestBrowser(till.server))
    }

    /// The same phone, and the page of another client.
    func opened(by client: TestClient) -> ScanTable {
        ScanTable(till: till, client: client, browser: TestBrowser(server))
    }

    // MARK: - The browser

    /// What a browser shows.
    struct Shown {
        let id: String
        let code: String
    }

    /// Opens the page and asks for a code.
    func show(
        in browser: TestBrowser? = nil, from origin: RequestOrigin = ScanTable.home,
        _ adjust: (inout [String: String?]) -> Void = { _ in }
    ) async throws -> Shown {
        let browser = browser ?? self.browser
        let page = try await browser.open(client.request(adjust)).page()
        let outcome = try await press(.useScan, on: page, in: browser, from: origin)
        let id = try #require(outcome.restart?.split(separator: "/").last.map(String.init))
        return Shown(id: id, code: try #require(try await look(id, in: browser).page().scan?.code))
    }

    func press(
        _ action: SignInPage.Action, on page: SignInPage, in browser: TestBrowser, from origin: RequestOrigin
    ) async throws -> AuthorizationAnswer.Outcome {
        let submission = PageSubmission(request: page.request, csrf: page.csrf, action: action)
        return browser.take(
            try await server.flows.signIn.authorization.submit(submission, cookies: browser.cookies, origin: origin))
    }

    /// Loads the page of a code again.
    func look(_ id: String, in browser: TestBrowser? = nil) async throws -> AuthorizationAnswer.Outcome {
        let browser = browser ?? self.browser
        return browser.take(
            try await server.flows.signIn.authorization.scan(id, cookies: browser.cookies, origin: Self.home))
    }

    // MARK: - The phone

    typealias Outcome<Value: Sendable> = Result<Value, DeviceTransactionRefusal>

    func scan(
        _ code: String, by phone: TestPIN? = nil, from origin: RequestOrigin = TestServer.origin
    ) async throws -> Outcome<ScannedSignIn> {
        try await till.claim(SignInCode(code), by: phone, from: origin)
    }

    func choose(
        _ number: Int64, of signIn: ScannedSignIn, by phone: TestPIN? = nil
    ) async throws -> Outcome<DeviceTransaction> {
        let id = signIn.transactionID
        let choice = ScannedSignInChoice(deviceID: (phone ?? till.phone).id, number: number)
        return try await till.flows.signIns.choose(
            choice, of: id,
            call: till.deviceCall(Endpoints.scannedSignInChoice.path(id), choice.json.bytes, by: phone))
    }

    func refuse(_ id: TransactionID, by phone: TestPIN? = nil) async throws -> Outcome<Void> {
        let refusal = ScannedSignInRefusal(deviceID: (phone ?? till.phone).id)
        return try await till.flows.signIns.refuse(
            refusal, of: id,
            call: till.deviceCall(Endpoints.scannedSignInRefusal.path(id), refusal.json.bytes, by: phone))
    }

    /// The act of approving a sign-in.
    func act(_ chosen: DeviceTransaction) -> DeviceAssertion.Act {
        .transaction(chosen.transactionID, .scannedSignIn(chosen.payload))
    }

    func approve(
        _ chosen: DeviceTransaction, by phone: TestPIN? = nil, _ pin: String = TestTill.pin
    ) async throws -> Outcome<DeviceTransaction> {
        let assertion = try await (phone ?? till.phone).assertion(of: act(chosen), pin)
        return try await sign(chosen, assertion)
    }

    func sign(_ chosen: DeviceTransaction, _ assertion: SignedAssertion) async throws -> Outcome<DeviceTransaction> {
        try await till.flows.signIns.sign(
            TransactionSignature(assertion: assertion), of: chosen.transactionID, origin: TestServer.origin)
    }

    /// Scans a code, finds its number on the page, and chooses it.
    func chosen(
        _ shown: Shown, by phone: TestPIN? = nil, in browser: TestBrowser? = nil
    ) async throws -> DeviceTransaction {
        let signIn = try await scan(shown.code, by: phone).get()
        let number = try #require(try await look(shown.id, in: browser).page().scan?.number)
        return try await choose(number, of: signIn, by: phone).get()
    }

    /// Signs a browser in by the phone.
    func signIn(by phone: TestPIN? = nil) async throws -> (id: TransactionID, code: AuthorizationCode) {
        let shown = try await show()
        let chosen = try await chosen(shown, by: phone)
        _ = try await approve(chosen, by: phone).get()
        return (chosen.transactionID, try await look(shown.id).code())
    }

    func record(_ id: String) async throws -> ScanSignInRecord? {
        try await server.context.database.read { connection in
            try UniqueID(uuid: id).flatMap { try ScanSignIns.find($0, on: connection) }
        }
    }
}

extension TestTill {
    /// Has a phone claim the sign-in of a code.
    func claim(
        _ code: SignInCode, by phone: TestPIN? = nil, from origin: RequestOrigin = TestServer.origin
    ) async throws -> Result<ScannedSignIn, DeviceTransactionRefusal> {
        let claim = ScannedSignInClaim(code: code, deviceID: (phone ?? self.phone).id)
        return try await flows.signIns.claim(
            claim, call: deviceCall(Endpoints.scannedSignInClaim.path, claim.json.bytes, by: phone, from: origin))
    }
}

extension SignInPage {
    /// The code or number of a page that waits for a phone.
    var scan: Scan? { if case .scan(let scan) = step { scan } else { nil } }
}

extension ScannedSignIn {
    /// A number that the page does not show.
    func wrongNumber(than right: Int64?) -> Int64 { numbers.first { $0 != right } ?? 0 }
}
