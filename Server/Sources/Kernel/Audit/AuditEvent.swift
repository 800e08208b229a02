/// The audit log's events about itself.
package enum AuditEvent: String, SecurityEventKind, CaseIterable {
    case began = "audit.began"
}
