import Crypto
import CryptoExtras
import Foundation

/// The cost of the cryptography a request cannot avoid, on one core, in microseconds, as one JSON object.
///
/// Takes the minimum of several rounds: on a shared machine, anything above it is caused by other processes.
let message = Data((0..<300).map { UInt8($0 & 0xFF) })
let signingKey = P256.Signing.PrivateKey()
let signature = try signingKey.signature(for: message)
// The issuers of attested keys sign with keys of this size.
let widerKey = P384.Signing.PrivateKey()
let widerSignature = try widerKey.signature(for: message)
let macKey = SymmetricKey(size: .bits256)
let rsaKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
let rsaPublicKey = rsaKey.publicKey
let rsaSignature = try rsaKey.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
// The PIN (docs/wpin-1.md): the server's part is an evaluation with its proof, the phone's part is mostly scrypt.
let evaluationKey = try P384._VOPRF.PrivateKey(rawRepresentation: P384.Signing.PrivateKey().rawRepresentation)
let blinded = try evaluationKey.publicKey.blind(message).blindedElement
let stretching = (rounds: 1 << 15, blockSize: 8, parallelism: 1)
let clock = ContinuousClock()

func microseconds(iterations: Int, _ work: () throws -> Void) rethrows -> Double {
    var least = Duration.seconds(3600)
    for _ in 0..<7 {
        least = min(least, try clock.measure { for _ in 0..<iterations { try work() } })
    }
    let parts = least.components
    let total = Double(parts.seconds) * 1e6 + Double(parts.attoseconds) / 1e12
    return total / Double(iterations)
}

var sink = 0
let sign = try microseconds(iterations: 2_000) {
    sink &+= try signingKey.signature(for: message).rawRepresentation.count
}
let verify = microseconds(iterations: 1_000) {
    sink &+= signingKey.publicKey.isValidSignature(signature, for: message) ? 1 : 0
}
let widerVerify = microseconds(iterations: 500) {
    sink &+= widerKey.publicKey.isValidSignature(widerSignature, for: message) ? 1 : 0
}
let mac = microseconds(iterations: 20_000) {
    sink &+= HMAC<SHA256>.authenticationCode(for: message, using: macKey).withUnsafeBytes { Int($0[0]) }
}
let rsaSign = try microseconds(iterations: 100) {
    sink &+= try rsaKey.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation.count
}
let rsaVerify = microseconds(iterations: 2_000) {
    let digest = SHA256.hash(data: message)
    sink &+= rsaPublicKey.isValidSignature(rsaSignature, for: digest, padding: .insecurePKCS1v1_5) ? 1 : 0
}
let evaluate = try microseconds(iterations: 100) {
    sink &+= try evaluationKey.evaluate(blinded).rawRepresentation.count
}
let scrypt = try microseconds(iterations: 1) {
    let key = try KDF.Scrypt.deriveKey(
        from: message, salt: Data("salt".utf8), outputByteCount: 32, rounds: stretching.rounds,
        blockSize: stretching.blockSize, parallelism: stretching.parallelism)
    sink &+= key.bitCount
}
guard sink > 0 else { exit(1) }
let costs = [
    ("es256_sign_us", sign), ("es256_verify_us", verify), ("es384_verify_us", widerVerify),
    ("rs256_sign_us", rsaSign), ("rs256_verify_us", rsaVerify), ("hmac_sha256_us", mac),
    ("voprf_p384_evaluate_us", evaluate), ("scrypt_32_mib_us", scrypt),
]
print("{" + costs.map { #""\#($0.0)":"# + String(format: "%.2f", $0.1) }.joined(separator: ",") + "}")
