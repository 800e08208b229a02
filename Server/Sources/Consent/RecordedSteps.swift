internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Compares the steps of an operation with the audit log, before the server signs anything for them.
///
/// The rows of an operation have no MAC. Entries of the audit log have one, and the same write makes both. So someone
/// who can write to the database, but has no key, cannot have the server vouch for a consent that it did not record.
struct RecordedSteps: Sendable {
    let context: ServerContext
    let record: WalletOperationRecord
    let now: Timestamp

    /// Someone else wrote to the database. The request is valid; the operator has to learn about it.
    struct NotRecorded: Error, CustomStringConvertible {
        let step: String
        let event: UniqueID

        var description: String {
            """
            the audit log does not confirm the step “\(step)” of the operation with the event \(event.uuid), so nothing is \
            signed for it: something other than the server has written to the database; run `walletauth audit verify`
            """
        }
    }

    /// The step that permits the operation to be carried out: the consent, or the exemption from it.
    /// - Throws: ``NotRecorded`` unless the audit log has it, at the time and with the factors of the row. Without details its
    ///   entry does not count: an erased account authorizes nothing, even if its row says that it is active.
    func consent(on connection: any SQLConnection) throws -> SCASteps.Record {
        let event: OperationEvent = record.decision == .required ? .verified : .exempted
        let kind = OperationEvidenceClaims.Step.Kind(event).rawValue
        guard let step = try SCASteps.last(kind, of: record.id, on: connection),
            case .verified(let at) = record.event.state, at == step.at,
            record.event.expiresAt <= at + SCALimits.consentLifetime,
            let details = try entry(of: step, as: event, on: connection)?.details,
            try confirm(details, step, as: event)
        else { throw NotRecorded(step: kind, event: record.id) }
        return step
    }

    /// Compares every step, and the last one with the state.
    func require(on connection: any SQLConnection) throws {
        let steps = try SCASteps.all(of: record.id, on: connection)
        var previous: Int64 = 0
        for step in steps {
            // Steps are written one after the other, and so are their entries.
            let isLater = step.place.map { $0.sequence > previous } ?? true
            guard isLater, try isRecorded(step, on: connection) else {
                throw NotRecorded(step: step.kind, event: record.id)
            }
            previous = step.place?.sequence ?? previous
        }
        let challenged = OperationEvidenceClaims.Step.Kind.challenged.rawValue
        guard steps.first?.kind == opening.rawValue, let last = steps.last(where: { $0.kind != challenged }),
            leadsToState(last)
        else { throw NotRecorded(step: steps.last?.kind ?? opening.rawValue, event: record.id) }
    }

    private var opening: OperationEvidenceClaims.Step.Kind { record.decision == .required ? .requested : .exempted }

    /// Whether the state follows from a step that is no challenge. Challenges do not end an operation.
    private func leadsToState(_ step: SCASteps.Record) -> Bool {
        guard let kind = OperationEvidenceClaims.Step.Kind(rawValue: step.kind) else { return false }
        return switch record.event.state {
        case .open, .challenged: kind == .requested
        case .verified(let at): kind == (record.decision == .required ? .verified : .exempted) && step.at == at
        case .used: kind == .authorized
        case .locked: kind == .locked
        case .cancelled: [.cancelled, .refused, .voided].contains(kind)
        }
    }

    private func isRecorded(_ step: SCASteps.Record, on connection: any SQLConnection) throws -> Bool {
        let recorded = OperationEvent.allCases.first { OperationEvidenceClaims.Step.Kind($0).rawValue == step.kind }
        // Challenges, and the end by a restore, another issuer or an erasure, have no entry.
        guard let recorded else { return true }
        guard let place = step.place, let found = try entry(of: step, as: recorded, on: connection)
        else { return false }
        guard let details = found.details else {
            return try Audit(context: context).isErased(record.accountID, after: place, now: now, on: connection)
        }
        return try confirm(details, step, as: recorded)
    }

    /// The entry of a step, if it is genuine and of the same kind, account, client and time.
    private func entry(
        of step: SCASteps.Record, as event: OperationEvent, on connection: any SQLConnection
    ) throws -> Audit.GenuineEntry? {
        guard let place = step.place else { return nil }
        let recorded = Audit.RecordedStep(
            event, of: record.accountID, client: record.clientID, place: place, at: step.at)
        return try Audit(context: context).entry(of: recorded, now: now, on: connection)
    }

    /// Whether the details of a step's entry are about this operation, and have what the step says.
    private func confirm(_ details: JSONObject, _ step: SCASteps.Record, as event: OperationEvent) throws -> Bool {
        guard try hasRecordedSignIn(step, details), try details.string("event_id") == record.id.uuid
        else { return false }
        switch (event, record.decision) {
        case (.verified, _): return try (details.strings("amr") ?? []) == record.event.methods
        case (.exempted, .exempt(let exemption)):
            return try details.string("exemption") == OperationEvent.name(of: exemption)
        default: return true
        }
    }

    /// Whether a step names the sign-in that its entry has.
    private func hasRecordedSignIn(_ step: SCASteps.Record, _ details: JSONObject) throws -> Bool {
        let recorded = try details["sign_in"]?.object.map { try OperationEvidenceClaims.SignIn($0) }
        return try OperationFacts(step.facts).signIn == recorded
    }
}
