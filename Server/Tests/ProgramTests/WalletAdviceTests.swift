import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What `wallet` advises")
struct WalletAdviceTests {
    private func line(
        _ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused, during operation: WalletError.Operation
    ) -> String {
        Failure(
            WalletError(code, outcome, during: operation, reachedServer: true, reason: "the server says no"),
            at: Failure.Place(server: "https://auth.example.com", client: "wallet")
        ).line
    }

    @Test(
        "A recovery that is refused says why, and never advises what was just tried or cannot work",
        arguments: [
            WalletError.Code.recoveryUnavailable, .walletDeactivated, .deviceDeactivated, .deviceSuspended,
        ])
    func recovery(code: WalletError.Code) {
        let said = line(code, during: .recover)
        #expect(!said.contains("wallet recover"), "\(said)")
        #expect(!said.contains("wallet sign-in"), "\(said)")
        #expect(said.contains("ask the server's operator"), "\(said)")
    }

    @Test("A wrong code of a recovery is not called a wrong user name or password, and the way on sends another")
    func recoveryCode() {
        for code in [WalletError.Code.invalidCredentials, .invalidSession] {
            let said = line(code, during: .recover)
            #expect(!said.contains("password"), "\(said)")
            #expect(said.contains("wallet recover --username NAME"), "\(said)")
        }
    }

    @Test(
        "A wrong credential is called by the name of the way that was used",
        arguments: [
            (.loginByUsernamePassword, "the user name or the password is wrong"),
            (.generateDeviceToken, "the user name or the password is wrong"),
            (.loginByAccountPIN, "the user name or the PIN is wrong, or the PIN is locked"),
            (.loginByPIN, "the PIN is wrong, or the server no longer knows this device"),
            (.loginByNonce, "the nonce is wrong"), (.changePassword, "the current password is wrong"),
        ] as [(WalletError.Operation, String)])
    func credentials(operation: WalletError.Operation, cause: String) {
        let said = line(.invalidCredentials, during: operation)
        #expect(said.hasPrefix("wallet: \(cause)"), "\(said)")
        #expect(!said.contains("code"), "\(said)")
    }

    @Test("A wrong second factor is called by its own name, and not a wrong password")
    func secondFactors() {
        func failure(_ method: String, during operation: WalletError.Operation) -> Failure {
            Failure(
                secondFactor: WalletError(.invalidCredentials, .refused, during: operation, reason: "no"),
                method: method)
        }
        for (method, cause) in [
            ("totp", "the code is wrong"), ("otp", "the code is wrong"),
            ("recovery_code", "the recovery code is wrong"), ("secret_question", "the answer is wrong"),
        ] {
            let wrong = failure(method, during: .loginByUsernamePassword)
            #expect(wrong.message.hasPrefix(cause), "\(wrong.line)")
            #expect(wrong.code == "invalid_credentials" && !wrong.line.contains("password"), "\(wrong.line)")
            let recovery = failure(method, during: .recover)
            #expect(recovery.message == wrong.message)
            #expect(recovery.advice.contains("wallet recover --username NAME"), "\(recovery.line)")
        }
    }

    @Test("A wallet that wrong passwords closed is opened by its holder, and a sign-in says how")
    func deactivated() {
        let said = line(.walletDeactivated, during: .loginByUsernamePassword)
        #expect(said.contains("wallet recover --username NAME"), "\(said)")
    }

    @Test(
        "At a server of another kind its own words are said with the URL that answered, and no command of this project's tools",
        arguments: [
            "invalid_client", "unauthorized_client", "invalid_scope", "invalid_request", .malformedAnswer,
            .unsupportedByServer,
        ] as [WalletError.Code])
    func anotherServer(code: WalletError.Code) throws {
        let place = try #require(URL(string: "https://id.example.org/token"))
        for operation in [WalletError.Operation.signIn, .refresh, .setUp] {
            let error = WalletError(
                code, .misconfigured, during: operation, reachedServer: true, answeredBy: place,
                reason: "Client is \u{1B}[31mnot known")
            let said = Failure(error, at: Failure.Place(server: "https://id.example.org", client: "wallet")).line
            #expect(!said.contains("walletauth"), "\(said)")
            #expect(said.contains("not known"), "\(said)")
            #expect(said.contains("https://id.example.org/token"), "\(said)")
            #expect(said.contains(code.rawValue), "\(said)")
        }
    }

    @Test("At this project's server the command that mends the registration is named")
    func ownServer() {
        let error = WalletError(
            "invalid_client", .misconfigured, during: .loginByUsernamePassword, reachedServer: true,
            isFromWalletAuth: true, reason: "the client is not known")
        let said = Failure(error, at: Failure.Place(server: "https://auth.example.com", client: "wallet")).line
        #expect(said.contains("walletauth client create --id wallet"), "\(said)")
        // Without scopes the next sign-in would be refused as well.
        #expect(said.contains("--scope \"openid profile offline_access\""), "\(said)")
    }

    @Test("At a server that calls itself otherwise the issuer is to be corrected, and the client is not looked at")
    func issuer() {
        let error = WalletError(
            .issuerMismatch, .misconfigured, during: .setUp, reachedServer: true, isFromWalletAuth: true,
            reason: "the server calls itself http://127.0.0.1:8700: configure that issuer")
        let said = Failure(error, at: Failure.Place(server: "http://localhost:8700", client: "wallet")).line
        #expect(said.contains("--issuer") && !said.contains("client show"), "\(said)")
    }

    @Test("An issuer may be typed with its scheme in capitals; the rest of it is compared to the letter")
    func scheme() {
        #expect(ConnectionOptions.withUsualScheme("HTTP://127.0.0.1:8700/A") == "http://127.0.0.1:8700/A")
        #expect(ConnectionOptions.withUsualScheme("https://Auth.example.com") == "https://Auth.example.com")
        #expect(ConnectionOptions.withUsualScheme("localhost") == "localhost")
    }

    @Test("A link without what is behind its # comes with the reason why a shell cut it")
    func cutLink() {
        #expect(
            line(.invalidQRData, during: .signTransaction).contains("in quotes, because the code comes after its #"))
    }

    @Test(
        "A transfer whose answer may be a gateway's comes with the key to repeat it with; a refusal by the backend does not"
    )
    func transfer() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        func line(_ status: Int, _ code: String? = nil, challenges: String = "") -> String {
            let problem = code.map { Problem(JSONObject(strings: ["code": $0, "title": "No."])) }
            return Failure(backend: backend, session: nil, status: status, problem: problem, challenges: challenges)
                .ofTransfer(key: "k-1").line
        }
        let repeated = "the transfer may have been paid; repeat it with --idempotency-key k-1: you pay only once"
        for status in [302, 404, 408, 429, 500, 502, 503, 504] {
            #expect(line(status).hasSuffix(repeated), "\(line(status))")
        }
        #expect(line(503, "temporarily_unavailable").hasSuffix(repeated))
        let malformed = Failure(malformed: MalformedValue(field: "transferId", reason: "is missing"), from: backend)
        #expect(malformed.ofTransfer(key: "k-1").line.hasSuffix(repeated))
        let refused = [
            line(409, "operation_changed"), line(422, "insufficient_funds"), line(401),
            line(403, challenges: "DPoP error=\"insufficient_scope\""),
        ]
        let own = Failure(code: "way_not_offered", message: "m", advice: "use one of: email").ofTransfer(key: "k-1")
        #expect(own.line == "wallet: m; use one of: email")
        for said in refused { #expect(!said.contains("may have been paid"), "\(said)") }
    }

    @Test("A session that is kept and not renewed comes with --again as the way out, unless waiting mends it")
    func notRenewed() throws {
        let refused = WalletError(.renewalRefused, .refused, during: .refresh, reachedServer: true, reason: "no")
        func failure(_ error: WalletError?, hasExpired: Bool) -> Failure? {
            Failure(notRenewing: error, at: "https://id.example.org", hasExpired: hasExpired)
        }
        for hasExpired in [false, true] {
            let line = try #require(failure(refused, hasExpired: hasExpired)).line
            #expect(line.contains("wallet sign-in --again"), "\(line)")
            #expect(failure(nil, hasExpired: hasExpired) == nil)
        }
        let busy = WalletError(
            .temporarilyUnavailable, .temporarilyUnavailable(retryAfter: nil), during: .refresh, reason: "busy")
        #expect(failure(busy, hasExpired: false) == nil)
    }

    @Test("A session whose token has expired is not called one that goes on, whatever kept it from being renewed")
    func expired() throws {
        func line(_ outcome: WalletError.Outcome, reachedServer: Bool) throws -> String {
            let error = WalletError(
                "a_code", outcome, during: .refresh, reachedServer: reachedServer, reason: "the cause")
            return try #require(Failure(notRenewing: error, at: "https://id.example.org", hasExpired: true)).line
        }
        let answered = try line(.temporarilyUnavailable(retryAfter: nil), reachedServer: true)
        #expect(answered.contains("your token has expired and could not be renewed"), "\(answered)")
        #expect(answered.contains("the cause") && answered.contains("wallet sign-in --again"), "\(answered)")
        for outcome in [.offline, .temporarilyUnavailable(retryAfter: nil)] as [WalletError.Outcome] {
            let unreached = try line(outcome, reachedServer: false)
            #expect(unreached.contains("your token has expired and could not be renewed"), "\(unreached)")
            #expect(unreached.contains("when the server can be reached") && !unreached.contains("--again"))
        }
    }

    @Test("A token that a backend refuses is no matter of walletauth's registration where another server issued it")
    func refusedToken() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        let said = Failure(backend: backend, session: nil, status: 401, problem: nil, challenges: "").line
        #expect(said.contains("does not accept your token"), "\(said)")
        #expect(said.contains("check --backend") && !said.contains("--resource"), "\(said)")
    }

    @Test("What a backend's place answers with an error has no advice to repeat the command that was just run")
    func foreignErrors() throws {
        let backend = try #require(URL(string: "https://wallet.example.com"))
        for status in [403, 404, 500] {
            let said = Failure(backend: backend, session: nil, status: status, problem: nil, challenges: "").line
            #expect(!said.contains("wallet balance"), "\(said)")
        }
    }

    @Test("Sessions that a sign-out could not end are counted in a sentence of their own")
    func unrevoked() throws {
        #expect(SignOut.line(ofUnrevoked: 0) == nil)
        let one = try #require(SignOut.line(ofUnrevoked: 1))
        #expect(one.hasPrefix("1 older session stays active at the server until it expires"), "\(one)")
        let more = try #require(SignOut.line(ofUnrevoked: 4))
        #expect(more.hasPrefix("4 older sessions stay active at the server until they expire"), "\(more)")
        #expect(more.contains("the newest 16"), "\(more)")
    }

    @Test("The commands of an advice name the profile that the command was for, and no profile where it named none")
    func profile() {
        let error = WalletError(.signedOut, .signedOut(.neverSignedIn), during: .setUp, reason: "no")
        #expect(
            Failure(error, at: Failure.Place(profile: "aurora")).advice
                == "sign in with: wallet sign-in --profile aurora")
        #expect(Failure(error, at: Failure.Place()).advice == "sign in with: wallet sign-in")
        for (advice, expected) in [
            (
                "sign in with wallet sign-in --username NAME, then: wallet pin set",
                "sign in with wallet sign-in --profile a --username NAME, then: wallet pin set --profile a"
            ),
            (
                "first: wallet device-token generate --username NAME",
                "first: wallet device-token generate --profile a --username NAME"
            ),
            ("wallet sign-in --profile a", "wallet sign-in --profile a"),
            ("ask the wallet's issuer", "ask the wallet's issuer"),
            ("wait for the other wallet command to finish", "wait for the other wallet command to finish"),
        ] {
            #expect(Failure.naming("a", in: advice) == expected)
        }
    }

    @Test("A sign-in that replaced another account's session names that account, and its server if it was another one")
    func replaced() throws {
        let ada = SignedInAccount(issuer: "https://a.example.com", subject: "1", name: "ada")
        #expect(SignedInAccount(issuer: ada.issuer, subject: "1", name: "1").line(replacing: ada) == nil)
        let eve = SignedInAccount(issuer: ada.issuer, subject: "2", name: "eve")
        let line = try #require(eve.line(replacing: ada))
        #expect(line.hasPrefix("ada was signed in here before and is now signed out."), "\(line)")
        let elsewhere = SignedInAccount(issuer: "https://b.example.com", subject: "1", name: "ada")
        #expect(elsewhere.line(replacing: ada)?.hasPrefix("ada at https://a.example.com was signed in") == true)
    }

    @Test("A device that could not be linked: the person learns what links it")
    func linking() {
        func failure(_ code: WalletError.Code, _ outcome: WalletError.Outcome = .refused) -> Failure {
            Failure(linking: WalletError(code, outcome, during: .enrollDevice, reason: "no"))
        }
        let weak = failure(.insufficientUserAuthentication)
        #expect(weak.message == "the factors you signed in with cannot link a device")
        #expect(weak.advice.contains("--two-factors, then: wallet device enroll NAME"), "\(weak.advice)")
        let full = failure(.tooManyDevices)
        #expect(full.advice == "remove one first: wallet device list, then: wallet device enroll NAME")
        let offline = failure(.offline, .offline)
        #expect(offline.advice.hasSuffix(", then: wallet device enroll NAME"), "\(offline.advice)")
    }

    @Test(
        "A transaction that this device cannot sign: the cause is named, and only what leads out of it",
        arguments: [
            (SecondFactorShortage(required: .pin, pin: .notSet), "no PIN is set", "wallet pin set"),
            (
                SecondFactorShortage(required: .any, pin: .locked(.tooManyTries)), "locked after too many wrong PINs",
                "--two-factors --username NAME), then: wallet pin set"
            ),
            (
                SecondFactorShortage(required: .pin, pin: .locked(.restore)), "restored from a backup",
                "--two-factors --username NAME), then: wallet pin set"
            ),
            (
                SecondFactorShortage(required: .pin, pin: .exhausted(until: NumericDate(clamping: 1_900_000_000))),
                "locked until 2030-03-17T17:46:40Z", "wallet device enroll NAME, and wallet pin set"
            ),
            (SecondFactorShortage(required: .biometric), "only with face or fingerprint", "scan the code with a phone"),
        ])
    func shortage(shortage: SecondFactorShortage, cause: String, advice: String) {
        let failure = Failure(
            WalletError(
                .secondFactorUnavailable, .refused, during: .signTransaction, reachedServer: true,
                secondFactorShortage: shortage, reason: "the server says no"), at: Failure.Place())
        #expect(failure.code == "second_factor_unavailable")
        #expect(failure.message.contains(cause), "\(failure.line)")
        #expect(failure.advice.contains(advice), "\(failure.line)")
        #expect(failure.line.contains("wallet pin set") == (shortage.required != .biometric), "\(failure.line)")
    }

    @Test("A transaction is signed with the PIN where that is allowed, in whichever order the server lists the factors")
    func usualFactor() {
        #expect(TransactionDialogue.usual(of: [.biometric, .pin]) == .pin)
        #expect(TransactionDialogue.usual(of: [.pin, .biometric]) == .pin)
        #expect(TransactionDialogue.usual(of: [.biometric]) == .biometric)
    }

    @Test("The servers that may have a token are remembered for its issuer alone, by scheme, host and port")
    func recipients() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recipients-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func target(_ text: String) throws -> URL { try #require(URL(string: text)) }
        let own = TokenRecipients(issuer: "https://auth.example.com/tenant", folder: folder)
        #expect(try own.include(target("https://AUTH.example.com:443/me")))
        #expect(try !own.include(target("https://api.example.com/me")))
        try own.add(target("https://api.example.com/me"))
        #expect(try own.include(target("https://api.example.com/other")))
        #expect(try target("http://[::1]:8080/me").origin == "http://[::1]:8080")
        for foreign in [
            "http://api.example.com/me", "https://api.example.com:8443/me", "https://api.example.com.evil.example/",
            "https://auth.example.com@evil.example/",
        ] {
            #expect(try !own.include(target(foreign)), "\(foreign)")
        }
        #expect(
            try !TokenRecipients(issuer: "https://other.example", folder: folder)
                .include(target("https://api.example.com/me")))
    }

    @Test("A page that did not come back is no mistake of this program")
    func page() {
        for kind in [UserAgentFailure.Kind.cancelledByPerson, .timedOut, .unavailable, .failed] {
            let failure = Failure(UserAgentFailure(kind, reason: "nobody came back in time"), at: Failure.Place())
            #expect(!failure.line.contains("please report this"), "\(failure.line)")
            #expect(failure.line.contains("nobody came back in time"), "\(failure.line)")
        }
    }

    @Test("Where the server did not learn of a forgotten PIN, a signed-in person is not sent to sign in again")
    func forgottenPIN() {
        func note(_ outcome: WalletError.Outcome) -> String {
            PINCommands.Remove.note(on: WalletError("a_code", outcome, during: .forgetPIN, reason: "no"))
        }
        for outcome in [.offline, .temporarilyUnavailable(retryAfter: nil), .misconfigured] as [WalletError.Outcome] {
            #expect(note(outcome).hasSuffix("When it can be reached, run: wallet pin remove"))
        }
        #expect(note(.signedOut(.loggedOut)).hasSuffix("After you sign in again, run: wallet pin remove"))
    }

    @Test("A web page in an answer's place: the network's sign-in is the way on, and the code is not one for good")
    func webPage() throws {
        func failure(
            _ code: WalletError.Code, _ outcome: WalletError.Outcome, during operation: WalletError.Operation,
            by url: String?, isFromWalletAuth: Bool = false
        ) -> Failure {
            Failure(
                WalletError(
                    code, outcome, during: operation, reachedServer: true, answeredBy: url.flatMap(URL.init(string:)),
                    isFromWalletAuth: isFromWalletAuth,
                    reason: "https://auth.example.com/x answered 200 with a web page instead of JSON"),
                at: Failure.Place(server: "https://auth.example.com", client: "wallet"))
        }
        let answeredBy = "https://auth.example.com/x"
        let failures = [
            failure(.unsupportedByServer, .misconfigured, during: .setUp, by: nil),
            failure(.malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: .listFactors, by: answeredBy),
            failure(.malformedAnswer, .temporarilyUnavailable(retryAfter: nil), during: .refresh, by: answeredBy),
            failure(.malformedAnswer, .misconfigured, during: .signIn, by: answeredBy),
            failure(.malformedAnswer, .misconfigured, during: .signIn, by: answeredBy, isFromWalletAuth: true),
        ]
        for failure in failures {
            #expect(failure.code == "malformed_answer")
            #expect(failure.advice.contains("if this network has a sign-in page"), "\(failure.line)")
        }
        // A standard server that has a page for every path.
        let other = failure(.unsupportedByServer, .misconfigured, during: .listFactors, by: answeredBy)
        #expect(other.code == "unsupported_by_server")
        #expect(other.message.contains("only a walletauth server does"), "\(other.line)")
    }

    @Test("A provider's refusal is shown with what to do about it")
    func provider() throws {
        let page = ProviderPage(
            endpoint: try #require(URL(string: "https://idp.example.com/authorize")), clientID: "wallet-server",
            redirectURI: try #require(URL(string: "http://127.0.0.1/callback")), opener: { _ in })
        #expect(page.refusal("access_denied").message.contains("refused the sign-in"))
        let client = page.refusal("unauthorized_client")
        #expect(client.message == "the provider refused: unauthorized_client")
        #expect(client.advice.contains("--provider-client-id"), "\(client.advice)")
        #expect(client.advice.contains("http://127.0.0.1/callback"), "\(client.advice)")
    }

    @Test("Exemptions and kinds of operations are shown in words")
    func words() {
        for name in [
            "LOW_VALUE", "TRUSTED_BENEFICIARY", "RECURRING", "OWN_ACCOUNT", "ACCOUNT_INFORMATION", "RISK_ANALYSIS",
        ] {
            let said = OperationDescription.exemption(name)
            #expect(!said.contains("_") && said != said.uppercased(), "\(said)")
        }
        #expect(OperationDescription.exemption("LOW_VALUE") == "a small amount")
        #expect(OperationDescription.kind("TRANSFER") == "Transfer")
        #expect(OperationDescription.kind("TRUST_PAYEE") == "Trust payee")
        #expect(OperationDescription.kind("gift-card.v2") == "gift-card.v2")
    }
}
