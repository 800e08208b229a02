internal import AuthCore
internal import AuthFoundation
internal import AuthStore
internal import Logging
internal import WalletAuthWire

// In a folder of its own, because it calls every noun's folder, and each of these uses `Commands`.

extension Administration {
    /// Executes one command. Never throws: the answer also reports failures of the store.
    /// - Parameter command: not checked yet.
    package func execute(_ command: AdministrationCommand) async -> AdministrationAnswer {
        do {
            switch command {
            case .client(let command): return try await execute(command)
            case .account(let command): return try await execute(command)
            case .device(let command): return try await execute(command)
            case .passkey(let command): return try await execute(command)
            case .brand(let command): return try await execute(command)
            case .provider(let command): return try await execute(command)
            case .merchant(let command): return try await execute(command)
            case .keys(let command): return try await execute(command)
            case .outbox(let command): return try await execute(command)
            case .database(let command): return try await execute(command)
            case .audit(let command): return try await execute(command)
            case .clock(let command): return try await execute(command)
            case .flow(let name, let command):
                guard let flow = flows.first(where: { $0.name == name }) else {
                    throw AdministrationRefusal(
                        "This server does not know this command; it may be older than the command line.",
                        code: "malformed")
                }
                return try await flow.execute(command)
            }
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
