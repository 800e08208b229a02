package import WalletAuthWire

/// One reason why a line is not imported, with what to do.
package struct ImportFault: Sendable, Hashable {
    package let reason: String
    /// Whether it says what this server or the command lacks, and is the same for other lines.
    package let isGeneral: Bool

    package init(_ reason: String, isGeneral: Bool = false) {
        self.reason = reason
        self.isGeneral = isGeneral
    }

    /// - Parameter error: of reading an account or a part of it.
    package init(_ error: any Error) {
        if let malformed = error as? MalformedValue {
            self.init(malformed.description)
        } else {
            self.init("the account cannot be read: \(error)")
        }
    }
}

extension ImportedLine {
    /// A line as far as it can be read.
    package struct Reading {
        /// The line without the members at fault; `nil` if it is none without them.
        package var content: ImportedLine?
        package var members: JSONObject
        package var faults: [ImportFault] = []
    }

    private static let mostFaults = 20

    /// Members that mean nothing without another one.
    private static let dependent = [
        "email": "emailVerified", "phone": "phoneVerified", "passwordHash": "passwordExpired",
    ]

    /// Reads a line, and each time that a member is at fault, once more without it: one look names all faults.
    package static func reading(_ line: JSONObject) -> Reading {
        var reading = Reading(members: line)
        var removed: Set<String> = []
        while reading.content == nil, reading.faults.count < mostFaults {
            do {
                reading.content = try ImportedLine(reading.members)
            } catch {
                let field = (error as? MalformedValue)?.field ?? ""
                // That it is missing now is no fault of the line.
                guard !removed.contains(field) else { break }
                reading.faults.append(ImportFault(error))
                guard reading.members[field] != nil else { break }
                for name in [field, dependent[field]].compactMap(\.self) {
                    reading.members[name] = nil
                    removed.insert(name)
                }
            }
        }
        return reading
    }
}
