import Core
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("What a role reaches", .covers("roles of operators"))
struct OperatorDecisionTests {
    private static let own = UniqueID(bytes: [UInt8](repeating: 1, count: 16))
    private static let other = UniqueID(bytes: [UInt8](repeating: 2, count: 16))
    private static let support = CommandAccess.reading([.support, .auditor], changing: [.support])

    private func decide(
        _ role: OperatorRole, brand: String? = nil, _ access: CommandAccess = support, reading: Bool = false,
        on target: TargetFacts
    ) -> OperatorDecision {
        OperatorDecision(
            OperatorGrant(role, brand: brand), isOwn: target.account == Self.own, access: access, isReading: reading,
            on: target)
    }

    @Test("Only the roles of a command run it, and an auditor only reads")
    func roles() {
        let target = TargetFacts(brand: .one("default"), account: Self.other)
        for role in OperatorRole.allCases {
            #expect((decide(role, on: target) == .allowed) == [.owner, .support].contains(role), "\(role)")
            #expect((decide(role, reading: true, on: target) == .allowed) == (role != .developer), "\(role)")
            #expect(decide(role, .terminal, on: target) == .role)
            #expect((decide(role, .owners, on: target) == .allowed) == (role == .owner), "\(role)")
        }
    }

    @Test(
        "attack: a role of one brand is refused for another brand, and learns nothing of ids there",
        arguments: OperatorRole.allCases)
    func brands(role: OperatorRole) {
        let access = CommandAccess.reading([.support, .auditor, .developer], changing: [])
        func read(_ target: TargetFacts) -> OperatorDecision {
            decide(role, brand: "blue", access, reading: true, on: target)
        }
        #expect(read(TargetFacts(brand: .one("blue"))) == .allowed)
        #expect(read(TargetFacts(brand: .one("red"))) == .brand)
        #expect(read(TargetFacts(brand: .every)) == .brand)
        #expect(read(TargetFacts(brand: .one("blue"), isByID: true, account: Self.other)) == .allowed)
        // The same answer for an id of another brand as for none.
        #expect(read(TargetFacts(brand: .one("red"), isByID: true, account: Self.other)) == .unknown)
        #expect(read(TargetFacts(brand: .none, isByID: true)) == .unknown)
        #expect(decide(role, access, reading: true, on: TargetFacts(brand: .every)) == .allowed)
        #expect(decide(role, access, reading: true, on: TargetFacts(brand: .none, isByID: true)) == .allowed)
    }

    @Test("attack: a role of one brand changes what reads every brand's tokens, though it belongs to its own")
    func everyBrand() {
        let access = CommandAccess.reading([.developer], changing: [.developer])
        let own = TargetFacts(brand: .one("blue"), isByID: true, concernsEveryBrand: true)
        let other = TargetFacts(brand: .one("red"), isByID: true, concernsEveryBrand: true)
        #expect(decide(.developer, brand: "blue", access, on: own) == .brand)
        #expect(decide(.developer, brand: "blue", access, reading: true, on: own) == .allowed)
        // Still as for an id that does not exist.
        #expect(decide(.developer, brand: "blue", access, on: other) == .unknown)
        #expect(decide(.developer, access, on: own) == .allowed)
    }

    @Test("attack: support does not reach an operator's account, and an owner of one brand does not either")
    func operators() {
        let target = TargetFacts(brand: .one("blue"), isByID: true, account: Self.other, isOfAdministration: true)
        #expect(decide(.support, on: target) == .administration)
        #expect(decide(.support, reading: true, on: target) == .allowed)
        #expect(decide(.owner, brand: "blue", on: target) == .administration)
        #expect(decide(.owner, on: target) == .allowed)
    }

    @Test("attack: no operator changes their own account, and an owner neither their own role")
    func own() {
        for role in [OperatorRole.owner, .support] {
            let target = TargetFacts(brand: .one("default"), account: Self.own, isOfAdministration: true)
            #expect(decide(role, on: target) == .ownAccount)
            #expect(decide(role, reading: true, on: target) == .allowed)
        }
        let grant = TargetFacts(brand: .every, account: Self.own, isOfAdministration: true)
        #expect(decide(.owner, .owners, on: grant) == .ownAccount)
    }

    @Test("Without another owner, the last one cannot be lowered, limited to a brand or revoked")
    func lastOwner() {
        let owner = OperatorGrant(.owner, brand: nil)
        for next in [nil, OperatorGrant(.support, brand: nil), OperatorGrant(.owner, brand: "blue")] {
            #expect(OperatorGrant.losesLastOwner(from: owner, to: next, hasOtherOwner: false))
            #expect(!OperatorGrant.losesLastOwner(from: owner, to: next, hasOtherOwner: true))
            for present in [nil, OperatorGrant(.auditor, brand: nil), OperatorGrant(.owner, brand: "blue")] {
                #expect(!OperatorGrant.losesLastOwner(from: present, to: next, hasOtherOwner: false))
            }
        }
        #expect(!OperatorGrant.losesLastOwner(from: owner, to: owner, hasOtherOwner: false))
    }
}
