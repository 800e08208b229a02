/// The result of one of the doctor's checks.
struct Finding: Codable, Hashable, Sendable {
    enum Status: String, Codable, Sendable {
        case ok
        /// It works, but not forever or not for everyone.
        case warn
        /// It does not work, or must not stay as it is.
        case fail
    }

    /// The subject of the check: `configuration`, `files`, `server`, `issuer`, `database`, `keys`, `clock`, `tls`,
    /// `email`, `sms`, `push`, `breaches`, `sca`, `listener`, `provider`, `passkeys`, `clients`.
    let subject: String
    let status: Status
    /// The result, in one line.
    let detail: String
    /// The remedy, if one is needed.
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

    var line: String {
        let name = status.rawValue.padding(to: 4) + "  " + subject.padding(to: 13)
        // A command's answer, which some details quote, is a whole sentence already.
        let sentence = detail.hasSuffix(".") ? "" : "."
        return name + "  " + detail + (remedy.map { "\(sentence) \($0)" } ?? "")
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
