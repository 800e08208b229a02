import Core
import Crypto
import Store
package import Transactions
package import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable package import SignIn
@testable package import WalletAuthPIN

/// The PIN half of an enrolled device: it makes evaluations' requests, keys and assertions as an app would.
package struct TestPIN: Sendable {
    package let device: TestDevice
    package let account: AccountID
    package let id: DeviceID
    private let secret: DeviceSecret

    /// A scrypt that costs next to nothing: these tests are about something else.
    private static let quick = PINDerivation(cost: PINDerivation.Cost(rounds: 2, blockSize: 1, parallelism: 1))

    private var server: TestServer { device.app.client.server }
    private var issuer: Issuer { server.context.settings.issuer }

    package init(_ device: TestDevice, _ account: AccountID, _ id: DeviceID) throws {
        self.device = device
        self.account = account
        self.id = id
        let share = DeviceShare()
        secret = try DeviceSecret(
            enrollment: id,
            agreement: P256.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: share.peer), share: share)
    }

    /// A device that enrolled and set a PIN.
    package static func set(_ pin: String = "271828", on server: TestServer) async throws -> TestPIN {
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let device = try await TestDevice.signedIn(account, try await server.publicClient())
        let test = try TestPIN(device, account, try await device.enrolled(account).id)
        _ = try await test.setPIN(pin).get()
        return test
    }

    /// The same PIN of the same device, at another server process.
    package func on(_ device: TestDevice) throws -> TestPIN { TestPIN(device, account, id, secret) }

    private init(_ device: TestDevice, _ account: AccountID, _ id: DeviceID, _ secret: DeviceSecret) {
        self.device = device
        self.account = account
        self.id = id
        self.secret = secret
    }

    // MARK: - Exchanges

    package func exchange(_ pin: String) throws -> PINExchange {
        try PINExchange(pin: PIN(pin), secret: secret, derivation: Self.quick)
    }

    /// What the act of a sign-in by this app is.
    package var login: DeviceAssertion.Act {
        .login(
            .signIn(
                thumbprint: device.app.key.thumbprint, codeChallenge: CodeChallenge(verifier: TestClient.verifier)))
    }

    /// Sends a request for an evaluation, signed by the device's key unless a test says otherwise.
    package func evaluate(
        _ request: PINEvaluationRequest, key: String? = nil, signedBy signer: TestKey? = nil,
        signedBody: [UInt8]? = nil, nonce: String? = nil, for transactions: TransactionFlows? = nil
    ) async throws -> Result<PINEvaluationResponse, PINRefusal> {
        let key = try IdempotencyKey(key ?? Base64URL.encode(server.context.random.bytes(16)))
        let body = request.json.bytes
        let signature = DeviceRequestSignature(
            audience: issuer, deviceID: id, method: "POST",
            target: try HTTPTarget(issuer.url(path: Endpoints.pinEvaluation.path)), body: signedBody ?? body,
            nonce: try Nonce(nonce ?? server.context.proofs.currentNonce()), idempotencyKey: key,
            issuedAt: NumericDate(clamping: server.clock.now().seconds))
        let call = try await server.flows.callers.device(
            PresentedDeviceSignature(
                deviceID: id, path: Endpoints.pinEvaluation.path, body: body,
                signature: signature.signed(by: (signer ?? device.deviceKey).signer), idempotencyKey: key,
                origin: TestServer.origin))
        return try await (transactions ?? TransactionFlows(server.flows)).pins.evaluate(request, call: call)
    }

    /// The request of a sign-in by a PIN, or of another act.
    package func use(
        _ exchange: PINExchange, epoch: Int64 = 1, act: DeviceAssertion.Act? = nil, draft: TransactionDraft? = nil
    ) throws -> PINEvaluationRequest {
        guard let epoch = PINEpoch(exactly: epoch) else {
            throw NativeSignInOutcome.Unexpected(what: "\(epoch) is no epoch of a PIN")
        }
        return PINEvaluationRequest(
            deviceID: id,
            ask: .use(
                try PINUse(act ?? login),
                PINEvaluationRequest.PresentPIN(epoch: epoch, blinded: exchange.blinded)),
            draft: draft)
    }

    /// An assertion over a challenge.
    /// - Parameter age: how long ago it says that it was signed.
    package func assertion(
        _ act: DeviceAssertion.Act, _ answer: PINEvaluationResponse, epoch: PINEpoch, by keys: [any AsyncJWSSigner],
        age: Duration = .zero
    ) async throws -> SignedAssertion {
        let assertion = DeviceAssertion(
            audience: issuer, account: account, deviceID: id, factor: .pin(epoch), challengeID: answer.challengeID,
            nonce: answer.nonce, act: act, issuedAt: NumericDate(clamping: (server.clock.now() - age).seconds))
        let signer = device.deviceKey.signer
        return keys.count == 1
            ? try await assertion.signed(by: signer, keys[0])
            : try await assertion.signed(by: signer, keys[0], keys[1])
    }

    // MARK: - What a person does

    /// Sets a PIN after a fresh sign-in.
    package func setPIN(_ pin: String) async throws -> Result<PINSettingResponse, PINRefusal> {
        try await put(setting(pin))
    }

    /// What sets a PIN.
    package func setting(_ pin: String) async throws -> PINSettingRequest {
        let exchange = try exchange(pin)
        let answer = try await evaluate(
            PINEvaluationRequest(deviceID: id, ask: .enroll(new: exchange.blinded))
        ).get()
        guard let new = answer.new else {
            throw NativeSignInOutcome.Unexpected(what: "no evaluation of the new PIN: \(answer)")
        }
        let key = try exchange.key(new).key
        let assertion = try await assertion(
            .enroll(.key(key.publicKey.thumbprint)), answer, epoch: new.epoch, by: [key])
        return PINSettingRequest(publicKey: key.publicKey, assertion: assertion)
    }

    /// What changes the first PIN.
    package func changing(from old: String, to new: String) async throws -> PINSettingRequest {
        let present = try exchange(old)
        let next = try exchange(new)
        let answer = try await evaluate(
            PINEvaluationRequest(
                deviceID: id,
                ask: .change(
                    PINEvaluationRequest.PresentPIN(epoch: .first, blinded: present.blinded), new: next.blinded))
        ).get()
        guard let share = answer.present, let newShare = answer.new else {
            throw NativeSignInOutcome.Unexpected(what: "not both PINs are evaluated: \(answer)")
        }
        let pinned = PinnedKey(
            enrollment: id, epoch: .first, publicKey: try await evaluationKey().publicKey)
        let oldKey = try present.key(share, pinned: pinned)
        let newKey = try next.key(newShare).key
        let assertion = try await assertion(
            .pinChange(.key(newKey.publicKey.thumbprint)), answer, epoch: newShare.epoch, by: [oldKey, newKey])
        return PINSettingRequest(publicKey: newKey.publicKey, assertion: assertion)
    }

    /// Sends what sets or changes a PIN.
    package func put(_ request: PINSettingRequest) async throws -> Result<PINSettingResponse, PINRefusal> {
        try await server.flows.signIn.pins.set(request, on: id, call: device.call(.put, Endpoints.devicePIN.path(id)))
    }

    /// Asks for the evaluation of a sign-in, and makes its assertion.
    package func signInAssertion(_ pin: String, epoch: Int64 = 1) async throws -> SignedAssertion {
        let exchange = try exchange(pin)
        let answer = try await evaluate(use(exchange, epoch: epoch)).get()
        guard let present = answer.present else {
            throw NativeSignInOutcome.Unexpected(what: "no evaluation of the present PIN: \(answer)")
        }
        let pinned = PinnedKey(
            enrollment: id, epoch: present.epoch, publicKey: try await evaluationKey().publicKey)
        return try await assertion(
            login, answer, epoch: present.epoch, by: [try exchange.key(present, pinned: pinned)])
    }

    /// Signs in by an assertion.
    package func signIn(by assertion: SignedAssertion) async throws -> NativeSignInOutcome {
        try await device.app.step(.begin(.pin(PINLogin(deviceID: id, assertion: assertion))))
    }

    /// Signs in by a PIN.
    package func signIn(_ pin: String, epoch: Int64 = 1) async throws -> NativeSignInOutcome {
        try await signIn(by: signInAssertion(pin, epoch: epoch))
    }

    /// The server's key, which an app has pinned when it set the PIN.
    package func evaluationKey() async throws -> VOPRFKey {
        let row = try await record()
        guard let row, let epoch = row.state.active, let device = UniqueID(uuid: id.rawValue) else {
            throw NativeSignInOutcome.Unexpected(what: "no PIN is set: \(String(describing: row))")
        }
        return try PINVault(server.context.sealing).key(row.evaluationKey, epoch, of: device)
    }

    /// The PIN as stored; `nil` if the device has no row.
    package func record() async throws -> DevicePIN? {
        guard let unique = UniqueID(uuid: id.rawValue) else { return nil }
        let pin = try await server.context.database.read { try PINs.find(unique, on: $0) }
        return pin.lastEpoch == nil ? nil : pin
    }
}

extension Result where Failure == PINRefusal {
    /// The refusal; `nil` where there is none.
    package var refusal: PINRefusal? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
