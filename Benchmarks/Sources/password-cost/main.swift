import CArgon2Limit
import Dispatch
import Foundation
import Synchronization

/// The most passwords this machine can hash per second, as the baseline of sign-in.
///
/// `password-cost SECONDS` runs Argon2id with the server's parameters (19 MiB, two passes, one lane) on every core and
/// prints the rate as one JSON object.
guard CommandLine.arguments.count == 2, let seconds = Int(CommandLine.arguments[1]), seconds > 0 else {
    FileHandle.standardError.write(Data("usage: password-cost SECONDS\n".utf8))
    exit(64)
}

let memoryKiB: UInt32 = 19 * 1024
let passes: UInt32 = 2
let lanes: UInt32 = 1
let password = Array("correct horse battery staple".utf8)
let salt = [UInt8](repeating: 7, count: 16)

let clock = ContinuousClock()
let began = clock.now
let end = began.advanced(by: .seconds(seconds))
let hashed = Mutex(0)
DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
    var hash = [UInt8](repeating: 0, count: 32)
    while clock.now < end {
        let code = argon2id_hash_raw(
            passes, memoryKiB, lanes, password, password.count, salt, salt.count, &hash, hash.count)
        guard code == ARGON2_OK.rawValue else { exit(1) }
        hashed.withLock { $0 += 1 }
    }
}
let elapsed = began.duration(to: clock.now).components
let rate = Double(hashed.withLock { $0 }) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
print(String(format: #"{"argon2id_per_second":%.2f}"#, rate))
