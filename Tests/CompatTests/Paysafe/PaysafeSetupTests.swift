import Foundation
import PaysafeCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite(
    "A new customer under Paysafe's names", .threat("Apps that moved here from another vendor"),
    .covers("walletSetupService"))
@MainActor
struct PaysafeSetupTests {
    private typealias Wallet = PaysafeCompat.Wallet
    private typealias Failure = PaysafeCompat.WalletError

    private static let address = "ada@example.com"
    private static let password = "a good long secret"

    private let world: PaysafeWorld
    private var setup: Wallet.WalletSetupService { world.wallet.walletSetupService }

    init() throws {
        world = try PaysafeWorld()
        world.server.setRegistration(true)
    }

    private func attribute(
        _ value: String = address, _ type: Wallet.CustomerDataVerificationAttributeType = .email
    ) -> Wallet.CustomerDataVerificationAttribute { .init(type: type, value: value) }

    private func initiate(
        _ attribute: Wallet.CustomerDataVerificationAttribute? = nil,
        flow: Wallet.CustomerDataVerificationFlow = .walletSetup
    ) async -> Result<Wallet.CustomerDataVerificationResponse, Failure> {
        let request = Wallet.CustomerDataVerificationRequest(attribute: attribute ?? self.attribute(), flow: flow)
        return await world.result { setup.initiateDataVerificationProcess(request: request, completion: $0) }
    }

    private func submit(
        _ code: String, to verification: Wallet.CustomerDataVerificationResponse
    ) async -> Result<Wallet.CustomerDataVerificationAttemptResponse, Failure> {
        await world.result {
            setup.submitDataVerificationAttempt(
                verificationId: verification.verificationId,
                request: .init(
                    attribute: verification.attribute, notificationType: verification.notificationType, value: code),
                completion: $0)
        }
    }

    /// The identifiers of a customer with the address of a verification.
    private func identifiers(_ verification: Wallet.CustomerDataVerificationResponse) -> Wallet.CustomerIdentifiers {
        let identifier = Wallet.CustomerIdentifier(
            value: verification.attribute.value, verificationId: verification.verificationId)
        return verification.attribute.type == .email ? .init(email: identifier) : .init(mobile: identifier)
    }

    private func onboard(
        _ identifiers: Wallet.CustomerIdentifiers, username: String? = nil, password: String = password
    ) async -> Result<Wallet.CustomerInfo, Failure> {
        let request = Wallet.CustomerOnboardingRequest(
            customerIdentifiers: identifiers, customerCredentials: .init(password: password), username: username)
        return await world.result { setup.onboardCustomer(request: request, completion: $0) }
    }

    private func changeCredentials(
        _ identifiers: Wallet.CustomerIdentifiers, password: String = password
    ) async -> Result<Wallet.TokenResponse, Failure> {
        let request = Wallet.CustomerCredentialsRequest(
            customerIdentifiers: identifiers, customerCredentials: .init(password: password))
        return await world.result { setup.changeCustomerCredentials(request: request, completion: $0) }
    }

    /// Answers the next request to a path.
    private func answer(_ path: String, _ status: Int, _ object: JSONObject) {
        world.server.inject(
            .answer(
                HTTPResponse(
                    status: status, headers: ["Content-Type": "application/json"], body: Data(object.bytes))),
            at: path)
    }

    /// The code of a refusal; a description of anything else.
    private func refusal<Value>(_ result: Result<Value, Failure>) -> String {
        guard case .failure(.refused(let failure)) = result else { return "\(result)" }
        return failure.code.rawValue
    }

    @Test("A customer proves an e-mail address, chooses a password, and the token continues the session")
    func email() async throws {
        let verification = try await initiate().get()
        #expect(verification.wasSent)
        #expect(verification.notificationType == .init(method: .otp, channel: .email))
        #expect(verification.expirationTime == verification.creationTime + 600)
        let wrong = try await submit("11111111", to: verification).get()
        #expect(wrong.status == .failed)
        #expect(wrong.statusReason == "INVALID_VALUE")
        #expect(wrong.currentAttempts == 1)
        #expect(try await submit("no digits", to: verification).get().currentAttempts == 1)
        let right = try await submit(ScriptedServer.registrationCode, to: verification).get()
        #expect(right.status == .verified)
        #expect(right.statusReason == nil)
        #expect(world.wallet.walletAuth?.isLoggedIn == false)
        let customer = try await onboard(identifiers(verification)).get()
        #expect(customer.id == "sub-\(Self.address)", "the address is the user name")
        try await world.result { world.wallet.authenticate(.init(customer.authToken), completion: $0) }.get()
        #expect(world.server.sessions.map(\.endedBecause) == [nil])
        try await world.wallet.walletAuth?.refresh()
    }

    @Test("A customer may prove a phone number instead, which is the user name without its spaces")
    func mobile() async throws {
        let verification = try await initiate(attribute("+49 30 123456", .mobile)).get()
        #expect(verification.notificationType == .init(method: .otp, channel: .sms))
        _ = try await submit(ScriptedServer.registrationCode, to: verification).get()
        #expect(try await onboard(identifiers(verification)).get().id == "sub-+4930123456")
    }

    @Test("After a taken name or a refused password the customer tries another, and a lost answer may be repeated")
    func anotherChoice() async throws {
        let verification = try await initiate().get()
        _ = try await submit(ScriptedServer.registrationCode, to: verification).get()
        let customer = identifiers(verification)
        #expect(refusal(await onboard(customer, username: "alice")) == "username_taken")
        var fault = OAuthError(.insufficientAuthorization, errorCode: .passwordChangeRequired).json
        fault.set("password_fault", "too_common")
        answer(Endpoints.registrationFinish.path, 403, fault)
        #expect(refusal(await onboard(customer, username: "ada")) == "password_too_common")
        for _ in 1...2 { #expect(try await onboard(customer, username: "ada").get().id == "sub-ada") }
        #expect(refusal(await onboard(customer, username: "eve")) == "address_taken")
    }

    @Test("The first call says that the brand takes no newcomers")
    func off() async throws {
        world.server.setRegistration(false)
        #expect(refusal(await initiate()) == "registration_off")
        #expect(refusal(await initiate(attribute("no address"))) == "bad_request")
    }

    @Test("The same call sends the code again, under the same id")
    func again() async throws {
        let first = try await initiate().get()
        _ = try await submit("11111111", to: first).get()
        let second = try await initiate().get()
        #expect(second.verificationID == first.verificationID)
        #expect(try await submit("11111111", to: second).get().currentAttempts == 1)
        #expect(try await submit(ScriptedServer.registrationCode, to: first).get().status == .verified)
        #expect(try await initiate().get().verificationID != first.verificationID, "the first one is proved")
    }

    @Test("A verification that the server ended is invalid_session, and the next one begins anew")
    func ended() async throws {
        let verification = try await initiate().get()
        let problem = Problem(status: 400, code: "invalid_session", title: "Refused")
        answer(Endpoints.registrationConfirmation.path, 400, problem.json)
        for _ in 1...2 {
            #expect(refusal(await submit(ScriptedServer.registrationCode, to: verification)) == "invalid_session")
        }
        #expect(refusal(await onboard(identifiers(verification))) == "invalid_session")
        #expect(try await initiate().get().verificationID != verification.verificationID)
    }

    @Test("Without the code, with another address or with two of them no account is made")
    func notProved() async throws {
        let verification = try await initiate().get()
        let sent = world.server.requests.count
        #expect(refusal(await onboard(identifiers(verification))) == "bad_request")
        let others = Wallet.CustomerDataVerificationAttemptRequest(
            attribute: attribute("eve@example.com"), value: ScriptedServer.registrationCode)
        let attempt = await world.result {
            setup.submitDataVerificationAttempt(
                verificationId: verification.verificationID, request: others, completion: $0)
        }
        #expect(refusal(attempt) == "bad_request")
        let id = verification.verificationID
        let identifier = Wallet.CustomerIdentifier(value: Self.address, verificationId: id)
        for customer in [
            Wallet.CustomerIdentifiers(), .init(email: identifier, mobile: identifier), .init(mobile: identifier),
            .init(email: .init(value: "eve@example.com", verificationId: id)),
        ] {
            #expect(refusal(await onboard(customer)) == "bad_request")
        }
        #expect(world.server.requests.count == sent)
    }

    @Test("A forgotten password: the code proves the address, and the new password signs in")
    func passwordReset() async throws {
        let verification = try await initiate(attribute("alice"), flow: .passwordReset).get()
        #expect(try await submit("11111111", to: verification).get().status == .failed)
        let again = try await initiate(attribute("alice"), flow: .passwordReset).get()
        #expect(again.verificationID == verification.verificationID)
        #expect(!again.wasSent, "too soon: the first code is still valid")
        #expect(refusal(await changeCredentials(identifiers(verification))) == "bad_request")
        #expect(try await submit(ScriptedServer.recoveryCode, to: verification).get().status == .verified)
        #expect(refusal(await onboard(identifiers(verification))) == "bad_request", "another flow")
        let token = try await changeCredentials(identifiers(verification)).get()
        #expect(try await world.wallet.walletAuth?.accessToken().reveal() == token.accessToken)
        #expect(refusal(await world.logIn()) == "invalid_credentials", "the former password")
        _ = try await world.logIn(Self.password).get()
    }

    @Test("What has no counterpart is refused with a sentence, before anything is sent")
    func noCounterpart() async throws {
        for (attribute, flow) in [
            (attribute(), Wallet.CustomerDataVerificationFlow.walletUpdate),
            (attribute("+4930123456", .mobile), .passwordReset),
        ] {
            guard case .failure(.refused(let failure)) = await initiate(attribute, flow: flow) else {
                Issue.record("\(flow)")
                continue
            }
            #expect(failure.code == "bad_request")
            #expect(failure.reason.contains("address"))
        }
        #expect(world.server.requests.isEmpty)
    }

    @Test("Results arrive in the order of the calls, each with the state that the one before left")
    func order() async throws {
        let verification = try await initiate().get()
        var steps: [String] = []
        world.server.inject(.delay(.seconds(5)), at: Endpoints.registrationConfirmation.path)
        setup.submitDataVerificationAttempt(
            verificationId: verification.verificationID,
            request: .init(attribute: verification.attribute, value: ScriptedServer.registrationCode)
        ) { steps.append($0.failure == nil ? "proved" : "\($0)") }
        let request = Wallet.CustomerOnboardingRequest(
            customerIdentifiers: identifiers(verification), customerCredentials: .init(password: Self.password))
        let last = await withCheckedContinuation { continuation in
            setup.onboardCustomer(request: request) { continuation.resume(returning: $0) }
            steps.append("called")
            Task { [clock = world.clock] in
                await clock.waitForSleepers()
                clock.advance(by: .seconds(5))
            }
        }
        #expect(steps == ["called", "proved"])
        #expect(try last.get().id == "sub-\(Self.address)")
    }

    @Test("Before it is configured every call says so, and no dump shows a code or a password")
    func notConfigured() async throws {
        let setup = Wallet().walletSetupService
        let secret = "a-secret"
        let data = attribute()
        let code = Wallet.CustomerDataVerificationAttemptRequest(attribute: data, value: secret)
        let identifiers = Wallet.CustomerIdentifiers(email: .init(value: Self.address, verificationId: "v"))
        let customer = Wallet.CustomerOnboardingRequest(
            customerIdentifiers: identifiers, customerCredentials: .init(password: secret))
        let credentials = Wallet.CustomerCredentialsRequest(
            customerIdentifiers: identifiers, customerCredentials: .init(password: secret))
        let failures: [Failure?] = [
            await world.result {
                setup.initiateDataVerificationProcess(request: .init(attribute: data), completion: $0)
            }.failure,
            await world.result {
                setup.submitDataVerificationAttempt(verificationId: "v", request: code, completion: $0)
            }.failure,
            await world.result { setup.onboardCustomer(request: customer, completion: $0) }.failure,
            await world.result { setup.changeCustomerCredentials(request: credentials, completion: $0) }.failure,
        ]
        #expect(failures == Array(repeating: .notConfigured, count: 4))
        for value in [code, customer, credentials] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
        }
    }
}
