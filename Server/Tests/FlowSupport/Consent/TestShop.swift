import Core
import Store
package import WalletAuthWire

@testable package import Consent
@testable package import Kernel
@testable import Operations
@testable import SignIn

/// A wallet's backend, and a person with an app who is to agree to what it asks for.
package struct TestShop: Sendable {
    package let server: TestServer
    package let client: TestClient
    package let account: AccountID
    package let device: TestDevice

    package init(server: TestServer, client: TestClient, account: AccountID, device: TestDevice) {
        self.server = server
        self.client = client
        self.account = account
        self.device = device
    }

    /// A shop, and Ada, who has an e-mail address, a telephone and, unless a test says otherwise, signed in by password.
    package static func open(
        methods: [String] = ["pwd"], tokensLast lifetime: Duration = .minutes(5), consentReturnURLs: [String] = [],
        on given: TestServer? = nil, _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestShop {
        let server = if let given { given } else { try await TestServer.start(adjust) }
        if AuthenticationStrength.includeAccountPIN(methods) { try await server.offerPINs() }
        let account = try await server.reachableAccount(phone: "+4915112345678")
        return TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account,
            device: try await TestDevice.signedIn(
                account,
                try await server.publicClient {
                    $0.accessTokenLifetime = Int(lifetime.wholeSeconds)
                    $0.consentReturnURLs = consentReturnURLs
                },
                methods: methods))
    }

    /// The same shop, with Ada at another device or in another session.
    package func with(_ device: TestDevice) -> TestShop {
        TestShop(server: server, client: client, account: account, device: device)
    }

    /// The same shop at another process.
    package func at(_ server: TestServer) -> TestShop {
        let app = TestApp(
            client: TestClient(server: server, id: device.app.client.id, secret: nil), key: device.app.key)
        return TestShop(
            server: server, client: client.at(server), account: account,
            device: TestDevice(app: app, tokens: device.tokens, deviceKey: device.deviceKey))
    }

    // MARK: - The backend

    package static func euro(_ cents: Int64) throws -> Money { try Money(minorUnits: cents, currency: .euro) }

    /// A transfer.
    package static func transfer(
        _ cents: Int64 = 90_00, to payee: String = "Anna Verna", account: String = "DE02120300000000202051",
        type: String = "TRANSFER"
    ) throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType(type), amount: euro(cents), payee: Payee(name: payee, account: account))
    }

    /// A call with a token of the shop's own.
    package func call(
        as client: TestClient? = nil, _ method: Endpoint.Method = .post,
        _ path: String = Endpoints.walletOperations.path
    ) async throws -> BackendCaller {
        let token = try await (client ?? self.client).ownToken()
        let presented = PresentedCredentials(
            authorization: .bearer(token), proof: PresentedProof(header: nil, method: method.rawValue, path: path),
            origin: TestServer.origin)
        return try await server.flows.callers.backend(presented, scope: RequestedOperations.scope)
    }

    /// The session that Ada's app calls from.
    package func session() async throws -> SessionID {
        guard let id = try await server.claims(of: device.tokens).sessionID else {
            throw NativeSignInOutcome.Unexpected(what: "the access token names no session")
        }
        return id
    }

    /// Asks for an operation.
    package func ask(
        _ operation: WalletOperation, id: String = "op-1", grounds: ExemptionGrounds = ExemptionGrounds(),
        key: String? = nil, as client: TestClient? = nil, for account: AccountID? = nil
    ) async throws -> Result<WalletOperationResponse, WalletOperationRefusal> {
        // Of two messages of one moment none is the newer.
        server.clock.advance(by: .milliseconds(1))
        let request = WalletOperationRequest(
            id: try WalletOperationID(id), account: account ?? self.account, session: try await session(),
            operation: operation, grounds: grounds)
        return try await server.flows.consent.operations.create(
            request, key: try key.map { try IdempotencyKey($0) }, call: call(as: client))
    }

    /// An operation that needs consent, and its event.
    package func required(_ operation: WalletOperation, id: String = "op-1") async throws -> SCAEventID {
        let response = try await ask(operation, id: id).get()
        guard response.status == .scaRequired, let event = response.eventID else {
            throw NativeSignInOutcome.Unexpected(what: "no consent is needed: \(response)")
        }
        return event
    }

    /// The state of an operation.
    package func status(_ id: String = "op-1") async throws -> WalletOperationStatus {
        try await server.flows.consent.operations.find(WalletOperationID(id), call: call()).get().status
    }

    /// Carries an operation out.
    package func consume(
        _ operation: WalletOperation, event: SCAEventID?, id: String = "op-1", key: String? = nil,
        as client: TestClient? = nil, for account: AccountID? = nil
    ) async throws -> Result<OperationAuthorization, WalletOperationRefusal> {
        try await server.flows.consent.operations.consume(
            OperationConsumption(eventID: event, account: account, operation: operation), of: WalletOperationID(id),
            key: try key.map { try IdempotencyKey($0) }, call: call(as: client))
    }

    /// Puts a payee on Ada's list of trusted payees, as an operation that was carried out did.
    package func trust(_ payee: Payee) async throws {
        let id = try server.context.random.uniqueID()
        let sealed = try OperationVault(server.context.sealing).seal(payee: payee, id: id)
        guard let account = UniqueID(bytes: account.bytes) else {
            throw NativeSignInOutcome.Unexpected(what: "\(account) is no UUID")
        }
        let (client, now) = (client.id.rawValue, server.clock.now())
        try await server.context.database.write {
            _ = try TrustedPayees.add(sealed, id: id, of: account, client: client, now: now, on: $0)
        }
    }

    // MARK: - The person

    /// A call by Ada's app about an event.
    package func call(
        _ endpoint: Endpoint, about event: SCAEventID, id: String, _ presented: PresentedCredentials? = nil
    ) async throws -> ConsentingApp {
        try await server.flows.callers.consentingApp(
            presented ?? device.presented(.post, endpoint.path(event)),
            about: (id: event, operation: WalletOperationID(id)))
    }

    /// Asks for a challenge.
    package func challenge(
        _ verification: SCAVerification, of event: SCAEventID, id: String = "op-1", returnURL: String? = nil
    ) async throws -> Result<SCAChallengeResponse, ConsentRefusal> {
        try await server.flows.consent.events.challenge(
            SCAChallengeRequest(
                operationID: WalletOperationID(id), verification: verification,
                returnURL: try returnURL.map { try RedirectURI($0) }),
            by: call(Endpoints.scaChallenges, about: event, id: id))
    }

    /// Answers one.
    package func attempt(
        _ value: String?, _ verification: SCAVerification, at event: SCAEventID, id: String = "op-1"
    ) async throws -> Result<SCAAttemptResponse, ConsentRefusal> {
        try await server.flows.consent.events.attempt(
            SCAAttemptRequest(
                operationID: WalletOperationID(id), verification: verification,
                value: try value.map { try SCAValue($0) }),
            by: call(Endpoints.scaAttempts, about: event, id: id))
    }

    /// Says in the app that Ada did not start it.
    package func refuse(
        _ event: SCAEventID, id: String = "op-1", isWithdrawal: Bool = false
    ) async throws -> Result<Void, ConsentRefusal> {
        try await server.flows.consent.events.refuse(
            by: call(Endpoints.scaRefusal, about: event, id: id), isWithdrawal: isWithdrawal)
    }

    /// The code that was sent last.
    package func code() async throws -> String {
        let message = try await server.messages().first { $0.kind == "consent_code" }
        return try message?.content.string("code") ?? ""
    }

    /// A code that was not sent.
    package func wrongCode() async throws -> String { try await code() == "000000" ? "000001" : "000000" }

    /// Agrees by a code in an SMS.
    package func agree(to event: SCAEventID, id: String = "op-1") async throws {
        _ = try await challenge(.sms, of: event, id: id).get()
        let outcome = try await attempt(code(), .sms, at: event, id: id).get()
        guard outcome.status == .verified else {
            throw NativeSignInOutcome.Unexpected(what: "the code did not verify: \(outcome)")
        }
    }

    /// What an authentication code says, by the server's published keys.
    package func claims(of code: AuthenticationCode) throws -> AuthenticationCodeClaims {
        let verifiers = try server.context.keyRing.publishedKeys().keys.filter { $0.algorithm == .es256 }
            .map { try $0.verifier() }
        let verified = try CompactJWS(code.rawValue).verified(by: verifiers, type: .walletOperation)
        return try AuthenticationCodeClaims(JSONValue.object(parsing: verified.payload))
    }
}

extension Result where Failure == ConsentRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: ConsentRefusal? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

extension Result where Failure == WalletOperationRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: WalletOperationRefusal? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
