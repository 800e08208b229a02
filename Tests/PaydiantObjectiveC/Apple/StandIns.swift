// Takes the place of Foundation's class (see ObjectiveC.h), and of those of PaydiantCompat that need the SDK.

import Foundation
public import ObjectiveC

/// The stand-in.
public typealias NSObject = ObjectiveC.NSObject

/// A stand-in.
public final class PDLoginResponse: PDObject {
    let attributes: [String: Any] = [:]
    let precedesAttributes = false
}

/// A stand-in.
public final class PDMFAToken: PDObject {
    var error: PDPaydiantError? { nil }
}

/// A stand-in.
public final class PDPaydiantError: PDObject {
    var code: Int { 0 }
}
