internal import Core
internal import Kernel
internal import WalletAuthWire

/// What the wrong passwords of one page come to: how long even the right one is refused, if no one else tries this name.
///
/// It follows from the page's own tries and the rule that holds for every name. The counters are not read, so it is the same for a name that
/// no account has.
struct Slowing: Codable, Sendable {
    /// The mapped name that was typed.
    private(set) var name: String
    /// The wrong passwords that were compared.
    private var spent: Int64 = 0
    private(set) var until: Timestamp?

    /// - Parameter name: as typed in the form.
    init(of name: Username) { self.name = name.rawValue }

    /// Counts a wrong password. One that is refused without a comparison prolongs nothing.
    mutating func miss(under policy: AttemptPolicy, now: Timestamp) {
        guard case .delay(let first, let longest) = policy.afterwards else { return }
        if let until, now < until { return }
        spent += 1
        guard spent >= policy.free else { return }
        var delay = first
        for _ in policy.free..<spent where delay < longest { delay = delay * 2 }
        until = now + min(delay, longest)
    }
}
