import Core
import Foundation
package import Store
package import WalletAuthWire

@testable package import Kernel
@testable import Operations
@testable package import SignIn
@testable package import Transactions
@testable import WalletAuthPIN

/// A shop's till that has transactions signed, and Ada, whose phone has a PIN and a biometric key.
package struct TestTill: Sendable {
    package static let pin = "271828"

    package let server: TestServer
    package let flows: TransactionFlows
    package let client: TestClient
    package let account: AccountID
    package let phone: TestPIN
    package let biometricKey: TestKey

    package init(
        server: TestServer, flows: TransactionFlows, client: TestClient, account: AccountID, phone: TestPIN,
        biometricKey: TestKey
    ) {
        self.server = server
        self.flows = flows
        self.client = client
        self.account = account
        self.phone = phone
        self.biometricKey = biometricKey
    }

    /// Opens a shop.
    /// - Parameters:
    ///   - pastCooling: whether the phone has been Ada's for long enough to sign.
    ///   - withoutAccount: whether the shop may create transactions without an account.
    ///   - given: where it is open; `nil` for a server of its own.
    ///   - adjust: changes the server's settings.
    package static func open(
        pastCooling: Bool = true, withoutAccount: Bool = false, on given: TestServer? = nil,
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> TestTill {
        let server = if let given { given } else { try await TestServer.start(adjust) }
        let phone = try await TestPIN.set(pin, on: server)
        let key = TestKey()
        try await server.setBiometricKey(key, of: phone)
        if pastCooling { server.clock.advance(by: server.context.settings.devices.coolingPeriod) }
        let client = try await server.confidentialClient("shop") {
            $0.scopes = ["wallet_operations", BackendTransactions.scope]
            $0.allowsTransactionsWithoutAccount = withoutAccount
        }
        return TestTill(
            server: server, flows: TransactionFlows(server.flows), client: client,
            account: phone.account, phone: phone, biometricKey: key)
    }

    /// The same shop after a restart.
    package func restarted(epoch: Int64 = 0, from copy: String? = nil) async throws -> TestTill {
        try await at(server.restarted(epoch: epoch, from: copy))
    }

    /// The same shop at another process.
    package func at(_ server: TestServer) throws -> TestTill {
        let app = TestApp(
            client: TestClient(server: server, id: phone.device.app.client.id, secret: nil), key: phone.device.app.key)
        return TestTill(
            server: server, flows: TransactionFlows(server.flows),
            client: TestClient(server: server, id: client.id, secret: client.secret), account: account,
            phone: try phone.on(TestDevice(app: app, tokens: phone.device.tokens, deviceKey: phone.device.deviceKey)),
            biometricKey: biometricKey)
    }

    // MARK: - The backend

    /// A call with a token of the shop's own, before it is let in.
    package func presented(as client: TestClient? = nil) async throws -> PresentedCredentials {
        let token = try await (client ?? self.client).ownToken()
        return PresentedCredentials(
            authorization: .bearer(token),
            proof: PresentedProof(header: nil, method: "POST", path: Endpoints.transactions.path),
            origin: TestServer.origin)
    }

    /// A call with a token of the shop's own.
    package func call(as client: TestClient? = nil) async throws -> BackendCaller {
        try await server.flows.callers.backend(presented(as: client), scope: BackendTransactions.scope)
    }

    /// "12.50 EUR to Café Zürich".
    package func purchase(
        _ cents: Int64 = 12_50, for account: AccountID?, by factor: RequiredSecondFactor = .any,
        expiresIn: Int64 = 300
    ) throws -> TransactionRequest {
        try TransactionRequest(
            account: account, type: WalletOperationType("PURCHASE"),
            amount: Money(minorUnits: cents, currency: .euro),
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: "No. 42")], data: [1, 2, 3], reference: "order-42",
            requiredSecondFactor: factor, expiresIn: expiresIn)
    }

    /// Asks for a transaction.
    package func ask(
        _ request: TransactionRequest, key: String? = nil, as client: TestClient? = nil
    ) async throws -> Result<TransactionCreated, TransactionRefusal> {
        try await flows.ofBackends.create(request, key: idempotencyKey(key), call: call(as: client))
    }

    /// A transaction for Ada, created.
    package func created(
        by factor: RequiredSecondFactor = .any, expiresIn: Int64 = 300
    ) async throws -> TransactionCreated {
        try await ask(purchase(for: account, by: factor, expiresIn: expiresIn)).get()
    }

    package func report(_ id: TransactionID) async throws -> TransactionReport {
        try await flows.ofBackends.find(id, call: call()).get()
    }

    package func cancel(_ id: TransactionID) async throws -> Result<Void, TransactionRefusal> {
        try await flows.ofBackends.cancel(id, call: call())
    }

    // MARK: - The phone

    package func idempotencyKey(_ text: String? = nil) throws -> IdempotencyKey {
        try IdempotencyKey(text ?? Base64URL.encode(server.context.random.bytes(16)))
    }

    /// A request that a device signs.
    package func deviceCall(
        _ path: String, _ body: [UInt8], by phone: TestPIN? = nil, key: TestKey? = nil, nonce: String? = nil,
        signedBody: [UInt8]? = nil, signedPath: String? = nil, from origin: RequestOrigin = TestServer.origin
    ) async throws -> DeviceCaller {
        let phone = phone ?? self.phone
        let issuer = server.context.settings.issuer
        let idempotencyKey = try idempotencyKey()
        let signature = DeviceRequestSignature(
            audience: issuer, deviceID: phone.id, method: "POST",
            target: try HTTPTarget(issuer.url(path: signedPath ?? path)), body: signedBody ?? body,
            nonce: try Nonce(nonce ?? server.context.proofs.currentNonce()), idempotencyKey: idempotencyKey,
            issuedAt: NumericDate(clamping: server.clock.now().seconds))
        return try await server.flows.callers.device(
            PresentedDeviceSignature(
                deviceID: phone.id, path: path, body: body,
                signature: signature.signed(by: (key ?? phone.device.deviceKey).signer),
                idempotencyKey: idempotencyKey, origin: origin))
    }

    package func claim(
        _ link: TransactionLink, by phone: TestPIN? = nil
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let claim = TransactionClaim(link: link, deviceID: (phone ?? self.phone).id)
        return try await flows.onDevices.claim(
            claim, call: deviceCall(Endpoints.transactionClaim.path, claim.json.bytes, by: phone))
    }

    package func confirm(
        _ transaction: DeviceTransaction, by phone: TestPIN? = nil, hash: PayloadHash? = nil
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let id = transaction.transactionID
        let confirmation = TransactionConfirmation(
            deviceID: (phone ?? self.phone).id, payloadHash: hash ?? .transaction(transaction.payload))
        return try await flows.onDevices.confirm(
            confirmation, of: id,
            call: deviceCall(Endpoints.transactionConfirmation.path(id), confirmation.json.bytes, by: phone))
    }

    package func reject(
        _ transaction: DeviceTransaction, because reason: RejectionReason = .unexpected, by phone: TestPIN? = nil
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let id = transaction.transactionID
        let rejection = TransactionRejection(
            deviceID: (phone ?? self.phone).id, payloadHash: .transaction(transaction.payload), reason: reason)
        return try await flows.onDevices.reject(
            rejection, of: id,
            call: deviceCall(Endpoints.transactionRejection.path(id), rejection.json.bytes, by: phone))
    }

    /// A transaction that Ada has confirmed.
    package func confirmed(by factor: RequiredSecondFactor = .any, expiresIn: Int64 = 300) async throws
        -> DeviceTransaction
    {
        try await confirm(claim(created(by: factor, expiresIn: expiresIn).link).get()).get()
    }

    /// The act of signing a transaction.
    package func act(_ transaction: DeviceTransaction) -> DeviceAssertion.Act {
        .transaction(transaction.transactionID, .transaction(transaction.payload))
    }

    /// Takes the phone's biometric key away, as its holder does on another device.
    package func loseBiometricKey() async throws {
        let device = try phone.id.rowID
        _ = try await server.context.database.write {
            try $0.execute(
                """
                UPDATE devices SET biometric_key = NULL, biometric_key_set_at = NULL, biometric_key_storage = NULL,
                    biometric_key_voucher = NULL WHERE id = $1
                """, [.id(device)])
        }
    }

    /// What the phone signs by Ada's PIN.
    package func byPIN(
        _ transaction: DeviceTransaction, _ digits: String = TestTill.pin, draft: TransactionDraft? = nil,
        age: Duration = .zero
    ) async throws -> SignedAssertion {
        try await phone.assertion(of: act(transaction), digits, draft: draft, age: age)
    }

    /// What the phone signs behind its check of presence.
    package func byBiometrics(
        _ transaction: DeviceTransaction, act: DeviceAssertion.Act? = nil, key: TestKey? = nil, device: TestKey? = nil,
        age: Duration = .zero
    ) async throws -> SignedAssertion {
        guard let challenge = transaction.challenge else {
            throw NativeSignInOutcome.Unexpected(what: "the transaction has no challenge")
        }
        return try await DeviceAssertion(
            audience: server.context.settings.issuer, account: account, deviceID: phone.id, factor: .biometric,
            challengeID: challenge.challengeID, nonce: challenge.nonce, act: act ?? self.act(transaction),
            issuedAt: NumericDate(clamping: (server.clock.now() - age).seconds)
        ).signed(by: (device ?? phone.device.deviceKey).signer, (key ?? biometricKey).signer)
    }

    /// A challenge that only the server could make: for a biometric signature of a transaction that allows none.
    package func challenge(for transaction: DeviceTransaction) async throws -> ChallengeResponse {
        let id = try phone.id.rowID
        guard let device = try await server.context.database.read({ try Devices.find(id, on: $0) }) else {
            throw NativeSignInOutcome.Unexpected(what: "the device is not enrolled")
        }
        return try DeviceChallenges(sealing: server.context.sealing).issue(
            .transaction(transaction.transactionID, on: device), now: server.clock.now())
    }

    package func sign(
        _ transaction: DeviceTransaction, _ assertion: SignedAssertion
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        try await flows.onDevices.sign(
            TransactionSignature(assertion: assertion), of: transaction.transactionID, origin: TestServer.origin)
    }

    /// The app begins a transaction of its own.
    package func draft(
        by factor: RequiredSecondFactor = .any, state: [UInt8]? = [7], data: [UInt8]? = [8, 9]
    ) async throws -> Result<TransactionDraftResponse, DeviceTransactionRefusal> {
        let request = try TransactionDraftRequest(
            deviceID: phone.id, clientState: state, clientAdditionalData: data, requiredSecondFactor: factor)
        return try await flows.drafts.begin(
            request, call: deviceCall(Endpoints.transactionDrafts.path, request.json.bytes))
    }

    package func store(
        _ draft: TransactionDraft, _ assertion: SignedAssertion
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        try await flows.drafts.store(SignedDraft(draft: draft, assertion: assertion), origin: TestServer.origin)
    }

    /// The proof of a transaction, verified with the server's audit keys.
    package func proof(_ id: TransactionID) async throws -> TransactionEvidenceClaims {
        let document = try await flows.ofBackends.evidence(of: id, call: call()).get()
        return try document.verified(by: JWKSet(server.context.audit.publicKeys(now: server.clock.now())))
    }
}

extension TestServer {
    /// Sets a biometric key behind the PIN.
    package func setBiometricKey(_ key: TestKey, of phone: TestPIN, pin: String = TestTill.pin) async throws {
        let assertion = try await phone.assertion(of: .biometric(.key(key.thumbprint)), pin)
        try await flows.signIn.biometrics.set(
            BiometricKeyRequest(publicKey: key.publicKey, assertion: assertion), on: phone.id,
            call: phone.device.call(.put, Endpoints.deviceBiometricKey.path(phone.id))
        ).get()
    }
}

extension Result where Failure == DeviceTransactionRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: DeviceTransactionRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}

extension Result where Failure == TransactionRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: TransactionRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}

extension DeviceID {
    /// The device's row.
    package var rowID: UniqueID {
        get throws {
            guard let id = UniqueID(uuid: rawValue) else { throw InvariantViolation() }
            return id
        }
    }
}
