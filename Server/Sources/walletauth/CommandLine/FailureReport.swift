import ArgumentParser
import NIOCore
import Programs
import Store

/// An error as the program reports it.
struct FailureReport {
    /// For people.
    let line: String
    /// For scripts.
    let document: FailureDocument
    /// What the program exits with.
    let status: Int32

    /// - Parameters:
    ///   - error: what ended the command.
    ///   - arguments: the command line without the program's name and the settings' flags.
    ///   - flags: the settings' flags, which the parser does not know.
    init(_ error: any Error, in arguments: [String], flags: [String]) {
        switch error {
        case let error as UsageFault:
            self.init(UsageMistake(error.description, command: WalletAuthCommand.named(in: arguments)))
        case let error as FaultyConfiguration:
            // A line for each fault.
            self.init(error.document, line: "\(error)", status: ExitStatus.outOfService)
        case let error as Refusal:
            let document = FailureDocument(error.code, error.message, hint: error.hint)
            self.init(document, line: "\(error)".escapedForOneLine, status: error.status)
        case let error as StoreError:
            self.init(error.code.rawValue, error.reason, status: error.exitStatus)
        case let error as PortReservation.Unavailable:
            // The line names the remedy, too.
            self.init(
                FailureDocument("port_unavailable", error.fault.problem, hint: error.fault.remedy),
                line: error.fault.line.escapedForOneLine,
                status: error.needsPrivilege ? ExitStatus.outOfService : 1)
        case let error as DiskFailures.OutOfService:
            self.init("out_of_service", "\(error)", status: ExitStatus.outOfService)
        case let error as OlderDatabase:
            self.init("older_database", "\(error)", status: ExitStatus.olderDatabase)
        case let error as IOError:
            self.init("system_error", "the system refused: \(String(cString: strerror(error.errnoCode)))")
        case _ where WalletAuthCommand.exitCode(for: error) == .validationFailure:
            self.init(WalletAuthCommand.mistake(for: error, in: arguments, flags: flags))
        default:
            self.init("internal_error", "\(error)")
        }
    }

    private init(_ document: FailureDocument, line: String, status: Int32) {
        self.line = line
        self.document = document
        self.status = status
    }

    /// A message without a hint.
    private init(_ code: String, _ message: String, status: Int32 = 1) {
        self.init(FailureDocument(code, message), line: message.escapedForOneLine, status: status)
    }

    private init(_ mistake: UsageMistake) {
        self.init(
            FailureDocument(mistake), line: mistake.line.escapedForOneLine,
            status: ExitCode.validationFailure.rawValue)
    }
}

extension FaultyConfiguration {
    fileprivate var document: FailureDocument {
        let code = "invalid_configuration"
        if let fault = faults.first, faults.count == 1 {
            return FailureDocument(code, fault.problem, hint: fault.remedy)
        }
        var document = FailureDocument(code, "the configuration has \(faults.count) faults")
        document.error.causes = faults.map { FailureDocument.Cause($0.problem, hint: $0.remedy) }
        return document
    }
}
