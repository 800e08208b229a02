/// What `--json` prints in place of the result if a command fails: one document on standard output, like the result.
package struct FailureDocument: Encodable, Sendable {
    package struct Detail: Encodable, Sendable {
        /// A stable name, for scripts.
        package let code: String
        /// What went wrong.
        package let message: String
        /// What to do about it; absent if the message says it.
        package let hint: String?
        /// What the failure consists of, if that is more than one fault.
        package var causes: [Cause]?
        /// The server's numeric code for wallet apps.
        package var statusCode: Int?
        /// The trace id of the call in the server's log.
        package var traceID: String?

        private enum CodingKeys: String, CodingKey {
            case code, message, hint, causes, statusCode
            case traceID = "traceId"
        }
    }

    package struct Cause: Encodable, Sendable {
        package let message: String
        package let hint: String?

        package init(_ message: String, hint: String? = nil) {
            self.message = message
            self.hint = hint
        }
    }

    package var error: Detail

    package init(_ code: String, _ message: String, hint: String? = nil) {
        error = Detail(code: code, message: message, hint: hint)
    }

    /// Whether a command line asks for JSON, even if it is wrong otherwise.
    /// - Parameter arguments: without the program's name, and without options that take any word as their value.
    package static func isRequested(by arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }
}

extension FailureDocument {
    package init(_ mistake: UsageMistake) {
        self.init("usage", mistake.problem, hint: mistake.hint)
    }
}
