import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Store
import Testing

@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Web

@Suite("What the account’s page says before it would refuse")
struct AccountPageCoolingTests {
    @Test("After a recovery the page says until when it refuses changes, before a button is pressed")
    func recovered() async throws {
        try await AccountPageVisit.make { visit in
            let end = SystemClock().now() + .hours(20)
            _ = try await visit.server.server.context.database.write {
                try $0.execute("UPDATE accounts SET cooling_until = $1", [.time(end)])
            }
            let page = try await visit.browser.open(BrowserOverHTTP.accountPage)
            #expect(page.status == .ok)
            let moment = Language.english.moment(of: end.roundedUpToMinute)
            let sentence = Language.english.accountText[.recoveredLately, ["time": moment]]
            #expect(page.text.contains(HTMLEscaping().escapeText(sentence)), "\(page.text)")
        }
    }
}
