// Takes the place of Foundation's class (see ObjectiveC.h), and of those of PaydiantCompat that need the SDK.

import Foundation
public import ObjectiveC

/// The stand-in.
public typealias NSObject = ObjectiveC.NSObject

/// A stand-in.
@objc(PDMFAToken)
public final class PDMFAToken: ObjectiveC.NSObject {}

/// A stand-in.
@objc(PDPaydiantError)
public final class PDPaydiantError: ObjectiveC.NSObject {
    var isOfAttempt: Bool { true }
}
