internal import Foundation
internal import HTTPTypes
internal import WalletAuthWire

/// The time zone in which a page writes its times: that of the browser, as far as it is known.
///
/// A script of the sign-in page writes its name into a cookie. Nothing else is decided by it, so a wrong one harms no one. It is set for
/// the whole request, once, as the language of a page is.
package struct PageZone: Sendable {
    /// `nil` for UTC.
    @TaskLocal package static var current: PageZone?

    private let zone: TimeZone

    /// - Parameter name: from the cookie, such as `Europe/Sofia`. Anything else than the name of a zone is ignored.
    package init?(_ name: Substring) {
        // `GMT+0530` is no browser's name, and the runtime keeps each such zone forever.
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isInName),
            name.utf8.count(where: Self.isDigit) <= 2, let zone = TimeZone(identifier: String(name))
        else { return nil }
        self.zone = zone
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit(byte) || "_+-/".utf8.contains(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// The seconds from UTC at a time.
    func offset(at seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }

    /// How a time names an offset: `UTC`, `UTC+2`, `UTC+5:30`.
    static func name(of offset: Int64) -> String {
        let minutes = abs(offset) / 60
        if minutes == 0 { return "UTC" }
        let rest = minutes % 60
        return "UTC\(offset < 0 ? "\u{2212}" : "+")\(minutes / 60)"
            + (rest == 0 ? "" : ":\(rest < 10 ? "0" : "")\(rest)")
    }
}

extension PageZone {
    /// The name of the cookie. A script cannot set one that is `HttpOnly`, so it is none of the sign-in's.
    private static let cookie = "wa_zone"

    /// The zone of a request's cookie; `nil` without one. One that appears twice counts as absent.
    package init?(of request: EndpointRequest) {
        let values = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap {
            pair -> Substring? in
            let pair = pair.trimmed()
            let name = pair.prefix { $0 != "=" }
            return name == Self.cookie || name == "__Host-" + Self.cookie ? pair.dropFirst(name.count + 1) : nil
        }
        guard values.count == 1, let value = values.first else { return nil }
        self.init(value)
    }

    /// The script that writes the cookie. It loads and sends nothing.
    static let script = """
        "use strict";
        (() => {
          const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
          if (!zone) return;
          const secure = location.protocol === "https:";
          document.cookie = (secure ? "__Host-" : "") + "\(cookie)=" + zone + "; Path=/; Max-Age=15552000; SameSite=Lax" +
            (secure ? "; Secure" : "");
        })();

        """
}
