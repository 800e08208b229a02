internal import ArgumentParser
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Wraps the data keys under a new master key.
struct KeysRotateMaster: AdminCommand {
    static let title = "keys rotate-master"
    static let access = CommandAccess.terminal
    static let abstract = "Wrap the database's keys under the first configured master key."
    static let discussion = """
        First put the new key before the old one in the setting of the master key (two lines or words), and restart every \
        server: those that lack the new key are named, and nothing is changed. Afterwards take the old key out. Everything \
        that is sealed stays as it is, and no one is signed out. It happens at once or not at all, so it can be repeated.
        """

    /// The first master key of the command line's own configuration.
    var input: String?
    var effect: CommandEffect { .rewrapsKeys }

    func readInput(from reader: any CommandInputReader) throws -> String? { reader.masterKeyName() }

    func execute(in keys: KeyAdministration) async throws -> AdministrationAnswer {
        // By a wrong time, servers would seem to have ended.
        try await keys.clocks.requireAgreement()
        let (now, auditLog) = (keys.clock.now(), keys.auditLog)
        let name = keys.rotation.masterKeys.first.id.masterKeyName
        if let input, !keys.rotation.masterKeys.all.contains(where: { $0.id.masterKeyName == input }) {
            throw Self.unread(input, besides: name)
        }
        let outcome: MasterKeyRotation
        do {
            outcome = try await keys.rotation.rotateMasterKey(now: now) { change, connection in
                try auditLog.administration(
                    AdministrationEvent.masterKeyRotated, details: Self.details(of: change), now: now
                ).write(on: connection)
            }
        } catch let fault as MasterKeyFault {
            throw AdministrationRefusal.masterKeyUnknown(fault)
        }
        switch outcome {
        case .rotated(let change):
            try await keys.ring.reload(now: now)
            return .done(Self.lines(of: change, in: keys), Self.details(of: change))
        case .isCurrent:
            if let input, input != name { throw Self.unread(input, besides: name) }
            return .done(
                [
                    "Nothing is left to do: every key is wrapped under \(name) already, the first master key that the server "
                        + "has read.",
                    "To rotate again, put a new key before it in the setting, and restart the servers first.",
                ], Self.details(key: name, former: [], dataKeys: 0))
        case .unknown(let servers):
            throw AdministrationRefusal(
                "Nothing was changed, because these servers lack the master key \(name): "
                    + servers.map { "\($0.name) (seen at \($0.seenAt.text))" }.joined(separator: ", ") + ".",
                hint: "Restart each with both keys. One that was killed counts for "
                    + "\(ServingProcess.lifetime.inWords) after it was seen.", code: "servers_lack_key")
        }
    }

    /// The configuration was changed, and the server not restarted since.
    private static func unread(_ key: String, besides name: String) -> AdministrationRefusal {
        AdministrationRefusal(
            "Nothing was changed: the first master key of this configuration is \(key), and the running server has not read "
                + "it as the first. Its own is \(name).",
            hint: "Restart every server, then run this again.", code: "servers_lack_key")
    }

    private static func details(of change: MasterKeyRotation.Change) -> JSONObject {
        details(
            key: change.key.masterKeyName, former: change.former.map(\.masterKeyName), dataKeys: Int64(change.dataKeys))
    }

    private static func details(key: String, former: [String], dataKeys: Int64) -> JSONObject {
        var details = JSONObject()
        details.set("keyId", key)
        details.set("formerKeyIds", former)
        details.set("dataKeys", dataKeys)
        return details
    }

    private static func lines(of change: MasterKeyRotation.Change, in keys: KeyAdministration) -> [String] {
        let others = keys.rotation.masterKeys.others.map(\.id.masterKeyName)
        var lines = ["Wrapped \(change.dataKeys) keys under the master key \(change.key.masterKeyName)."]
        if !others.isEmpty {
            lines += [
                "The database does not need \(others.joined(separator: ", ")) any more: take it out of every server's setting.",
                "Keep it, apart from them, for as long as you keep backups from before this moment.",
            ]
        }
        return lines + [
            "If the old key leaked, what its finder needs besides it is a copy of the database: see the operator's guide."
        ]
    }
}

extension AdministrationRefusal {
    static func masterKeyUnknown(_ fault: MasterKeyFault) -> AdministrationRefusal {
        AdministrationRefusal(
            "Nothing was changed: \(fault).", hint: "Put that key into the setting of the master key as well.",
            code: "master_key_unknown")
    }
}

extension MasterKeyUse {
    /// For the end of a list of keys.
    var lines: [String] {
        guard unopened == 0 else {
            return ["\(unopened) keys are wrapped under a master key that this server was not given."]
        }
        let entries: [String] = configured.map { entry in
            let name = "Master key \(entry.id.masterKeyName)"
            let command = "`walletauth keys rotate-master`"
            return switch (entry.dataKeys, entry.id == first) {
            case (0, true): "\(name) is the first one, and wraps nothing before \(command)."
            case (0, false): "\(name) wraps nothing: take it out of the configuration."
            case (let count, true): "\(name) wraps \(count) keys."
            case (let count, false): "\(name) wraps \(count) keys until \(command)."
            }
        }
        guard let mixed else { return entries }
        return entries + [
            "No new key can be made before `walletauth keys rotate-master`: these are wrapped under the master keys \(mixed.names)."
        ]
    }

    var json: JSONValue {
        .array(
            configured.map { entry in
                var json = JSONObject()
                json.set("keyId", entry.id.masterKeyName)
                json.set("dataKeys", Int64(entry.dataKeys))
                return .object(json)
            })
    }
}
