@_exported public import Foundation

/// A screen, with what the pages use of it.
@MainActor
open class UIViewController {
    /// The screens that were presented, in order.
    public private(set) var presented: [UIViewController] = []

    /// Creates an empty screen.
    public init() {}

    /// Shows another screen above this one.
    public func present(_ viewController: UIViewController, animated: Bool) { presented.append(viewController) }
}
