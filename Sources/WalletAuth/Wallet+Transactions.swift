public import WalletAuthWire

extension Wallet {
    /// Flows that begin with a QR code or a link.
    public var flows: Flows { Flows(wallet: self) }

    /// Transactions that the app begins, and those waiting for a signature.
    public var transactions: Transactions { Transactions(wallet: self) }

    /// Flows that begin with a QR code or a link. Only one runs at a time.
    public struct Flows: Sendable {
        let wallet: Wallet

        /// Starts signing the transaction of a QR code or deep link.
        ///
        /// The updates of a successful flow: processing, ``UserInteraction/confirmTransaction(_:)``, processing,
        /// ``UserInteraction/verifySecondFactor(_:)``, processing, done. If several accounts on this device could sign,
        /// ``UserInteraction/chooseAccount(_:)`` and processing come first. The device must be enrolled, but no one
        /// needs to be signed in.
        ///
        /// Starting with the same code again continues where a killed app stopped.
        /// - Parameters:
        ///   - data: the text of the QR code, or the link.
        ///   - account: the account that signs, if the app knows it; nil asks the person.
        /// - Returns: the flow, already running.
        /// - Throws: ``WalletError``: `invalid_qr_data` for anything but a transaction's link, `no_account_for_server`
        ///   for another server's link, `flow_active` while another flow runs. Later errors arrive as the flow's
        ///   ``FlowUpdate/State/failed(_:)``: `transaction_not_found`, `already_claimed`, `transaction_over`,
        ///   `second_factor_unavailable`, `device_cooling`, `payload_refused`, `pin_locked`, `offline` …
        public func start(with data: String, account: AccountID? = nil) throws -> Flow {
            let link: TransactionLink
            do { link = try TransactionLink(data) } catch {
                throw wallet.noted(.invalidQRData, reason: error.description)
            }
            guard link.leads(to: wallet.enroller.issuer) else {
                throw wallet.noted(.noAccountForServer, reason: "the code belongs to the server \(link.issuer)")
            }
            return try wallet.signing { try await $0.sign(link, account: account) }
        }

        /// Continues with a transaction that this device scanned before.
        /// - Parameter transaction: one of ``Transactions/open()``.
        /// - Returns: the flow, already running; as ``start(with:account:)``.
        /// - Throws: ``WalletError`` `flow_active`.
        public func start(with transaction: OpenTransaction) throws -> Flow {
            try wallet.signing { try await $0.sign(transaction) }
        }
    }

    /// Transactions that the app begins, and those waiting for a signature.
    public struct Transactions: Sendable {
        let wallet: Wallet

        /// Begins a transaction of the app and starts signing it.
        ///
        /// The updates: processing, ``UserInteraction/verifySecondFactor(_:)``, processing, done. The server stores
        /// nothing before the signature.
        /// - Parameters:
        ///   - transaction: the transaction to sign.
        ///   - account: the account that signs; nil for the last one signed in.
        /// - Returns: the flow, already running.
        /// - Throws: ``WalletError``: `bad_request` for state or data that is too long, `flow_active`. Later
        ///   errors arrive as the flow's ``FlowUpdate/State/failed(_:)``: `device_not_enrolled`,
        ///   `second_factor_unavailable`, `device_cooling`, `draft_used`, `too_many_transactions`, `pin_locked`,
        ///   `offline` …
        public func create(_ transaction: ClientTransaction, account: AccountID? = nil) throws -> Flow {
            if let fault = transaction.fault { throw wallet.noted(.badRequest, reason: fault) }
            return try wallet.signing { try await $0.sign(transaction, account: account) }
        }

        /// Returns the transactions that this device scanned and has not signed yet, oldest first. A killed app
        /// continues with ``Flows/start(with:)``.
        ///
        /// Transactions that this version of the app cannot read or show are left out.
        /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`, `offline`, `malformed_answer` for a list
        ///   without end …
        public func open() async throws -> [OpenTransaction] {
            try await wallet.log.during(.listTransactions) {
                let authentication = wallet.deviceAuthentication
                let enrollment = try await authentication.signedInEnrollment(during: .listTransactions)
                return try await DeviceTransactionCalls(
                    authentication: authentication, enrollment: enrollment, operation: .listTransactions
                ).open().compactMap { transaction in
                    guard let details = try? TransactionPayload(transaction, of: enrollment.account) else { return nil }
                    return OpenTransaction(details: TransactionDetails(payload: details), transaction: transaction)
                }
            }
        }

        /// Returns what was signed, rejected or left to expire on this device in the last 90 days, newest first, and
        /// the consents (``SCA``) that were completed on it.
        ///
        /// The list is kept on this device only, for accounts that it is enrolled for: at most 200 entries each. It
        /// survives sign-outs, and is removed with the device (``Wallet/Devices/remove(_:)``). A consent answered by
        /// ``Wallet/Authentication/submitSCAAttempt(eventID:request:)`` is not in it, because that call does not know
        /// the operation.
        /// - Parameter account: the account; nil for all accounts of this device.
        /// - Throws: ``WalletError`` `store_unavailable`.
        public func history(of account: AccountID? = nil) async throws -> [HistoryEntry] {
            try await wallet.log.during(.transactionHistory) {
                try await wallet.deviceAuthentication.history.entries(of: account)
            }
        }
    }
}

extension ClientTransaction {
    /// The fault of the transaction, for the app's developer.
    fileprivate var fault: String? {
        do {
            _ = try TransactionDraftRequest(
                deviceID: DeviceID("unknown"), clientState: clientState.map(Array.init),
                clientAdditionalData: clientAdditionalData.map(Array.init))
            return nil
        } catch { return error.description }
    }
}

extension Wallet {
    /// Starts a signing flow.
    fileprivate func signing(
        _ sign: @escaping @Sendable (TransactionRun) async throws -> FlowUpdate.State
    ) throws -> Flow {
        let place: FlowPlace
        do {
            place = try deviceAuthentication.extensionStorage.value { FlowSlot() }.take(during: .signTransaction)
        } catch {
            if let error = error as? WalletError { log.note(error) }
            throw error
        }
        return Flow(.signTransaction, at: place, during: .signTransaction) { [self] steps in
            try await log.during(.signTransaction) {
                try await sign(TransactionRun(authentication: deviceAuthentication, time: time, steps: steps))
            }
        }
    }

    /// An error found before anything is sent.
    fileprivate func noted(_ code: WalletError.Code, reason: String) -> WalletError {
        let error = WalletError(code, .refused, during: .signTransaction, reason: reason)
        log.note(error)
        return error
    }
}
