internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

// In a folder of its own, because it calls every noun's folder, and each of these uses `Commands`.

extension Administration {
    /// The nouns of the commands, in the order of the help. Commands of targets above are in
    /// ``AdministeredFlow/commands``.
    package static let nouns: [any CommandNoun.Type] = [
        ClientCommands.self, MerchantCommands.self, AccountCommands.self, SessionCommands.self, DeviceCommands.self,
        PasskeyCommands.self, BrandCommands.self, ProviderCommands.self, ProviderAddCommands.self,
        WebhookCommands.self, OutboxCommands.self, KeysCommands.self, DatabaseCommands.self, AuditCommands.self,
        ClockCommands.self, OperatorRoleCommands.self,
    ]

    /// The commands of all nouns and flows.
    package var allCommands: [any AdminCommand.Type] {
        Self.nouns.flatMap { $0.commands } + server.flows.flatMap { type(of: $0).commands }
    }

    /// The command that some words begin with.
    func command(named words: [String]) -> (any AdminCommand.Type)? {
        let named = allCommands.filter { words.starts(with: $0.title.split(separator: " ").map(String.init)) }
        return named.max { $0.title.count < $1.title.count }
    }

    /// Finds a command by its words and parses its options.
    /// - Throws: ``AdministrationRefusal`` if there is none, or an option is wrong.
    package func command(for request: AdminRequest) throws -> any AdminCommand {
        guard let command = command(named: request.words) else {
            throw AdministrationRefusal(
                "This server does not know this command; it may be older than the command line.", code: "malformed")
        }
        return try command.parse(request)
    }

    /// Executes one command. Never throws: the answer also reports failures of the store.
    /// - Parameter request: not checked yet.
    package func execute(_ request: AdminRequest) async -> AdministrationAnswer {
        await executeForLog(request).answer
    }

    /// Executes one command, and also returns its words for the log, with none of its values.
    package func executeForLog(_ request: AdminRequest) async -> (title: String, answer: AdministrationAnswer) {
        let parsed = Result { try command(for: request) }
        let title = (try? parsed.get())?.loggedTitle ?? "unknown"
        return (title, await execute { try await parsed.get().run(in: $0) })
    }

    /// Executes what a command does. Never throws.
    package func execute(
        _ body: (Administration) async throws -> AdministrationAnswer
    ) async -> AdministrationAnswer {
        do {
            return try await OperatorAction.$isRunning.withValue(true) { try await body(self) }
        } catch let refusal as AdministrationRefusal {
            return .refused(refusal)
        } catch let malformed as MalformedValue {
            return .refused(AdministrationRefusal("\(malformed.field) \(malformed.reason).", code: "malformed"))
        } catch let failure as StoreError {
            // What may pass is no fault of the program, and the answer says it.
            if failure.code != .unavailable {
                server.context.logger.error("administration failed", metadata: ["trouble": "\(failure)"])
            }
            return .refused(failure.answer)
        } catch {
            server.context.logger.error("administration failed", metadata: ["trouble": "\(error)"])
            return .refused(
                AdministrationRefusal("The server failed.", hint: "See its log for details.", code: "server_error"))
        }
    }
}

extension StoreError {
    /// What the operator reads. Only an unknown outcome leaves open whether something was written.
    fileprivate var answer: AdministrationRefusal {
        guard code == .outcomeUnknown else {
            return AdministrationRefusal("The database failed: \(reason).", code: code.rawValue)
        }
        return AdministrationRefusal(
            "The command may or may not have been carried out: \(reason).", hint: "Check before you run it again.",
            code: code.rawValue)
    }
}
