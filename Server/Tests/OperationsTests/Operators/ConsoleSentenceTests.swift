import Apple
import Core
import Loyalty
import Testing
import Transactions
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("The sentences of the audit log", .covers("operators' console"))
struct ConsoleSentenceTests {
    /// Without the calls of operators, whose sentences name the command.
    private static let kinds: Set<String> = {
        let events: [any SecurityEventKind] =
            Administration.eventKinds + AppleFlows.eventKinds + LoyaltyFlows.eventKinds + TransactionFeature.events
        let calls: [OperatorEvent] = [.called, .refused, .requested]
        return Set(events.map { $0.rawValue }).subtracting(calls.map(\.rawValue))
    }()

    @Test(
        "Each kind of entry has a sentence in each language, which does not speak to the reader",
        arguments: Language.allCases)
    func sentences(language: Language) throws {
        #expect(Self.kinds.count > 100)
        for kind in Self.kinds {
            let own = ConsoleEventText.ofKind(kind).map { language.consoleEventText[$0] }
            let sentence = try #require(own ?? ActivityText.ofKind(kind).map { language.activityText[$0] }, "\(kind)")
            #expect(sentence.hasSuffix(".") && sentence != ConsoleVisit.readable(kind), "\(kind): \(sentence)")
            if language == .english {
                #expect(!sentence.hasPrefix("You"), "\(kind): \(sentence)")
            }
        }
    }

    @Test("Each sentence is of a kind of entry")
    func kinds() {
        let found = Set(Self.kinds.compactMap { ConsoleEventText.ofKind($0) })
        #expect(found == Set(ConsoleEventText.allCases))
    }
}
