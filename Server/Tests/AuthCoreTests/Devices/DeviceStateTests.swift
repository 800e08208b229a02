import AuthCore
import Testing

@Suite("The life of a device")
struct DeviceStateTests {
    @Test("No order of an operator leaves or reaches the removed state")
    func removedIsFinal() {
        for order in DeviceState.Order.allCases {
            let (from, to) = DeviceState.transition(order)
            #expect(!from.contains(.removed))
            #expect(to != .removed)
            #expect(!from.contains(to))
        }
    }

    @Test("A suspension ends by resuming alone, a deactivation by reactivating alone")
    func oppositeOrders() {
        let leaving = DeviceState.Order.allCases.filter { DeviceState.transition($0).to == .active }
        #expect(leaving.filter { DeviceState.transition($0).from.contains(.suspended) } == [.resume])
        #expect(leaving.filter { DeviceState.transition($0).from.contains(.deactivated) } == [.reactivate])
    }
}
