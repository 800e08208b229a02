internal import Core
internal import Kernel
internal import Operations
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Keeps people's accounts when an app moves to another team at Apple, which gives everyone a new identifier.
///
/// Before the move, the former team asks Apple for an identifier of each person that both teams understand. For sixty days after
/// the move, identity tokens contain that identifier (`transfer_sub`) together with the new one.
struct AppleTransfer: Sendable {
    let database: any Database
    let clock: any Clock
    let sealing: SealingKeys
    let auditLog: AuditLog
    let services: AppleServices

    /// Long enough for people who rarely open the app: Apple itself sends the identifier for sixty days after the move.
    private static let lifetime = Duration.days(365)
    /// The maximum number of people per command.
    private static let most = 400
    private static let batch = 8

    /// Asks Apple for the identifiers of a provider's people.
    /// - Parameters:
    ///   - id: the provider, which still belongs to the former team.
    ///   - team: the team that the app moves to.
    /// - Throws: ``AdministrationRefusal``.
    func prepare(_ id: ProviderID, brand: BrandID, to team: String) async throws -> AdministrationAnswer {
        let found = try await services.providers.find(id, brand: brand)
        guard let found else { throw AdministrationRefusal.notFound("provider", "\(id) in the brand \(brand)") }
        guard let provider = found.vendor as? AppleProvider else {
            throw AdministrationRefusal("The provider \(id) is not Apple.", code: "contradiction")
        }
        guard team != provider.settings.teamID else {
            throw AdministrationRefusal(
                "The provider \(id) already belongs to the team \(team).", code: "contradiction")
        }
        var progress = Progress()
        do {
            try await ask(about: provider, named: id, of: brand, to: team, &progress)
        } catch let failure as ProviderFailure {
            throw AdministrationRefusal(
                "Apple stopped after \(progress.prepared) people: \(failure.reason).",
                hint: "Run the command again for the rest.",
                code: "provider_unusable")
        }
        if let failure = progress.failure {
            throw AdministrationRefusal(
                """
                Prepared: \(progress.prepared). Apple gave no identifier for \(progress.failed): \(failure.reason). Run the \
                command again for the rest.
                """, code: "provider_unusable")
        }
        let now = clock.now()
        let total = try await database.read {
            try AppleTransfers.count(
                at: team, provider: id.rawValue, brand: brand.rawValue, now: now, on: $0)
        }
        return answer(progress, total: total, team: team)
    }

    /// The progress of a command.
    private struct Progress {
        var prepared = 0
        /// People of another team that had the provider's name before, and those whose key is lost.
        var skipped = 0
        /// People for whom Apple gave no identifier while it did for others.
        var failed = 0
        /// The latest reason for one of these.
        var failure: ProviderFailure?
    }

    /// Apple's answer about one person.
    private struct PersonAnswer: Sendable {
        /// The digest of the person's identity.
        let digest: [UInt8]
        let transferSubject: Result<String, ProviderFailure>
    }

    /// - Throws: ``ProviderFailure`` if Apple answers for no one, ``AdministrationRefusal`` for a service without
    ///   transfers.
    private func ask(
        about provider: AppleProvider, named id: ProviderID, of brand: BrandID, to team: String,
        _ progress: inout Progress
    ) async throws {
        let service = try provider.service(http: services.http, environment: services.environment)
        guard let client = provider.settings.firstBundleID ?? provider.settings.servicesID else {
            throw ProviderFailure("it has no client id")
        }
        guard let token = try await service.migrationToken(clientID: client, now: clock.now()) else {
            throw AdministrationRefusal(
                "\(provider.settings.base) does not support transfers: only Apple itself prepares people for another team, not "
                    + "the sandbox's stand-in.", code: "provider_unusable")
        }
        var cursor: [UInt8] = []
        while progress.prepared < Self.most {
            let now = clock.now()
            let page = try await database.read { [cursor] in
                try AppleTransfers.unexpected(
                    at: team, provider: id.rawValue, brand: brand.rawValue, after: cursor, limit: Self.batch,
                    now: now, on: $0)
            }
            guard let last = page.last else { return }
            cursor = last.digest
            let people = subjects(of: page, at: provider)
            progress.skipped += page.count - people.count
            let answers = try await withThrowingTaskGroup(of: PersonAnswer.self) { group in
                for (digest, subject) in people {
                    group.addTask {
                        do {
                            let transfer = try await service.transferSubject(
                                of: subject, to: team, accessToken: token, clientID: client, now: now)
                            return PersonAnswer(digest: digest, transferSubject: .success(transfer))
                        } catch let failure as ProviderFailure {
                            return PersonAnswer(digest: digest, transferSubject: .failure(failure))
                        }
                    }
                }
                return try await group.reduce(into: [PersonAnswer]()) { $0.append($1) }
            }
            try await settle(answers, from: provider, named: id, of: brand, to: team, now: now, &progress)
        }
    }

    /// The identifiers of people at a provider, except those that are skipped.
    private func subjects(
        of page: [FederatedIdentityRecord], at provider: AppleProvider
    ) -> [(digest: [UInt8], subject: String)] {
        let vault = IdentityVault(sealing)
        return page.compactMap { identity -> (digest: [UInt8], subject: String)? in
            guard let subject = vault.open(identity.subject, .subject, of: identity.digest),
                provider.digest(of: subject) == identity.digest
            else { return nil }
            return (identity.digest, subject)
        }
    }

    /// Prepares the people of a batch for the new team. A person for whom Apple gives no identifier does not hold up
    /// the others. If Apple gives none for anyone, the reason does not lie with one person.
    private func settle(
        _ answers: [PersonAnswer], from provider: AppleProvider, named id: ProviderID, of brand: BrandID,
        to team: String, now: Timestamp, _ progress: inout Progress
    ) async throws {
        var records: [AppleTransfers.Record] = []
        var failures: [ProviderFailure] = []
        for answer in answers {
            switch answer.transferSubject {
            case .success(let transfer):
                records.append(
                    AppleTransfers.Record(
                        transfer: Self.digest(
                            of: transfer, base: provider.settings.base, team: team, brand: brand.rawValue),
                        brandID: brand.rawValue, digest: answer.digest, team: team, expiresAt: now + Self.lifetime))
            case .failure(let failure): failures.append(failure)
            }
        }
        if records.isEmpty, let failure = failures.first { throw failure }
        // One entry for each command, with its first batch.
        let entry =
            try progress.prepared == 0
            ? auditLog.administration(
                AppleEvent.transferPrepared,
                details: JSONObject(strings: ["provider": id.rawValue, "brand": brand.rawValue, "team": team]),
                now: now) : nil
        try await database.write { [records] connection in
            guard !records.isEmpty else { return }
            for record in records { try AppleTransfers.expect(record, on: connection) }
            try entry?.write(on: connection)
        }
        progress.prepared += records.count
        progress.failed += failures.count
        progress.failure = failures.last ?? progress.failure
    }

    private func answer(
        _ progress: Progress, total: (here: Int64, elsewhere: Int64), team: String
    ) -> AdministrationAnswer {
        let (prepared, skipped, isDone) = (progress.prepared, progress.skipped, progress.prepared < Self.most)
        var json = JSONObject()
        json.set("prepared", Int64(prepared))
        json.set("total", total.here)
        json.set("otherTeams", total.elsewhere)
        json.set("skipped", Int64(skipped))
        json["done"] = .bool(isDone)
        var lines = [
            total.here == 1
                ? "1 person is prepared for the team \(team) (\(prepared) new)."
                : "\(total.here) people are prepared for the team \(team) (\(prepared) new)."
        ]
        if total.elsewhere > 0 {
            lines.append("Prepared for other teams: \(total.elsewhere). This is harmless and expires after a year.")
        }
        if skipped > 0 { lines.append("Skipped (another team's, or unreadable): \(skipped).") }
        lines.append(
            isDone
                ? "Run it again right before the transfer, for people who have joined since."
                : "There are more: run it again.")
        return .done(lines, json)
    }

    fileprivate static func digest(of transfer: String, base: String, team: String, brand: String) -> [UInt8] {
        Digests.of("apple-transfer", Array([brand, base, team, transfer].joined(separator: "\0").utf8))
    }
}

extension AppleProvider {
    /// Moves a person's link at their first sign-in in the new team. It is a separate write, because Apple's signature proves the
    /// identity even if the sign-in fails later.
    /// - Parameter verifiedAt: when Apple vouched for the person.
    func completeTransfer(of claims: AppleTokenClaims, verifiedAt: Timestamp, call: VendorCall) async throws {
        guard let transfer = claims.transferSubject else { return }
        let (brand, access) = (call.provider.brand.rawValue, call.access)
        let digest = digest(of: claims.subject)
        let name = AppleTransfer.digest(of: transfer, base: settings.base, team: settings.teamID, brand: brand)
        let isExpected = try await access.database.read {
            try AppleTransfers.find(name, brand: brand, now: call.now, on: $0) != nil
        }
        guard isExpected else { return }
        let sealed = try IdentityVault(access.sealing).seal(claims.subject, .subject, of: digest)
        try await access.database.write { connection in
            guard let former = try AppleTransfers.find(name, brand: brand, now: call.now, on: connection),
                let link = try FederatedIdentities.find(former, brand: brand, on: connection),
                try FederatedIdentities.find(digest, brand: brand, on: connection) == nil,
                try FederatedIdentities.unlink(former, of: link.accountID, on: connection)
            else { return }
            // The former team's consent ended with the transfer.
            try AppleGrants.remove(former, brand: brand, on: connection)
            let record = FederatedIdentityRecord(
                brandID: brand, digest: digest, accountID: link.accountID, providerID: call.provider.id.rawValue,
                subject: sealed, linkedAt: link.linkedAt, assertsAddress: link.assertsAddress,
                coolingUntil: link.coolingUntil)
            guard try FederatedIdentities.link(record, on: connection) else {
                throw StoreError(.unexpectedRow, "an identity was linked in the middle of a write")
            }
            // The sign-in that writes a grant may never follow. Without this one, the end of the new consent would find nothing to end.
            try AppleGrants.record(
                AppleGrants.SignIn(
                    brandID: brand, digest: digest, providerID: call.provider.id.rawValue, sealed: nil,
                    verifiedAt: verifiedAt, checkAt: call.now + AppleGrantMaintenance.askInterval, revokeAt: nil),
                on: connection)
            try access.auditLog.entry(
                AppleEvent.transferred, account: link.accountID,
                properties: ["provider": call.provider.id.rawValue], now: call.now
            ).write(on: connection)
        }
    }
}
