public import Foundation
public import WalletAuthWire

/// A sign-in in a browser on another device, whose code the person scanned.
///
/// Show all of it, and ask which of the ``numbers`` is on the other screen: someone else may have sent the code.
///
/// ```swift
/// let signIn = try await wallet.transactions.scanSignIn(scannedText)
/// guard let number = await chosenNumber(for: signIn) else { return try await signIn.reject() }
/// let approval = try await signIn.choose(number)
/// try await approval.approve(biometrics: "Sign in to \(signIn.service)")
/// ```
public struct ElsewhereSignIn: Sendable, Identifiable {
    private let scanned: ScannedSignIn
    private let calls: DeviceTransactionCalls

    /// Names it. A killed app has to scan again.
    public var id: TransactionID { scanned.transactionID }
    /// The account that would sign in.
    public var account: AccountID { scanned.account }
    /// The name of the app or site to sign in to.
    public var service: String { scanned.service }
    /// The browser, by what it says of itself, such as `Firefox`; nil if it is not known.
    public var browser: String? { scanned.browser }
    /// The browser's system, such as `Windows`; nil if it is not known.
    public var system: String? { scanned.system }
    /// Whether browser and phone reach the server from one network. Where they do not, say so: the browser may be a stranger's.
    public var isOnSameNetwork: Bool { scanned.sameNetwork }
    /// Three numbers, one of which is on the other screen. Show none as chosen.
    public var numbers: [Int] { scanned.numbers.map(Int.init) }
    /// When it expires, unless it is approved before.
    public var expiresAt: Date { scanned.expiresAt.date }

    init(_ scanned: ScannedSignIn, _ calls: DeviceTransactionCalls) {
        self.scanned = scanned
        self.calls = calls
    }

    /// Says which number is on the other screen. A wrong one ends the sign-in, and after three within an hour the account's devices scan
    /// none for a while.
    /// - Parameter number: one of ``numbers``, as the person chose it.
    /// - Returns: what is left: the second factor.
    /// - Throws: ``WalletError``: `number_mismatch`, `scan_expired`, `too_many_attempts`, `second_factor_unavailable`,
    ///   `payload_refused`, `offline` …
    public func choose(_ number: Int) async throws -> Approval {
        try await WalletError.during(calls.operation) {
            let transaction = try await calls.choose(Int64(number), in: id)
            let payload: SignInPayload
            do { payload = try SignInPayload(parsing: transaction.payload) } catch {
                throw Self.refused("the sign-in cannot be approved: \(error)")
            }
            var shown = scanned
            shown.numbers = []
            shown.expiresAt = payload.signIn.expiresAt
            guard payload.signIn == shown, payload.number == number, transaction.transactionID == id else {
                throw Self.refused("the server asks to approve another sign-in than it showed")
            }
            return Approval(
                signIn: self, transaction: transaction,
                question: try await SecondFactorQuestion(transaction, on: calls))
        }
    }

    /// "This is not me". Before the approval, no one signs in. For a day after it, every browser that this account signed in by scanning is
    /// signed out. Tell the person then to look through their sessions, and to change their password if someone knows their PIN.
    /// - Throws: ``WalletError``: `transaction_not_found`, `offline` …
    public func reject() async throws {
        try await WalletError.during(calls.operation) { try await calls.refuse(id) }
    }

    /// A sign-in whose number is right, before the second factor.
    public struct Approval: Sendable {
        /// The sign-in.
        public let signIn: ElsewhereSignIn
        let transaction: DeviceTransaction
        /// The question before the first answer.
        package let question: SecondFactorQuestion
        /// The factors that this device has, the PIN first. If it is empty, set up one of them.
        public var allowedSecondFactors: [TransactionFactor] { question.allowed }

        /// Approves after a face or fingerprint check.
        /// - Parameter reason: shown in the device's prompt, in the person's language. Name the service.
        /// - Throws: ``WalletError``: `scan_expired`, `second_factor_unavailable`, `cancelled_by_person`, `offline` …
        public func approve(biometrics reason: String) async throws {
            let signing = signing
            guard allowedSecondFactors.contains(.biometric), let challenge = transaction.challenge else {
                throw WalletError(
                    .secondFactorUnavailable, .refused, during: signing.operation,
                    reason: "this device cannot approve by face or fingerprint")
            }
            try await approve {
                try await $0.signed(by: challenge.challengeID, nonce: challenge.nonce, reason: reason)
            }
        }

        /// Approves with the key of another product of this package.
        package func approve(by prove: @escaping DeviceSigning<DeviceTransaction>.Prove) async throws {
            let signing = signing
            try await WalletError.during(signing.operation) {
                guard try await prove(signing).status == .signed else {
                    throw MalformedValue(field: "status", reason: "is not SIGNED")
                }
            }
        }

        private var signing: DeviceSigning<DeviceTransaction> {
            let (calls, id) = (signIn.calls, signIn.id)
            return DeviceSigning(
                authentication: calls.authentication, enrollment: calls.enrollment,
                act: .transaction(id, .scannedSignIn(transaction.payload)), draft: nil, operation: calls.operation
            ) { try await calls.approve(id, by: $0) }
        }
    }

    private static func refused(_ reason: String) -> WalletError {
        WalletError(
            .payloadRefused, .refused, during: .signInElsewhere, reachedServer: true,
            reason: "\(reason); nothing was signed")
    }
}

extension Wallet.Transactions {
    /// Claims the sign-in of a code that the person scanned on another device's screen.
    ///
    /// Only a scan leads here: the text is no link, and no link may be passed. The device must be enrolled, and past its cooling period; no
    /// one needs to be signed in.
    /// - Parameters:
    ///   - text: the text of the code.
    ///   - account: the account that signs in; nil for the last one signed in.
    /// - Returns: the sign-in to show. Scanning the code again returns it again.
    /// - Throws: ``WalletError``: `invalid_qr_data`, `no_account_for_server`, `scan_expired`, `already_claimed`,
    ///   `transaction_not_found`, `device_cooling`, `second_factor_unavailable`, `too_many_attempts` after three wrong numbers,
    ///   `device_not_enrolled`, `offline` …
    public func scanSignIn(_ text: String, account: AccountID? = nil) async throws -> ElsewhereSignIn {
        try await wallet.log.during(.signInElsewhere) {
            let code: SignInCode
            do { code = try SignInCode(text) } catch {
                throw WalletError(.invalidQRData, .refused, during: .signInElsewhere, reason: "\(error)")
            }
            guard code.leads(to: wallet.enroller.issuer) else {
                throw WalletError(
                    .noAccountForServer, .refused, during: .signInElsewhere,
                    reason: "the code belongs to the server \(code.issuer)")
            }
            let authentication = wallet.deviceAuthentication
            let enrollment = try await authentication.enrollment(of: account, during: .signInElsewhere)
            let calls = DeviceTransactionCalls(
                authentication: authentication, enrollment: enrollment, operation: .signInElsewhere)
            let scanned = try await calls.claim(code)
            guard scanned.transactionID == code.transactionID, scanned.account == enrollment.account,
                Set(scanned.numbers).count == 3
            else { throw MalformedValue(field: "numbers", reason: "belong to another sign-in") }
            return ElsewhereSignIn(scanned, calls)
        }
    }
}

extension Wallet.Transactions {
    /// "This was not me", for a sign-in of the last day by its id. See ``ElsewhereSignIn/reject()``.
    /// - Parameters:
    ///   - id: the sign-in.
    ///   - account: the account that approved it; nil for the last one signed in.
    /// - Throws: ``WalletError``: `transaction_not_found`, `device_not_enrolled`, `offline` …
    public func rejectSignIn(_ id: TransactionID, account: AccountID? = nil) async throws {
        try await wallet.log.during(.signInElsewhere) {
            let authentication = wallet.deviceAuthentication
            let enrollment = try await authentication.enrollment(of: account, during: .signInElsewhere)
            try await DeviceTransactionCalls(
                authentication: authentication, enrollment: enrollment, operation: .signInElsewhere
            ).refuse(id)
        }
    }
}

extension DeviceTransactionCalls {
    fileprivate func claim(_ code: SignInCode) async throws -> ScannedSignIn {
        let claim = ScannedSignInClaim(code: code, deviceID: enrollment.deviceID)
        return try ScannedSignIn(try await step(Endpoints.scannedSignInClaim.path, claim.json))
    }

    fileprivate func choose(_ number: Int64, in id: TransactionID) async throws -> DeviceTransaction {
        let choice = ScannedSignInChoice(deviceID: enrollment.deviceID, number: number)
        return try DeviceTransaction(try await step(Endpoints.scannedSignInChoice.path(id), choice.json))
    }

    fileprivate func refuse(_ id: TransactionID) async throws {
        let refusal = ScannedSignInRefusal(deviceID: enrollment.deviceID)
        let answer = try await authentication.signedAnswer(
            to: Endpoints.scannedSignInRefusal.path(id), refusal.json, by: enrollment, during: operation)
        guard answer.isSuccess else { throw answer.failure(during: operation) }
    }

    fileprivate func approve(_ id: TransactionID, by assertion: SignedAssertion) async throws -> DeviceTransaction {
        try await submit(TransactionSignature(assertion: assertion).json, at: Endpoints.scannedSignInSignature.path(id))
    }
}
