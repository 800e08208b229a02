/// The encoding of a domain's label in ASCII (RFC 3492).
enum Punycode {
    private static let base = 36
    private static let initialN = 0x80
    private static let initialBias = 72

    /// The label's ASCII characters, a hyphen if there are any, and the others as differences.
    static func encode(_ label: String) -> String {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        var output = label.unicodeScalars.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (initialN, 0, initialBias, basic)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= n }).min() else { break }
            delta += (next - n) * (handled + 1)
            n = next
            for scalar in scalars {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, to: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 3492 §6.3: a number as digits of variable base.
    private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
        var rest = number
        var position = base
        while true {
            let threshold = min(max(position - bias, 1), 26)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, to count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var shift = 0
        while delta > (base - 1) * 26 / 2 {
            delta /= base - 1
            shift += base
        }
        return shift + base * delta / (delta + 38)
    }

    /// `a` to `z`, then `0` to `9`.
    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }
}
