internal import Foundation

/// A brand's color, and the stylesheet that replaces the accent with it.
///
/// A brand may choose any color, and the pages stay readable. Text on it is black or white, whichever contrasts more;
/// one of the two always reaches 4.5 to 1. As a link color it is moved toward black or white until it contrasts with
/// the surface behind it. The edge of a button is moved in the same way, to 3 to 1, so that it remains visible on the
/// card.
package struct BrandColor: Sendable, Hashable {
    private let red: Double
    private let green: Double
    private let blue: Double

    /// - Parameter hex: six hexadecimal digits, with or without `#`. The result is `nil` for anything else, so only
    ///   such digits ever reach the stylesheet.
    package init?(_ hex: some StringProtocol) {
        let digits = hex.hasPrefix("#") ? hex.dropFirst() : hex[...]
        guard digits.utf8.count == 6, digits.utf8.allSatisfy(Self.isHexDigit), let value = UInt32(digits, radix: 16)
        else { return nil }
        self.init(Double(value >> 16 & 0xff), Double(value >> 8 & 0xff), Double(value & 0xff))
    }

    /// Rounds to whole channels, so that the color checked here is the color in the stylesheet.
    private init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red.rounded()
        self.green = green.rounded()
        self.blue = blue.rounded()
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static let white = BrandColor(255, 255, 255)
    private static let black = BrandColor(0, 0, 0)
    /// The darkest background behind links in the light scheme, and the lightest in the dark one.
    private static let lightGround = BrandColor(0xf3, 0xf5, 0xf8)
    private static let darkGround = BrandColor(0x17, 0x1d, 0x25)

    /// Six lowercase digits, which also name its stylesheet.
    package var hex: String {
        [red, green, blue].map { channel in
            let digits = String(Int(channel), radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The color of text on this color.
    package var ink: BrandColor { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// The color moved toward black or white in small steps until it contrasts with a background: 4.5 to 1 for text, 3
    /// to 1 for anything else (WCAG 2.2 §1.4.3, §1.4.11).
    package func readable(on ground: BrandColor, ratio: Double = 4.5) -> BrandColor {
        let target: BrandColor = ground.luminance > 0.5 ? .black : .white
        for step in 0...20 {
            let share = Double(step) / 20
            let mixed = BrandColor(
                red + (target.red - red) * share, green + (target.green - green) * share,
                blue + (target.blue - blue) * share)
            if mixed.contrast(with: ground) >= ratio { return mixed }
        }
        return target
    }

    /// The contrast ratio of WCAG 2.2, 1 to 21.
    package func contrast(with other: BrandColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Relative luminance as WCAG 2.2 defines it.
    private var luminance: Double {
        func linear(_ channel: Double) -> Double {
            let value = channel / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    private func scheme(on ground: BrandColor) -> String {
        "--link: #\(readable(on: ground).hex); --edge: #\(readable(on: ground, ratio: 3).hex);"
    }

    /// A stylesheet that follows ``Stylesheet`` and overrides its accent.
    package var stylesheet: String {
        """
        :root { --accent: #\(hex); --on-accent: #\(ink.hex); \(scheme(on: Self.lightGround)) }
        @media (prefers-color-scheme: dark) { :root { \(scheme(on: Self.darkGround)) } }

        """
    }
}
