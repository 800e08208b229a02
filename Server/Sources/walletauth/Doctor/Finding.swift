/// What the doctor found out about one thing.
struct Finding: Codable, Hashable, Sendable {
    /// How grave it is.
    enum Status: String, Codable, Sendable {
        case ok
        /// It works, and will not for ever or not for everybody.
        case warn
        /// It does not work, or must not stay so.
        case fail
    }

    /// What was examined: `configuration`, `files`, `server`, `issuer`, `database`, `keys`, `clock`, `tls`,
    /// `email`, `sms`, `breaches`, `sca`, `listener`, `provider`, `passkeys`,
    /// `clients`.
    let subject: String
    let status: Status
    /// What is the case, in one line.
    let detail: String
    /// What to do, where something is.
    let remedy: String?

    static func ok(_ subject: String, _ detail: String) -> Finding {
        Finding(subject: subject, status: .ok, detail: detail, remedy: nil)
    }

    static func warn(_ subject: String, _ detail: String, _ remedy: String) -> Finding {
        Finding(subject: subject, status: .warn, detail: detail, remedy: remedy)
    }

    static func fail(_ subject: String, _ detail: String, _ remedy: String) -> Finding {
        Finding(subject: subject, status: .fail, detail: detail, remedy: remedy)
    }

    /// The line for a person.
    var line: String {
        let name = status.rawValue.padding(to: 4) + "  " + subject.padding(to: 13)
        return name + "  " + detail + (remedy.map { ". \($0)" } ?? "")
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
