import Kernel
import Testing

@Suite("The life of a device")
struct DeviceStateTests {
    @Test("No transition by an operator leaves or reaches the removed state")
    func removedIsFinal() {
        for transition in DeviceState.Transition.allCases {
            let (from, to) = transition.states
            #expect(!from.contains(.removed))
            #expect(to != .removed)
            #expect(!from.contains(to))
        }
    }

    @Test("A suspension ends by resuming alone, a deactivation by reactivating alone")
    func oppositeTransitions() {
        let leaving = DeviceState.Transition.allCases.filter { $0.states.to == .active }
        #expect(leaving.filter { $0.states.from.contains(.suspended) } == [.resume])
        #expect(leaving.filter { $0.states.from.contains(.deactivated) } == [.reactivate])
    }
}
