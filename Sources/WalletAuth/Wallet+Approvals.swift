public import WalletAuthWire

extension Wallet.Transactions {
    /// Returns everything that waits for the person's approval on this device, oldest first: transactions that a backend addressed to the
    /// account and that no other device has, and payments begun on another device or in a browser whose consent was asked for by `.push`.
    ///
    /// The server says so whether or not a push message arrived. Call it when the app comes to the foreground, and when a push message
    /// opened it. What this version of the app cannot read or show is left out.
    /// - Throws: ``WalletError``: `signed_out`, `device_not_enrolled`, `device_not_found` if the session was not opened on this device's
    ///   enrollment, `device_cooling` with ``WalletError/coolingUntil``, `app_instance_unverified`, `offline` …
    public func pending() async throws -> [PendingApproval] {
        try await wallet.log.during(.listPending) { try await wallet.approvals(during: .listPending).pending() }
    }

    /// Approves a payment that waits on this device, with `.biometrics(reason:)`, or `.pin(_:)` of WalletAuthPIN.
    ///
    /// The device signs the hash of the bytes from which ``PendingPayment/operation`` was read. The app that began the payment learns of it
    /// and goes on. Repeat the call if its response is lost.
    /// - Parameters:
    ///   - payment: one of ``pending()``.
    ///   - answer: how the person proves it.
    /// - Returns: `.verified`, or `.failed` with a reason: `.invalidValue` for a wrong PIN, `.notChallenged` if the payment is no longer to
    ///   be approved here.
    /// - Throws: ``WalletError``: `already_verified` if it was approved on another device or in another way; `data_error` if it is locked,
    ///   expired, refused or was carried out; `event_not_found`; `device_cooling`, `pin_locked`, `pin_not_set`,
    ///   `biometrics_not_enabled`, `cancelled_by_person`, `key_lost`, `offline` …
    @discardableResult
    public func approve(_ payment: PendingPayment, with answer: SCA.Answer) async throws -> SCA.Attempt {
        try await wallet.log.during(.approvePayment) {
            try await wallet.approvals(during: .approvePayment).approve(payment, with: answer)
        }
    }

    /// Ends a payment that the person did not start, for good: no one can approve it any more, and the person is notified. A person who only
    /// does not want to approve it now sends nothing.
    ///
    /// It takes no second factor, and is harmless to repeat.
    /// - Parameter payment: one of ``pending()``.
    /// - Throws: ``WalletError``: `data_error` if it is locked, expired or was carried out; `event_not_found`, `device_cooling`,
    ///   `offline` …
    public func reject(_ payment: PendingPayment) async throws {
        try await wallet.log.during(.rejectPayment) {
            try await wallet.approvals(during: .rejectPayment).reject(payment)
        }
    }
}

extension Wallet.Flows {
    /// Starts signing a transaction that waits on this device.
    /// - Parameter transaction: one of ``Wallet/Transactions/pending()``.
    /// - Returns: the flow, already running; as ``start(with:account:)``.
    /// - Throws: ``WalletError`` `flow_active`.
    public func start(pending transaction: PendingTransaction) throws -> Flow {
        switch transaction.source {
        case .link(let link, let account): try start(with: link.reveal(), account: account)
        case .claimed(let open): try start(with: open)
        }
    }
}

extension Wallet {
    /// Reads a push message of this server: what waits, and its id. It says nothing else, and anyone can claim to have sent it, so look
    /// the id up in ``Transactions/pending()``.
    ///
    /// Pass it `userInfo` of a notification or of its response, or the data of a message of Firebase.
    /// - Parameter userInfo: the payload. Other members are ignored.
    /// - Returns: nil for a message of another kind.
    public func handle(push userInfo: [AnyHashable: Any]) -> ApprovalHint? {
        guard let kind = (userInfo["kind"] as? String).flatMap(ApprovalKind.init(rawValue:)),
            let id = (userInfo["id"] as? String).flatMap({ try? SCAEventID($0) })?.transactionID
        else { return nil }
        return ApprovalHint(kind: kind, id: id)
    }

    /// The calls of the signed-in account's device.
    fileprivate func approvals(during operation: WalletError.Operation) async throws -> ApprovalCalls {
        let authentication = deviceAuthentication
        return ApprovalCalls(
            authentication: authentication,
            enrollment: try await authentication.signedInEnrollment(during: operation), operation: operation)
    }
}
