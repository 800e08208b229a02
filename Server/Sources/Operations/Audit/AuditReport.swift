internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The result of a verification, for people and scripts.
struct AuditReport {
    private let verification: AuditVerification

    init(_ verification: AuditVerification) {
        self.verification = verification
    }

    var isSound: Bool { verification.findings.isEmpty }

    var lines: [String] {
        var lines = verification.findings.map { "FAULT  \($0)." }
        if verification.furtherFindings > 0 { lines.append("FAULT  And \(verification.furtherFindings) more.") }
        lines += verification.breaks.map { restore in
            let lost = losses(of: restore).map { "\($0.count) of partition \($0.partition)" }
            let said =
                lost.isEmpty
                ? "no checkpoint shows anything that the copy lacks"
                : "at least these entries are lost: \(lost.joined(separator: ", "))"
            return "BREAK  The database was restored from a copy, first opened at \(restore.at.text); \(said)."
        }
        lines += erasures.map { erased in
            let counted = erased.entries.counted("entry", "entries")
            return
                "ERASED \(counted) of account \(erased.account) \(erased.entries == 1 ? "has" : "have") no details left."
        }
        if verification.tornLines > 0 {
            let torn = verification.tornLines
            lines.append(
                "NOTE   \(torn.counted("line", "lines")) of the checkpoints \(torn == 1 ? "was" : "were") cut short by a full"
                    + " disk or a power cut. The audit log was checkpointed again after that.")
        }
        if let newest = verification.newestElsewhere {
            lines.append(
                "NOTE   Another process wrote the newest checkpoint, of \(newest.time), to \(newest.archive). Compare the audit log"
                    + " with that file as well: `walletauth audit verify --checkpoints FILE`.")
        }
        if verification.checkpoints == 0 {
            lines.append("NOTE   No checkpoint covers this audit log, so nothing shows whether its end was cut off.")
        }
        let checked =
            verification.entries.counted("entry", "entries") + ", "
            + verification.checkpoints.counted("checkpoint", "checkpoints")
        lines.append(isSound ? "The audit log is intact: \(checked)." : "The audit log is NOT intact: \(checked).")
        return lines
    }

    var json: JSONObject {
        var json = JSONObject()
        json["sound"] = .bool(isSound)
        json.set("entries", verification.entries)
        json.set("checkpoints", Int64(verification.checkpoints))
        json.set("tornLines", Int64(verification.tornLines))
        json.set("newestCheckpointIn", verification.newestElsewhere?.archive)
        json["faults"] = .strings(verification.findings.map(\.description))
        json.set("furtherFaults", Int64(verification.furtherFindings))
        json["breaks"] = .array(
            verification.breaks.map { restore in
                var item = JSONObject()
                item.set("restoredAt", restore.at.text)
                item["lost"] = .array(
                    losses(of: restore).map { loss in
                        ["partition": .integer(loss.partition.rawValue), "entries": .integer(loss.count)]
                    })
                return .object(item)
            })
        json["erased"] = .array(
            erasures.map { ["accountId": .string($0.account), "entries": .integer($0.entries)] })
        return json
    }

    private func losses(of restore: AuditVerification.Break) -> [(partition: AuditPartition, count: Int64)] {
        restore.lost.sorted { $0.key < $1.key }.map { ($0.key, $0.value - restore.heads[$0.key, default: 0]) }
    }

    private var erasures: [(account: String, entries: Int64)] {
        verification.erased.map { (UniqueID(bytes: $0.key)?.uuid ?? "?", $0.value) }.sorted { $0.0 < $1.0 }
    }
}
