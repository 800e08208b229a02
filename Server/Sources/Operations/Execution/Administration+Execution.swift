internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

// In a folder of its own, because it calls every noun's folder, and each of these uses `Commands`.

extension Administration {
    /// The nouns of the commands, in the order of the help. Commands of targets above are in
    /// ``AdministeredFlow/commands``.
    package static let nouns: [any CommandNoun.Type] = [
        MerchantCommands.self, AccountCommands.self, DeviceCommands.self, PasskeyCommands.self, BrandCommands.self,
        OutboxCommands.self,
        KeysCommands.self, ClockCommands.self,
    ]

    /// Finds a command by its words and parses its options.
    /// - Throws: ``AdministrationRefusal`` if there is none, or an option is wrong.
    func command(for request: AdminRequest) throws -> any AdminCommand {
        let commands = Self.nouns.flatMap { $0.commands } + flows.flatMap { type(of: $0).commands }
        let named = commands.filter { request.words.starts(with: $0.title.split(separator: " ").map(String.init)) }
        guard let command = named.max(by: { $0.title.count < $1.title.count }) else {
            throw AdministrationRefusal(
                "This server does not know this command; it may be older than the command line.", code: "malformed")
        }
        let options = request.words.dropFirst(command.title.split(separator: " ").count)
        return try command.parse(Array(options), input: request.input)
    }

    /// Executes one command. Never throws: the answer also reports failures of the store.
    /// - Parameter asked: not checked yet.
    package func execute(_ asked: AdministrationCommand) async -> AdministrationAnswer {
        await answer {
            switch asked {
            case .client(let command): return try await execute(command)
            case .provider(let command): return try await execute(command)
            case .database(let command): return try await execute(command)
            case .audit(let command): return try await execute(command)
            case .words(let request): return try await command(for: request).execute(in: self)
            case .flow(let name, let command):
                guard let flow = flows.first(where: { $0.name == name }) else {
                    throw AdministrationRefusal(
                        "This server does not know this command; it may be older than the command line.",
                        code: "malformed")
                }
                return try await flow.execute(command)
            }
        }
    }

    /// Executes what a command does. Never throws.
    package func answer(
        _ body: () async throws -> AdministrationAnswer
    ) async -> AdministrationAnswer {
        do {
            return try await body()
        } catch let refusal as AdministrationRefusal {
            return .refused(refusal.line, code: refusal.code)
        } catch let malformed as MalformedValue {
            return .refused("\(malformed.field) \(malformed.reason).", code: "malformed")
        } catch let failure as StoreError {
            // What may pass is no fault of the program, and the answer says it.
            if failure.code != .unavailable {
                context.logger.error("administration failed", metadata: ["trouble": "\(failure)"])
            }
            return .refused(failure.answer, code: failure.code.rawValue)
        } catch {
            context.logger.error("administration failed", metadata: ["trouble": "\(error)"])
            return .refused("The server failed. See its log for details.", code: "server_error")
        }
    }
}

extension StoreError {
    /// What the operator reads. Only an unknown outcome leaves open whether something was written.
    fileprivate var answer: String {
        guard code == .outcomeUnknown else { return "The database failed: \(reason)." }
        return "The command may or may not have been carried out: \(reason). Check before you run it again."
    }
}
