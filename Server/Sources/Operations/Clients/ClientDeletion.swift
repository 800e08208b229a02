internal import Consent
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

extension ClientAdministration {
    /// Deletes a client. One write closes it: from then on no client authenticates with its id, no session of it is living, and
    /// no device that it enrolled may act. Ending their rows takes as many writes as there are, so that others do not wait.
    ///
    /// If the command is interrupted, running it again ends the rest.
    func delete(_ id: String) async throws -> AdministrationAnswer {
        let now = clock.now()
        let entry = try auditLog.administration(
            AdministrationEvent.clientDeleted, client: id, now: now)
        let isDeleted = try await database.write { connection in
            guard try Clients.delete(id, now: now, on: connection) else { return false }
            try ClientConsentRecords.removeAll(to: id, on: connection)
            try WebhookEndpoints.removeAll(ofClient: id, on: connection)
            try entry.write(on: connection)
            return true
        }
        if isDeleted { directory.forget(try ClientID(id)) }
        let sessions = try await endSessions(ofClient: id)
        let devices = try await removeDevices(ofClient: id)
        let operations = try await withdrawOperations(ofClient: id)
        guard isDeleted || sessions + devices + operations > 0 else {
            throw AdministrationRefusal.notFound("client", id)
        }
        var json = JSONObject()
        json.set("clientId", id)
        json.set("endedSessions", Int64(sessions))
        json.set("removedDevices", Int64(devices))
        json.set("cancelledOperations", Int64(operations))
        return .done(
            "Client \(id) deleted. Sessions ended: \(sessions); devices removed: \(devices); open operations "
                + "cancelled: \(operations).", json)
    }

    /// The rows of one write.
    private static let rowsOfStep = 200

    private func endSessions(ofClient client: String) async throws -> Int {
        var (count, last) = (0, UniqueID?.none)
        while true {
            let page = try await database.read { [last] connection in
                try Sessions.page(ofClient: client, after: last, limit: Self.rowsOfStep, on: connection)
            }
            guard let end = page.last else { return count }
            let now = clock.now()
            count += try await database.write { connection in
                var ended = 0
                for session in page {
                    if try Sessions.end(session, because: .clientDeleted, now: now, on: connection) { ended += 1 }
                }
                return ended
            }
            last = end
        }
    }

    /// Removes the devices that the client enrolled. Their holders get no message each: an app that ended is no sign of a thief.
    private func removeDevices(ofClient client: String) async throws -> Int {
        var (count, last) = (0, UniqueID?.none)
        while true {
            let page = try await database.read { [last] connection in
                try Devices.page(ofClient: client, after: last, limit: Self.rowsOfStep, on: connection)
            }
            guard let end = page.last else { return count }
            let now = clock.now()
            let entries = try page.map { device in
                try auditLog.entry(
                    DeviceEvent.removed, account: device.account, client: client, now: now,
                    details: .naming(device.id, reason: SessionEnd.clientDeleted.rawValue))
            }
            let removed = try await database.write { connection -> [UniqueID] in
                var removed: [UniqueID] = []
                for (device, entry) in zip(page, entries) {
                    // The device's transactions that expired while this waited stay expired.
                    let removedAt = clock.writeTime(since: now)
                    guard
                        try Devices.remove(
                            device.id, of: device.account, with: dependents, because: .clientDeleted,
                            now: removedAt,
                            on: connection)
                    else { continue }
                    try entry.write(on: connection)
                    removed.append(device.id)
                }
                return removed
            }
            for device in removed { changes.changed(device) }
            count += removed.count
            last = end.id
        }
    }

    /// Withdraws what the client, as a backend, asked people to consent to.
    private func withdrawOperations(ofClient client: String) async throws -> Int {
        let voided = OperationEvidenceClaims.Step.Kind.voided.rawValue
        var count = 0
        while true {
            let now = clock.now()
            let withdrawn = try await database.write { connection in
                try WalletOperations.cancelBatch(
                    Self.rowsOfStep, ofClient: client, step: voided, now: clock.writeTime(since: now), on: connection)
            }
            guard withdrawn > 0 else { return count }
            count += withdrawn
        }
    }
}
