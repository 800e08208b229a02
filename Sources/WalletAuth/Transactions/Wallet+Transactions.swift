public import WalletAuthWire

extension Wallet {
    /// Flows that a QR code or a link begins.
    public var flows: Flows { Flows(core: core) }

    /// Transactions that the app begins, and those that wait for a signature.
    public var transactions: Transactions { Transactions(core: core) }

    /// Flows that a QR code or a link begins. One runs at a time.
    public struct Flows: Sendable {
        let core: WalletCore

        /// Starts signing the transaction of a QR code or deep link.
        ///
        /// The updates of a transaction that is signed: processing, ``UserInteraction/confirmTransaction(_:)``, processing,
        /// ``UserInteraction/verifySecondFactor(_:)``, processing, done. Where several accounts on this device could sign,
        /// ``UserInteraction/chooseAccount(_:)`` and processing come before. Nobody needs to be signed in; the device has to
        /// be enrolled.
        ///
        /// Starting with the same code again goes on where an app that was killed stopped.
        /// - Parameters:
        ///   - data: the text of the QR code, or the link.
        ///   - account: the account that signs, where the app knows it; otherwise the person is asked.
        /// - Returns: the flow, already running.
        /// - Throws: ``WalletError``: `invalid_qr_data` for anything but a transaction's link, `no_account_for_server` for
        ///   another server's, `flow_active` while another flow runs. What goes wrong later is the flow's
        ///   ``FlowUpdate/State/failed(_:)``: `transaction_not_found`, `already_claimed`, `transaction_over`,
        ///   `second_factor_unavailable`, `device_cooling`, `payload_refused`, `pin_locked`, `offline` …
        public func start(with data: String, account: AccountID? = nil) throws -> Flow {
            let link: TransactionLink
            do { link = try TransactionLink(data) } catch {
                throw core.noted(.invalidQRData, reason: error.description)
            }
            guard link.leads(to: core.enroller.issuer) else {
                throw core.noted(.noAccountForServer, reason: "the code is of the server \(link.issuer)")
            }
            return try core.signing { try await $0.sign(link, account: account) }
        }

        /// Goes on with a transaction that this device scanned before.
        /// - Parameter transaction: one of ``Transactions/open()``.
        /// - Returns: the flow, already running; as ``start(with:account:)``.
        /// - Throws: ``WalletError`` `flow_active`.
        public func start(with transaction: OpenTransaction) throws -> Flow {
            try core.signing { try await $0.sign(transaction) }
        }
    }

    /// Transactions that the app begins, and those that wait for a signature.
    public struct Transactions: Sendable {
        let core: WalletCore

        /// Begins a transaction of the app's own and starts signing it.
        ///
        /// The updates: processing, ``UserInteraction/verifySecondFactor(_:)``, processing, done. The server stores nothing
        /// before the signature.
        /// - Parameters:
        ///   - transaction: what to sign.
        ///   - account: the account that signs; by default the one that was signed in with last.
        /// - Returns: the flow, already running.
        /// - Throws: ``WalletError``: `bad_request` for state or data that is empty or too long, `flow_active`. What goes wrong
        ///   later is the flow's ``FlowUpdate/State/failed(_:)``: `device_not_enrolled`, `second_factor_unavailable`,
        ///   `device_cooling`, `draft_used`, `too_many_transactions`, `pin_locked`, `offline` …
        public func create(_ transaction: ClientTransaction, account: AccountID? = nil) throws -> Flow {
            if let fault = transaction.fault { throw core.noted(.badRequest, reason: fault) }
            return try core.signing { try await $0.sign(transaction, account: account) }
        }

        /// The transactions that this device scanned and that wait for a signature, the oldest first: where an app that was
        /// killed goes on with ``Flows/start(with:)``.
        ///
        /// Transactions that this version of the app cannot read or show are left out.
        /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`, `offline`, `malformed_answer` for a list without end …
        public func open() async throws -> [OpenTransaction] {
            try await core.during(.listTransactions) {
                let authentication = DeviceAuthentication(core: core)
                let enrollment = try await authentication.signedInEnrollment(during: .listTransactions)
                return try await DeviceTransactionCalls(
                    authentication: authentication, enrollment: enrollment, operation: .listTransactions
                ).open().compactMap { transaction in
                    guard let details = try? TransactionPayload(transaction, of: enrollment.account) else { return nil }
                    return OpenTransaction(details: TransactionDetails(details), transaction: transaction)
                }
            }
        }
    }
}

extension ClientTransaction {
    /// What is wrong with it, for the app's developer.
    fileprivate var fault: String? {
        do {
            _ = try TransactionDraftRequest(
                deviceID: DeviceID("unknown"), clientState: clientState.map(Array.init),
                clientAdditionalData: clientAdditionalData.map(Array.init))
            return nil
        } catch { return error.description }
    }
}

extension WalletCore {
    /// Starts a flow that signs.
    fileprivate func signing(
        _ sign: @escaping @Sendable (TransactionRun) async throws -> FlowUpdate.State
    ) throws -> Flow {
        let place: FlowPlace
        do { place = try annex.value { FlowSlot() }.take(during: .signTransaction) } catch {
            if let error = error as? WalletError { journal.note(error) }
            throw error
        }
        return Flow(.signTransaction, at: place, during: .signTransaction) { [self] steps in
            try await during(.signTransaction) { try await sign(TransactionRun(core: self, steps: steps)) }
        }
    }

    /// A mistake that is found before anything is sent.
    fileprivate func noted(_ code: WalletError.Code, reason: String) -> WalletError {
        let error = WalletError(code, .refused, during: .signTransaction, reason: reason)
        journal.note(error)
        return error
    }
}
