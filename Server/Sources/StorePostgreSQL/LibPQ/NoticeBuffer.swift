/// The messages of `NOTIFY` that wait to be taken. Any role that may connect to the database can send any number of them, so
/// only a few are kept.
struct NoticeBuffer {
    struct Notice: Hashable {
        let backend: Int64
        let channel: String
        let payload: String
    }

    /// The messages that are kept, and after which a turn ends.
    static let limit = 1000

    private var order: [Notice] = []
    private var present: Set<Notice> = []
    private var isOverfull = false

    mutating func add(_ notice: Notice) {
        guard !isOverfull, !present.contains(notice) else { return }
        if order.count == Self.limit {
            self = NoticeBuffer()
            isOverfull = true
        } else {
            order.append(notice)
            present.insert(notice)
        }
    }

    /// - Returns: the messages, without duplicates; `nil` if there were too many to keep.
    mutating func takeAll() -> [Notice]? {
        defer { self = NoticeBuffer() }
        return isOverfull ? nil : order
    }
}
