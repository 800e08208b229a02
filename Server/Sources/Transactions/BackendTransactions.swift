internal import Core
package import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

/// A backend's transactions: created, looked up, listed, cancelled.
package struct BackendTransactions: Sendable {
    let ledger: TransactionLedger
    let random: any RandomBytes
    let issuer: Issuer
    let audit: Audit
    let keyRing: KeyRing
    let pushes: ApprovalPushes

    /// The scope that a backend needs.
    package static let scope = "transactions"

    /// Creates a transaction.
    /// - Parameter key: the same key with the same request gets the same response again.
    package func create(
        _ request: TransactionRequest, key: IdempotencyKey, call: BackendCaller
    ) async throws -> Result<TransactionCreated, TransactionRefusal> {
        let account = request.account.flatMap { UniqueID(bytes: $0.bytes) }
        guard account != nil || call.client.allowsTransactionsWithoutAccount else {
            return .failure(.accountMissing)
        }
        let secret = try TransactionSecret(Base64URL.encode(random.bytes(16)))
        let record = try record(request, secret, of: account, key: key.digest, call: call)
        return try await ledger.database.retryingWrite("a transaction") { connection in
            if let known = try Transactions.find(key: key.digest, of: call.client.id.rawValue, on: connection) {
                guard case .server(let first, let secret) = try ledger.vault.open(known), first == request else {
                    return .failure(.idempotencyMismatch)
                }
                return .success(try self.created(known, secret: secret, now: call.now))
            }
            if let account, let refusal = try self.refusal(of: account, call: call, on: connection) {
                return .failure(refusal)
            }
            guard try Transactions.add(record, on: connection) == .added else { throw WriteConflict() }
            try ledger.record(record, origin: call.origin, now: call.now, on: connection)
            if let account { try self.push(record, to: account, now: call.now, on: connection) }
            return .success(try self.created(record, secret: secret, now: call.now))
        }
    }

    /// Returns a transaction as soon as it changes or ends, or when the wait is over.
    /// - Parameter wait: the maximum time to wait for a change; zero returns the current state.
    package func find(
        _ id: TransactionID, wait: Duration = .zero, call: BackendCaller
    ) async throws -> Result<TransactionReport, TransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.notFound) }
        let steps = wait > .zero ? ledger.changes.stream(of: [rowID]) : nil
        var now = call.now
        guard let record = try await visible(rowID, to: call, at: now) else { return .failure(.notFound) }
        guard let steps, !record.state.status(at: now).isFinal else {
            return .success(try ledger.report(record, now: now))
        }
        var (streams, hasChanged) = ([steps], false)
        let holders = record.holders
        if !holders.isEmpty {
            // The end of its device or account ends the transaction too. Only now are they known, and either may have ended since the row
            // was read.
            streams.append(ledger.changes.stream(of: holders))
            guard let present = try await visible(rowID, to: call, at: now) else { return .failure(.notFound) }
            hasChanged = present.revision != record.revision
        }
        if !hasChanged {
            let longest = min(wait, TransactionLimits.longestWait, record.state.expiresAt - now)
            let revision = record.revision
            await ledger.changes.wait(for: streams, atMost: longest) {
                let present = try? await visible(rowID, to: call, at: ledger.clock.writeTime(since: call.now))
                return present.map { $0.revision != revision } ?? true
            }
        }
        now = ledger.clock.writeTime(since: now)
        guard let later = try await visible(rowID, to: call, at: now) else { return .failure(.notFound) }
        return .success(try ledger.report(later, now: now))
    }

    /// Lists the backend's transactions in pages, the oldest first.
    package func list(
        _ query: TransactionQuery, call: BackendCaller
    ) async throws -> TransactionPage<TransactionReport> {
        let brand = try call.client.accountBrand.rawValue
        let read: @Sendable (any SQLConnection) throws -> [TransactionRecord] = { connection in
            try [Transactions.Owner.client(call.client.id.rawValue), .appsOfBrand(brand)].flatMap { owner in
                try Transactions.list(
                    of: owner, query.filter, after: query.cursor?.id,
                    limit: TransactionLimits.pageSize + 1, now: call.now, on: connection)
            }
        }
        let records = try await ledger.settled(try await ledger.database.read(read), at: call.now, read)
        return try TransactionPage(of: records.sorted { $0.id < $1.id }) { try ledger.report($0, now: call.now) }
    }

    /// Cancels an unsigned transaction. Idempotent.
    package func cancel(_ id: TransactionID, call: BackendCaller) async throws -> Result<Void, TransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.notFound) }
        let outcome = try await ledger.database.retryingWrite("a transaction") {
            connection -> Result<Void, TransactionRefusal> in
            guard let found = try Transactions.find(rowID, on: connection), isOwn(found, of: call) else {
                return .failure(.notFound)
            }
            var record = found
            let now = ledger.clock.writeTime(since: call.now)
            try ledger.settle(record, at: now, on: connection)
            switch record.state.cancelling(.backend, now: now) {
            case .next(let state):
                record.state = state
                guard try Transactions.save(record, over: found, on: connection) else { throw WriteConflict() }
                try ledger.record(record, origin: call.origin, now: now, on: connection)
                return .success(())
            case .repeated: return .success(())
            case .over(let status): return .failure(.over(status))
            case .notYetPossible, .othersClaim, .factorNotAllowed: throw InvariantViolation()
            }
        }
        if case .success = outcome { ledger.changes.changed(rowID) }
        return outcome
    }

    /// The link of an open transaction, for its QR code.
    package func link(
        of id: TransactionID, call: BackendCaller
    ) async throws -> Result<TransactionLink, TransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue), let record = try await visible(rowID, to: call, at: call.now),
            case .server(_, let secret) = try ledger.vault.open(record)
        else { return .failure(.notFound) }
        let status = record.state.status(at: call.now)
        guard !status.isFinal else { return .failure(.over(status)) }
        return .success(try created(record, secret: secret, now: call.now).link)
    }
}

extension TransactionRecord {
    /// The device and the account, whose end also ends the transaction.
    fileprivate var holders: [UniqueID] {
        [state.device.flatMap { UniqueID(uuid: $0.rawValue) }, accountID].compactMap(\.self)
    }
}

extension BackendTransactions {
    /// A transaction that the backend may see, as it is at `now`.
    func visible(_ id: UniqueID, to call: BackendCaller, at now: Timestamp) async throws -> TransactionRecord? {
        let read: @Sendable (any SQLConnection) throws -> [TransactionRecord] = {
            try visible(id, to: call, on: $0).map { [$0] } ?? []
        }
        return try await ledger.settled(try await ledger.database.read(read), at: now, read).first
    }

    /// A transaction that the backend created, or that an app of its brand began.
    func visible(
        _ id: UniqueID, to call: BackendCaller, on connection: any SQLConnection
    ) throws -> TransactionRecord? {
        guard let record = try Transactions.find(id, on: connection) else { return nil }
        let brand = try call.client.accountBrand.rawValue
        let isOfBrand = record.origin == .client && record.brandID == brand
        return isOfBrand || isOwn(record, of: call) ? record : nil
    }

    private func isOwn(_ record: TransactionRecord, of call: BackendCaller) -> Bool {
        record.origin == .server && record.clientID == call.client.id.rawValue
    }

    func record(
        _ request: TransactionRequest, _ secret: TransactionSecret, of account: UniqueID?, key: String,
        call: BackendCaller
    ) throws -> TransactionRecord {
        let id = try random.timeOrderedID(call.now)
        let expiresAt = call.now + .seconds(request.expiresIn)
        return TransactionRecord(
            id: id, origin: .server, clientID: call.client.id.rawValue, brandID: try call.client.accountBrand.rawValue,
            issuer: issuer.rawValue, createKey: key, accountID: account,
            state: TransactionState(expiresAt: expiresAt, requiredSecondFactor: request.requiredSecondFactor),
            sealed: try ledger.vault.seal(.server(request, secret), of: id), createdAt: call.now,
            keptUntil: expiresAt + TransactionLimits.unsignedRetention)
    }

    /// Why a backend may not ask an account for another signature; `nil` if it may.
    func refusal(
        of account: UniqueID, call: BackendCaller, on connection: any SQLConnection
    ) throws -> TransactionRefusal? {
        let brand = try call.client.accountBrand.rawValue
        guard let found = try Accounts.find(account, on: connection), found.state == .active, found.brandID == brand
        else { return .accountNotFound }
        let (count, firstEnd) = try Transactions.open(
            of: account, client: call.client.id.rawValue, now: call.now, on: connection)
        guard count >= TransactionLimits.openOfAccount else { return nil }
        return .tooManyOpen(retryAfter: RetryAfter.seconds(until: firstEnd, now: call.now))
    }

    /// Tells the holder's devices. Without one that is reached, or after too many, the transaction waits in the app's list all the same.
    func push(
        _ record: TransactionRecord, to account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let subject = ApprovalSubject(kind: .transaction, id: record.id, expiresAt: record.state.expiresAt)
        _ = try pushes.post(
            subject, to: account, brand: record.brandID, by: record.clientID, asked: false, now: now, on: connection)
    }

    private func created(
        _ record: TransactionRecord, secret: TransactionSecret, now: Timestamp
    ) throws -> TransactionCreated {
        let id = try TransactionID(record.id.uuid)
        return TransactionCreated(
            transactionID: id, status: record.state.status(at: now),
            link: TransactionLink(issuer: issuer, transactionID: id, secret: secret),
            expiresAt: NumericDate(clamping: record.state.expiresAt.seconds))
    }
}

extension TransactionLedger {
    func report(_ record: TransactionRecord, now: Timestamp) throws -> TransactionReport {
        var report = TransactionReport(
            transactionID: try TransactionID(record.id.uuid), origin: record.origin,
            clientID: try ClientID(record.clientID), status: record.state.status(at: now),
            createdAt: NumericDate(clamping: record.createdAt.seconds),
            expiresAt: NumericDate(clamping: record.state.expiresAt.seconds))
        if record.namesSigner {
            report.account = try record.accountID.map { try AccountID(bytes: $0.bytes) }
            report.deviceID = record.state.device
            // The payload also contains the account.
            report.payload = try vault.payload(of: record)
        }
        switch record.state.phase {
        case .signed(_, let factor, _): report.secondFactor = factor
        case .rejected(_, let reason, _): report.reason = reason
        case .cancelled(_, let reason, _): report.cancellation = reason
        case .created, .claimed, .confirmed, .failed: break
        }
        try vault.addSource(of: record, to: &report)
        report.signature = try vault.signature(of: record)
        report.endedAt = record.state.endedAt.map { NumericDate(clamping: $0.seconds) }
        return report
    }
}
