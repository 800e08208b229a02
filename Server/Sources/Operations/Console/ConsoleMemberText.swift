internal import Core

/// What members of commands' answers and of the audit log's details are called, where no column of a list has a heading for them. A case
/// has the name of its member: `trace_id` is ``traceID``.
enum ConsoleMemberText: String, TextKey {
    static let section = "consoleMembers"

    // Of clients and identity providers.
    case authenticationMethod, jwksUri, keySetReplaced, requiresDpop, withoutPkce, requiresPar,
        requiresSignedRequests, requiresMerchant, fapi, introspection, tokenExchange,
        transactionsWithoutAccount, guestTokens, guestPasswords, loyaltyMerchants, deviceTokens, deviceGrant,
        verifiesAppInstallation, adminAllBrands, resetCredentialsUrls, consentReturnUrls,
        postLogoutRedirectUris, backchannelLogoutUri, appleAppIds, androidApps, attestation, attestationClaim,
        passkeyOrigins, asksForPasskeys, appStoreUrl, playStoreUrl, pushTopic, resources, redeemer,
        idTokenAlgorithm, accessTokenLifetime, refreshIdleLifetime, refreshAbsoluteLifetime, formerClients,
        hasClientSecret, `internal`, authMethod, redirectsToOtherHosts, emailClaim, emailVerifiedClaim,
        authorizationDetailsTypes, authorizationDetails, metadataHosts, selfDescribed, ciba,
        backchannelNotificationEndpoint, adoptsPasswordsUntil, exchangesUntil

    // What a change added to a list, and what it removed from one.
    case addedMembers, removedMembers

    // Of entries of the audit log.
    case address, userAgent, traceID, byOperator, properties, partition, sequence, link, unchained, sessionID,
        sessions, device, deviceTrust, linkedDevice, passkey, scan, reason, proved, reopened, locked, verified,
        first, removed, replaced, withdrawn, factor, secondFactor, amr, signIn, failures, altogether, provider,
        team, eventID, walletOperationID, type, exemption, approvingSession, transactionID, number,
        integration, cardTemplate, activationStore, limit, former, change, key, text, language, requestedBy,
        reads, code, by, `import`, source, whole, webhookID, time, differenceSeconds, keyID, keyIDs,
        formerKeyIDs, revokedKeyIDs, mergedFrom, authorizationDetailsSHA256, authTime

    private static let byMember = Dictionary(
        uniqueKeysWithValues: ConsoleMemberText.allCases.map { (Self.bare($0.rawValue), $0) })

    /// The headings of the lists' columns, and other labels that say it as well.
    private static let labels: [String: ConsoleText] = {
        var labels: [String: ConsoleText] = [
            "scopes": .scopeHead, "clients": .clientsLink, "providers": .providersLink, "merchants": .merchantsLink,
            "channels": .channelHead, "messageid": .messageHead, "mergedinto": .mergedRow,
        ]
        let tables = [ConsoleTable.audit] + ConsoleList.allCases.flatMap(\.tables)
        for column in tables.flatMap(\.declared) where labels[Self.bare(column.member)] == nil {
            labels[Self.bare(column.member)] = column.heading
        }
        return labels
    }()

    private static func bare(_ member: String) -> String { member.lowercased().filter { $0 != "_" } }

    /// What a member is called; `nil` for one that has no name here.
    static func label(of member: String, in language: Language) -> String? {
        let name = bare(member)
        if let own = byMember[name] { return language.consoleMemberText[own] }
        if let label = labels[name] { return language.consoleText[label] }
        for (prefix, change) in [("added", ConsoleMemberText.addedMembers), ("removed", .removedMembers)]
        where name.hasPrefix(prefix) {
            let list = label(of: String(name.dropFirst(prefix.count)), in: language)
            return list.map { language.consoleMemberText[change, ["name": $0]] }
        }
        return nil
    }
}

extension TextSource {
    var consoleMemberText: Texts<ConsoleMemberText> { texts() }
}
