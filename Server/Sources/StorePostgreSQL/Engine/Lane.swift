/// What a connection is for. One locked table, or commits that wait for a missing standby, must not hold all of them.
enum Lane: Sendable {
    /// Takes any call, and waits for locks as long as the settings say.
    case patient
    /// Takes any call, but waits for a lock for a moment only. A call that would wait longer goes to a patient one.
    case quick
    /// Like ``quick``, for reads. A commit may wait without a lock, and for long.
    case reading
    /// Takes only probes of writes, so that these say whether the database works and not how busy it is.
    case probing

    /// The lanes of so many connections. Fewer than three are all patient: a command makes one call after the other.
    static func lanes(of connections: Int) -> [Lane] {
        guard connections > 2 else { return Array(repeating: .patient, count: connections) }
        return Array(repeating: .patient, count: connections - 2) + [.quick, .reading]
    }

    var waitsBriefly: Bool {
        switch self {
        case .quick, .reading: true
        case .patient, .probing: false
        }
    }

    func takes(_ job: Engine.Job) -> Bool {
        switch self {
        case .patient: true
        case .quick: !job.isPatient
        case .reading: !job.isPatient && !job.access.mayWrite
        case .probing: job.access.isProbe
        }
    }
}
