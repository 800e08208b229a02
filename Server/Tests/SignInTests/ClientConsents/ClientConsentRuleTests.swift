import Core
import Store
import Testing
import WalletAuthWire

@testable import SignIn

@Suite("Which scopes a consent lacks")
struct ClientConsentRuleTests {
    private let id: UniqueID
    private let account: UniqueID

    init() throws {
        id = try #require(UniqueID(bytes: [UInt8](repeating: 1, count: 16)))
        account = try #require(UniqueID(bytes: [UInt8](repeating: 2, count: 16)))
    }

    private func consent(_ scope: String) -> ClientConsentRecord {
        let now = Timestamp(milliseconds: 0)
        return ClientConsentRecord(
            accountID: account, clientID: "aurora", id: id, scope: scope, grantedAt: now, changedAt: now)
    }

    /// - Parameters:
    ///   - new: what the page would list.
    ///   - granted: what it would list as there already.
    ///   - all: all that the present consent allows; `nil` where there is none.
    private func missing(_ new: String, _ granted: String, of all: String? = nil) throws -> ClientConsentRule.Verdict {
        .missing(
            ClientConsentQuestion(new: try Scope(new), granted: try Scope(granted), offer: try offer(new, beside: all)))
    }

    private func offer(_ new: String, beside all: String?) throws -> ClientConsentOffer {
        ClientConsentOffer(new: try Scope(new), consent: all.map { _ in id.bytes }, granted: try Scope(all ?? ""))
    }

    @Test("Less than was allowed is covered, more asks for the difference")
    func difference() throws {
        let had = consent("openid email")
        #expect(try ClientConsentRule.decide(Scope("email"), had, .remembered) == .covered(id))
        #expect(
            try ClientConsentRule.decide(Scope("openid phone"), had, .remembered)
                == missing("phone", "openid email", of: "openid email"))
        #expect(try ClientConsentRule.decide(Scope("openid"), nil, .remembered) == missing("openid", ""))
    }

    @Test("A sign-in without scope needs a consent too: it tells who the person is")
    func withoutScope() throws {
        #expect(try ClientConsentRule.decide(.none, nil, .remembered) == missing("", ""))
        #expect(try ClientConsentRule.decide(.none, nil, .given(offer("", beside: nil))) == .allowed(.none))
        #expect(try ClientConsentRule.decide(.none, consent(""), .remembered) == .covered(id))
    }

    @Test("prompt=consent asks for all that is asked for, though it was allowed")
    func again() throws {
        let had = consent("openid email phone")
        #expect(
            try ClientConsentRule.decide(Scope("openid email"), had, .asked)
                == missing("openid email", "phone", of: "openid email phone"))
    }

    @Test("prompt=consent shows as new only what is new, and says so where nothing is")
    func againWithMore() throws {
        let had = consent("openid email")
        #expect(
            try ClientConsentRule.decide(Scope("openid phone"), had, .asked)
                == missing("phone", "openid email", of: "openid email"))
        let more = ClientConsentQuestion(
            new: try Scope("phone"), granted: try Scope("openid email"),
            offer: try offer("phone", beside: "openid email"))
        #expect(!more.isRepeated)
        let again = ClientConsentQuestion(
            new: try Scope("openid"), granted: try Scope("email"), offer: try offer("openid", beside: "openid email"))
        #expect(again.isRepeated)
    }

    @Test("What the page listed is added to what there is now, and nothing that is gone")
    func given() throws {
        let (wanted, offer) = (try Scope("openid phone"), try offer("phone", beside: "openid email"))
        let both = ClientConsentRule.Verdict.allowed(try Scope("openid email phone"))
        #expect(try ClientConsentRule.decide(wanted, consent("openid email"), .given(offer)) == both)
        #expect(try ClientConsentRule.decide(wanted, nil, .given(offer)) == missing("openid phone", ""))
    }

    @Test("What the page offered counts only together with the consent that it was drawn from")
    func drawnFromAnother() throws {
        let wanted = try Scope("openid phone")
        let first = try offer("openid phone", beside: nil)
        #expect(
            try ClientConsentRule.decide(wanted, consent("openid"), .given(first))
                == missing("phone", "openid", of: "openid"))
        #expect(try ClientConsentRule.decide(wanted, consent("openid phone"), .given(first)) == .covered(id))
        let more = try offer("phone", beside: "openid email")
        #expect(
            try ClientConsentRule.decide(wanted, consent("openid"), .given(more))
                == missing("phone", "openid", of: "openid"))
    }

    @Test("A code is good under the very consent that it names, and for no more than that allows")
    func covers() throws {
        #expect(try ClientConsentRule.covers(Scope("openid"), consent("openid"), named: id.bytes))
        #expect(try !ClientConsentRule.covers(Scope("openid"), consent("openid"), named: account.bytes))
        #expect(try !ClientConsentRule.covers(Scope("openid"), consent("openid"), named: nil))
        #expect(try !ClientConsentRule.covers(Scope("openid"), nil, named: id.bytes))
        #expect(try !ClientConsentRule.covers(Scope("openid email"), consent("openid"), named: id.bytes))
    }
}
