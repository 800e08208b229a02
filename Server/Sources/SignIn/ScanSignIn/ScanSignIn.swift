package import Core
internal import Kernel
package import Store
package import WalletAuthWire

/// The numbers of signing in by scanning (docs/decisions/0123-signing-in-by-scanning.md).
package enum ScanLimits {
    /// How long a code is shown, in seconds.
    package static let step: Int64 = 20
    /// How long a code still works after the page has replaced it: a camera takes a moment.
    package static let grace = Duration.seconds(5)
    /// How long a page shows codes before the person has to ask for new ones.
    package static let showing = Duration.minutes(5)
    /// The time from the scan to the signature.
    package static let deciding = Duration.minutes(2)
    /// The time from the signature until the browser has to continue.
    package static let continuing = Duration.minutes(1)
    /// How long a code that no phone scanned is known as expired.
    package static let forgetting = Duration.minutes(10)
    /// Pages of one network that ask for a code within ``showing``.
    package static let openOfNetwork: Int64 = 100
    static let ofNetwork = AttemptPolicy(
        free: openOfNetwork, afterwards: .delay(first: showing, longest: showing), forgottenAfter: showing,
        since: .firstGuess)
    /// Wrong numbers of an account within ``mismatchWindow``. Then its devices scan nothing until the window ends.
    package static let mismatches: Int64 = 3
    package static let mismatchWindow = Duration.hours(1)
    /// How many numbers the phone offers.
    package static let choices = 3
    package static let numbers: ClosedRange<Int64> = 10...99
    /// How long the holder's phone can end what it approved.
    package static let memory = Duration.days(1)
}

/// A sign-in that waits at a browser's page for a phone.
///
/// ```
///   open ──claim──► claimed ──number──► chosen ──sign──► signed ──page──► used
///                      │  └─wrong number─► mismatched       │
///                      └──────────── reject ──► rejected ◄──┘        chosen ──PIN locked──► failed
/// ```
///
/// Time ends it without a write: one that is not final at ``endsAt`` has expired.
package struct ScanSignInRecord: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case open, claimed, chosen, signed, used, rejected, mismatched, failed

        /// Whether time ends it.
        var isOpen: Bool {
            switch self {
            case .open, .claimed, .chosen, .signed: true
            case .used, .rejected, .mismatched, .failed: false
            }
        }
    }

    package var id: UniqueID
    package var brandID: String
    /// The client that the browser signs in to.
    package var clientID: String
    /// The digest of the page's binding cookie.
    package var browser: [UInt8]
    /// A keyed digest of the browser's network.
    package var network: [UInt8]
    /// ``ScanSignInContent``.
    package var sealed: [UInt8]
    package var state: State
    /// The device that scanned the code, and its account.
    package var claim: Claim?
    package var revision: Int64
    package var createdAt: Timestamp
    package var endsAt: Timestamp

    package struct Claim: Sendable, Hashable {
        package var account: UniqueID
        package var device: UniqueID
        /// The number that the page shows.
        package var number: Int64
        /// The numbers that the phone shows, in their order.
        package var numbers: [Int64]
        /// Whether browser and device reached the server from one network.
        package var sameNetwork: Bool
        /// The bytes to sign, once the person has chosen the right number.
        package var payload: Payload?
        package var signature: Signature?

        /// A claim before the choice of a number.
        package init(account: UniqueID, device: UniqueID, number: Int64, numbers: [Int64], sameNetwork: Bool) {
            self.account = account
            self.device = device
            self.number = number
            self.numbers = numbers
            self.sameNetwork = sameNetwork
        }
    }

    package struct Payload: Sendable, Hashable {
        package var sealed: [UInt8]
        package var hash: PayloadHash
    }

    package struct Signature: Sendable, Hashable {
        /// The digest of the assertion, which recognizes a repetition.
        package var assertion: [UInt8]
        /// RFC 8176.
        package var methods: [String]
        package var securityVersion: Int64
        package var at: Timestamp

        package init(assertion: [UInt8], methods: [String], securityVersion: Int64, at: Timestamp) {
            self.assertion = assertion
            self.methods = methods
            self.securityVersion = securityVersion
            self.at = at
        }
    }

    /// When the row may be deleted.
    var expiresAt: Timestamp { endsAt + (claim == nil ? ScanLimits.forgetting : ScanLimits.memory) }

    /// Identifies the one session that a sign-in opens: 16 bytes. It is the scan's own id, so that the session can be linked to it.
    package static func grantID(of id: UniqueID) -> [UInt8] { id.bytes }

    /// The scan behind a grant; `nil` for a grant of any other sign-in.
    package static func id(ofGrant grant: [UInt8], amr: [String]) -> UniqueID? {
        let others = [AuthenticationStrength.userCode, AuthenticationStrength.backchannel]
        guard AuthenticationStrength.isCrossDevice(amr), !amr.contains(where: others.contains) else { return nil }
        return UniqueID(bytes: grant)
    }

    package func hasExpired(at now: Timestamp) -> Bool { state.isOpen && now >= endsAt }

    /// The step of the codes that the page shows.
    package func step(at now: Timestamp) -> Int64 {
        max(0, (now - createdAt).wholeMilliseconds / (ScanLimits.step * 1000))
    }

    /// When the page shows the next code.
    package func nextStep(at now: Timestamp) -> Timestamp {
        createdAt + .seconds((step(at: now) + 1) * ScanLimits.step)
    }

    /// The steps whose codes still work: the one that is shown, and for a moment the one before.
    package func livingSteps(at now: Timestamp) -> ClosedRange<Int64> {
        let current = step(at: now)
        let isFresh = now < createdAt + .seconds(current * ScanLimits.step) + ScanLimits.grace
        return (isFresh ? max(0, current - 1) : current)...current
    }
}

/// The three numbers of a claim.
package enum ScanNumbers {
    /// Draws three different numbers, and which of them the page shows.
    package static func draw(_ random: any RandomBytes) -> (numbers: [Int64], shown: Int64) {
        var numbers: [Int64] = []
        while numbers.count < ScanLimits.choices {
            let number = ScanLimits.numbers.lowerBound + below(Int64(ScanLimits.numbers.count), random)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return (numbers, numbers[Int(below(Int64(numbers.count), random))])
    }

    /// A uniform number: bytes beyond the last whole multiple are drawn again.
    private static func below(_ bound: Int64, _ random: any RandomBytes) -> Int64 {
        while true {
            guard let byte = random.bytes(1).first.map(Int64.init) else { return 0 }
            if byte < 256 / bound * bound { return byte % bound }
        }
    }
}
