-- A database as the last program before the first release wrote it: its 33 migrations, and rows in what was renamed since.

CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);

-- 1: foundation
CREATE TABLE brands (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE accounts (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    brand_id TEXT NOT NULL REFERENCES brands (id),
    state TEXT NOT NULL CHECK (state IN ('active', 'deactivated', 'erased')),
    security_version BIGINT NOT NULL CHECK (security_version >= 1),
    password BYTEA,
    password_state TEXT NOT NULL CHECK (password_state IN ('none', 'current', 'expired')),
    password_changed_at BIGINT,
    email BYTEA,
    email_state TEXT NOT NULL CHECK (email_state IN ('none', 'unverified', 'verified')),
    phone BYTEA,
    profile BYTEA,
    locale TEXT,
    created_at BIGINT NOT NULL,
    last_login_at BIGINT,
    CHECK ((password IS NULL) = (password_state = 'none')),
    CHECK ((password IS NULL) = (password_changed_at IS NULL)),
    CHECK ((email IS NULL) = (email_state = 'none')),
    CHECK (state <> 'erased' OR (password IS NULL AND email IS NULL AND phone IS NULL AND profile IS NULL))
);
CREATE TABLE account_names (
    brand_id TEXT NOT NULL REFERENCES brands (id),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 320),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (brand_id, name)
);
CREATE INDEX account_names_by_account ON account_names (account_id);
CREATE TABLE clients (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 255),
    brand_id TEXT REFERENCES brands (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('public', 'confidential')),
    auth_method TEXT NOT NULL
        CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
    secret_hash BYTEA,
    jwks TEXT,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    settings TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'deleted')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((kind = 'public') = (auth_method = 'none')),
    CHECK ((secret_hash IS NOT NULL) = (auth_method IN ('client_secret_basic', 'client_secret_post')))
);
CREATE TABLE merchants (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE merchant_clients (
    merchant_id TEXT NOT NULL REFERENCES merchants (id),
    client_id TEXT NOT NULL REFERENCES clients (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, client_id)
);
CREATE TABLE merchant_employees (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    merchant_id TEXT NOT NULL REFERENCES merchants (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, merchant_id)
);
CREATE INDEX merchant_employees_by_merchant ON merchant_employees (merchant_id, account_id);
CREATE TABLE sessions (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES clients (id),
    granted_to TEXT REFERENCES clients (id),
    dpop_jkt BYTEA CHECK (length(dpop_jkt) = 32),
    secret BYTEA NOT NULL CHECK (length(secret) = 16),
    mac_key_id BIGINT NOT NULL,
    generation BIGINT NOT NULL CHECK (generation >= 0),
    rotated_at BIGINT NOT NULL,
    attempt_hash BYTEA CHECK (length(attempt_hash) = 32),
    scope TEXT NOT NULL,
    audience TEXT NOT NULL,
    acr TEXT,
    amr TEXT NOT NULL,
    auth_time BIGINT NOT NULL,
    security_version BIGINT NOT NULL,
    merchant_id TEXT REFERENCES merchants (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    absolute_expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    revoked_reason TEXT,
    CHECK (expires_at <= absolute_expires_at),
    CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE TABLE redeemed_codes (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
    session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
    expires_at BIGINT NOT NULL
);
CREATE INDEX redeemed_codes_by_expiry ON redeemed_codes (expires_at);
CREATE TABLE stored_codes (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
    sealed BYTEA NOT NULL CHECK (length(sealed) <= 65536),
    expires_at BIGINT NOT NULL
);
CREATE INDEX stored_codes_by_expiry ON stored_codes (expires_at);
CREATE TABLE seen_jtis (
    digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    expires_at BIGINT NOT NULL
);
CREATE INDEX seen_jtis_by_expiry ON seen_jtis (expires_at);
CREATE TABLE attempts (
    subject BYTEA NOT NULL PRIMARY KEY CHECK (length(subject) BETWEEN 16 AND 32),
    tries BIGINT NOT NULL,
    failures BIGINT NOT NULL CHECK (failures >= 0),
    compared BIGINT NOT NULL CHECK (compared IN (0, 1)),
    last_at BIGINT NOT NULL,
    next_allowed_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX attempts_by_expiry ON attempts (expires_at);
CREATE TABLE browser_sessions (
    id_hash BYTEA NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    security_version BIGINT NOT NULL,
    auth_time BIGINT NOT NULL,
    acr TEXT,
    amr TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX browser_sessions_by_account ON browser_sessions (account_id);
CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at);
CREATE TABLE data_keys (
    purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
    kid BIGINT NOT NULL CHECK (kid >= 1),
    wrapped BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    retired_at BIGINT,
    PRIMARY KEY (purpose, kid)
);
CREATE TABLE signing_keys (
    kid TEXT NOT NULL PRIMARY KEY CHECK (length(kid) BETWEEN 1 AND 128),
    algorithm TEXT NOT NULL CHECK (algorithm IN ('ES256', 'RS256', 'EdDSA')),
    state TEXT NOT NULL CHECK (state IN ('next', 'active', 'retired')),
    sealed_private BYTEA,
    public_jwk TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    activated_at BIGINT,
    retired_at BIGINT,
    removed_at BIGINT,
    CHECK (state = 'retired' OR sealed_private IS NOT NULL),
    CHECK ((state = 'next') = (activated_at IS NULL)),
    CHECK ((state = 'retired') = (retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (algorithm) WHERE state = 'active';
CREATE UNIQUE INDEX signing_keys_one_next ON signing_keys (algorithm) WHERE state = 'next';
CREATE TABLE outbox (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA,
    kind TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    delivered_at BIGINT
);
CREATE INDEX outbox_by_due ON outbox (due_at) WHERE delivered_at IS NULL;
CREATE INDEX outbox_by_expiry ON outbox (expires_at);
CREATE INDEX outbox_by_account ON outbox (account_id);
CREATE TABLE security_events (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA,
    client_id TEXT,
    kind TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    details TEXT NOT NULL
);
CREATE INDEX security_events_by_account ON security_events (account_id, id);
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- 2: devices
CREATE TABLE devices (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES clients (id),
    name BYTEA NOT NULL,
    platform TEXT NOT NULL CHECK (length(platform) BETWEEN 1 AND 64),
    signing_key BYTEA NOT NULL CHECK (length(signing_key) = 64),
    thumbprint BYTEA NOT NULL CHECK (length(thumbprint) = 32),
    dpop_jkt BYTEA NOT NULL CHECK (length(dpop_jkt) = 32),
    key_storage TEXT NOT NULL CHECK (key_storage IN ('software', 'hardware')),
    biometric_key BYTEA CHECK (length(biometric_key) = 64),
    biometric_key_set_at BIGINT,
    state TEXT NOT NULL CHECK (state IN ('active', 'suspended', 'deactivated', 'removed')),
    instance TEXT NOT NULL CHECK (instance IN ('exempt', 'unverified', 'verified')),
    push_address BYTEA,
    created_at BIGINT NOT NULL,
    cooling_until BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    state_changed_at BIGINT NOT NULL,
    CHECK ((biometric_key IS NULL) = (biometric_key_set_at IS NULL)),
    CHECK (state <> 'removed' OR (biometric_key IS NULL AND push_address IS NULL))
);
CREATE UNIQUE INDEX devices_by_key ON devices (thumbprint);
CREATE INDEX devices_by_account ON devices (account_id, id);
CREATE INDEX devices_by_dpop ON devices (account_id, dpop_jkt);
ALTER TABLE sessions ADD COLUMN device_id BYTEA REFERENCES devices (id);
CREATE INDEX sessions_by_device ON sessions (device_id) WHERE device_id IS NOT NULL;

-- 3: factors
CREATE TABLE open_factors (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('totp', 'email', 'sms', 'secret_question', 'recovery_code')),
    code_mac BYTEA CHECK (length(code_mac) = 32),
    mac_key_id BIGINT,
    code_expires_at BIGINT,
    sends BIGINT NOT NULL CHECK (sends BETWEEN 0 AND 3),
    sent_at BIGINT,
    tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
    expires_at BIGINT NOT NULL,
    CHECK ((code_mac IS NULL) = (mac_key_id IS NULL)),
    CHECK ((code_mac IS NULL) = (code_expires_at IS NULL)),
    CHECK (code_mac IS NULL OR kind IN ('email', 'sms'))
);
CREATE INDEX open_factors_by_expiry ON open_factors (expires_at);
CREATE INDEX open_factors_by_account ON open_factors (account_id);
CREATE TABLE totp_secrets (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL CHECK (state IN ('pending', 'active')),
    sealed BYTEA NOT NULL,
    session_id BYTEA CHECK (length(session_id) = 16),
    last_step BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (account_id, state),
    CHECK ((state = 'pending') = (expires_at IS NOT NULL)),
    CHECK ((state = 'pending') = (session_id IS NOT NULL))
);
CREATE INDEX totp_secrets_by_expiry ON totp_secrets (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE recovery_codes (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE TABLE secret_questions (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    question TEXT NOT NULL CHECK (length(question) BETWEEN 1 AND 64),
    answer BYTEA NOT NULL,
    asked BIGINT NOT NULL CHECK (asked IN (0, 1)),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, question)
);
CREATE UNIQUE INDEX secret_questions_one_asked ON secret_questions (account_id) WHERE asked = 1;

-- 4: pins
CREATE TABLE pins (
    device_id BYTEA NOT NULL PRIMARY KEY REFERENCES devices (id),
    state TEXT NOT NULL CHECK (state IN ('none', 'active', 'locked')),
    epoch BIGINT CHECK (epoch BETWEEN 1 AND 4294967295),
    failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
    evaluation_key BYTEA,
    public_key BYTEA,
    pending_epoch BIGINT CHECK (pending_epoch BETWEEN 1 AND 4294967295),
    pending_evaluation_key BYTEA,
    last_epoch BIGINT NOT NULL CHECK (last_epoch >= 1),
    changed_at BIGINT NOT NULL,
    CHECK ((state = 'none') = (epoch IS NULL)),
    CHECK ((epoch IS NULL) = (evaluation_key IS NULL)),
    CHECK ((epoch IS NULL) = (public_key IS NULL)),
    CHECK ((pending_epoch IS NULL) = (pending_evaluation_key IS NULL))
);
CREATE TABLE pin_charges (
    challenge_id BYTEA NOT NULL PRIMARY KEY CHECK (length(challenge_id) = 16),
    device_id BYTEA NOT NULL REFERENCES devices (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX pin_charges_by_device ON pin_charges (device_id, expires_at);
CREATE INDEX pin_charges_by_expiry ON pin_charges (expires_at);
CREATE TABLE pin_challenges (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    device_id BYTEA NOT NULL REFERENCES devices (id),
    idempotency_key TEXT NOT NULL CHECK (length(idempotency_key) BETWEEN 16 AND 64),
    request_digest BYTEA NOT NULL CHECK (length(request_digest) = 32),
    request TEXT NOT NULL,
    nonce TEXT NOT NULL,
    epoch BIGINT,
    new_epoch BIGINT,
    attempts_left BIGINT,
    state TEXT NOT NULL CHECK (state IN ('open', 'used', 'failed', 'abandoned')),
    payload_digest BYTEA CHECK (length(payload_digest) = 32),
    ends_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CHECK ((state = 'used') = (payload_digest IS NOT NULL))
);
CREATE UNIQUE INDEX pin_challenges_by_key ON pin_challenges (device_id, idempotency_key);
CREATE UNIQUE INDEX pin_challenges_one_open ON pin_challenges (device_id) WHERE state = 'open';
CREATE INDEX pin_challenges_by_expiry ON pin_challenges (expires_at);

-- 5: federation
CREATE TABLE login_nonces (
    digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    security_version BIGINT NOT NULL,
    issuer_client_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
    key_thumbprint BYTEA CHECK (length(key_thumbprint) = 32),
    expires_at BIGINT NOT NULL
);
CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at);
CREATE TABLE identity_providers (
    brand_id TEXT NOT NULL REFERENCES brands (id),
    id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
    settings TEXT NOT NULL,
    secret BYTEA,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (brand_id, id)
);
CREATE TABLE federated_identities (
    brand_id TEXT NOT NULL REFERENCES brands (id),
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    provider_id TEXT NOT NULL,
    subject BYTEA NOT NULL,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (brand_id, digest)
);
CREATE INDEX federated_identities_by_account ON federated_identities (account_id);

-- 6: audit chains
ALTER TABLE security_events ADD COLUMN chain BIGINT;
ALTER TABLE security_events ADD COLUMN seq BIGINT;
ALTER TABLE security_events ADD COLUMN kid BIGINT;
ALTER TABLE security_events ADD COLUMN salt BYTEA;
ALTER TABLE security_events ADD COLUMN details_digest BYTEA;
ALTER TABLE security_events ADD COLUMN link BYTEA;
CREATE UNIQUE INDEX security_events_by_chain ON security_events (chain, seq);

-- 7: biometric keys
ALTER TABLE devices ADD COLUMN biometric_key_storage TEXT
    CHECK (biometric_key_storage IN ('software', 'hardware'));
ALTER TABLE devices ADD COLUMN biometric_presence_attested BIGINT CHECK (biometric_presence_attested IN (0, 1));

-- 8: outbound
ALTER TABLE outbox ADD COLUMN channel TEXT NOT NULL DEFAULT 'email' CHECK (channel IN ('none', 'email', 'sms'));
ALTER TABLE outbox ADD COLUMN failed_at BIGINT;
ALTER TABLE outbox ADD COLUMN failure TEXT;
DROP INDEX outbox_by_due;
CREATE INDEX outbox_by_due ON outbox (channel, due_at) WHERE delivered_at IS NULL AND failed_at IS NULL;

-- 9: device tokens
CREATE TABLE device_tokens (
    device_id BYTEA NOT NULL PRIMARY KEY REFERENCES devices (id),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL CHECK (state IN ('active', 'expired', 'declined')),
    digest BYTEA CHECK (length(digest) = 32),
    security_version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at BIGINT NOT NULL,
    CHECK ((state = 'active') = (digest IS NOT NULL))
);
CREATE INDEX device_tokens_by_account ON device_tokens (account_id);

-- 10: pin uses
ALTER TABLE pin_challenges ADD COLUMN security_version BIGINT;
ALTER TABLE pin_challenges ADD COLUMN used_at BIGINT;

-- 11: federation memory
ALTER TABLE federated_identities ADD COLUMN name_digest BYTEA CHECK (length(name_digest) = 32);
ALTER TABLE federated_identities ADD COLUMN tells_address BIGINT NOT NULL DEFAULT 1
    CHECK (tells_address IN (0, 1));
CREATE INDEX federated_identities_by_name ON federated_identities (brand_id, name_digest);

-- 12: recoveries
CREATE TABLE recoveries (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA REFERENCES accounts (id),
    budget BYTEA NOT NULL CHECK (length(budget) = 32),
    ceiling BYTEA CHECK (length(ceiling) = 32),
    security_version BIGINT NOT NULL,
    code_mac BYTEA NOT NULL CHECK (length(code_mac) = 32),
    mac_key_id BIGINT NOT NULL,
    code_expires_at BIGINT NOT NULL,
    sends BIGINT NOT NULL CHECK (sends BETWEEN 1 AND 3),
    sent_at BIGINT NOT NULL,
    tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
    expires_at BIGINT NOT NULL
);
CREATE INDEX recoveries_by_expiry ON recoveries (expires_at);
CREATE INDEX recoveries_by_account ON recoveries (account_id) WHERE account_id IS NOT NULL;
ALTER TABLE accounts ADD COLUMN closed_by TEXT CHECK (closed_by IN ('failures', 'operator'));
ALTER TABLE accounts ADD COLUMN cooling_until BIGINT;

-- 13: password checks
ALTER TABLE accounts ADD COLUMN password_checked_at BIGINT;

-- 14: sca
CREATE TABLE wallet_operations (
    event_id BYTEA NOT NULL PRIMARY KEY CHECK (length(event_id) = 16),
    client_id TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    create_key TEXT,
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
    type TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('required', 'exempt')),
    exemption TEXT,
    findings TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'challenged', 'verified', 'used', 'locked', 'cancelled')),
    method TEXT,
    channel TEXT,
    challenge_id BYTEA,
    code_mac BYTEA CHECK (length(code_mac) = 32),
    mac_key_id BIGINT,
    code_expires_at BIGINT,
    failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
    sends BIGINT NOT NULL CHECK (sends BETWEEN 0 AND 3),
    sent_at BIGINT,
    settled_at BIGINT,
    use_key TEXT,
    answer BYTEA,
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    kept_until BIGINT NOT NULL,
    CHECK ((state = 'challenged') = (method IS NOT NULL)),
    CHECK ((method IS NULL) = (channel IS NULL)),
    CHECK ((code_mac IS NULL) = (mac_key_id IS NULL)),
    CHECK (code_mac IS NULL OR state = 'challenged'),
    CHECK ((state IN ('verified', 'used')) = (settled_at IS NOT NULL)),
    CHECK (answer IS NULL OR state = 'used')
);
CREATE UNIQUE INDEX wallet_operations_by_name ON wallet_operations (client_id, operation_id);
CREATE UNIQUE INDEX wallet_operations_by_key ON wallet_operations (client_id, create_key)
    WHERE create_key IS NOT NULL;
CREATE INDEX wallet_operations_by_account ON wallet_operations (account_id, created_at);
CREATE INDEX wallet_operations_by_end ON wallet_operations (kept_until);
CREATE TABLE sca_attempts (
    event_id BYTEA NOT NULL REFERENCES wallet_operations (event_id),
    number BIGINT NOT NULL CHECK (number >= 1),
    method TEXT NOT NULL,
    channel TEXT NOT NULL,
    is_right BIGINT NOT NULL CHECK (is_right IN (0, 1)),
    amr TEXT NOT NULL,
    evidence BYTEA,
    at BIGINT NOT NULL,
    PRIMARY KEY (event_id, number)
);
CREATE TABLE sca_history (
    account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
    low_value_sum BIGINT NOT NULL CHECK (low_value_sum >= 0),
    low_value_count BIGINT NOT NULL CHECK (low_value_count >= 0),
    information_consent_at BIGINT,
    consent_at BIGINT
);
CREATE TABLE trusted_payees (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX trusted_payees_by_account ON trusted_payees (account_id, client_id);

-- 15: device closings
ALTER TABLE devices ADD COLUMN closed_by TEXT CHECK (closed_by IN ('failures', 'operator'));

-- 16: passkeys
CREATE TABLE passkeys (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    credential_id BYTEA NOT NULL CHECK (length(credential_id) BETWEEN 16 AND 1023),
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    relying_party TEXT NOT NULL,
    public_key BYTEA NOT NULL,
    counter BIGINT NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    backup_eligible BIGINT NOT NULL CHECK (backup_eligible IN (0, 1)),
    backed_up BIGINT NOT NULL CHECK (backed_up IN (0, 1)),
    transports TEXT NOT NULL,
    name BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    cooling_until BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id);
CREATE INDEX passkeys_by_account ON passkeys (account_id, created_at);

-- 17: evidence
CREATE TABLE sca_steps (
    event_id BYTEA NOT NULL REFERENCES wallet_operations (event_id),
    number BIGINT NOT NULL CHECK (number >= 1),
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    circumstances BYTEA,
    chain BIGINT,
    seq BIGINT,
    link BYTEA,
    at BIGINT NOT NULL,
    PRIMARY KEY (event_id, number),
    CHECK ((chain IS NULL) = (seq IS NULL)),
    CHECK ((chain IS NULL) = (link IS NULL))
);
ALTER TABLE sca_attempts ADD COLUMN circumstances BYTEA;

-- 18: account pins
CREATE TABLE account_pins (
    account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version BYTEA NOT NULL CHECK (length(version) = 16),
    hash BYTEA NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'locked')),
    failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
    spent BIGINT NOT NULL CHECK (spent BETWEEN 0 AND 30),
    set_at BIGINT NOT NULL,
    locked_at BIGINT,
    CHECK ((state = 'locked') = (locked_at IS NOT NULL))
);

-- 19: operation issuers
ALTER TABLE wallet_operations ADD COLUMN issuer TEXT;

-- 20: sign-in counting
ALTER TABLE sessions ADD COLUMN counts_until BIGINT NOT NULL DEFAULT 0;
CREATE TABLE totp_coolings (
    account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
    cooling_until BIGINT NOT NULL
);

-- 21: consent_bounds
ALTER TABLE wallet_operations ADD COLUMN challenges BIGINT NOT NULL DEFAULT 0;
ALTER TABLE wallet_operations ADD COLUMN tried_at BIGINT;
ALTER TABLE wallet_operations ADD COLUMN counted_in BIGINT;
ALTER TABLE wallet_operations ADD COLUMN ended_at BIGINT;
CREATE INDEX wallet_operations_open ON wallet_operations (account_id, client_id, expires_at)
    WHERE state IN ('open', 'challenged', 'verified');
ALTER TABLE sca_history ADD COLUMN consents BIGINT NOT NULL DEFAULT 0;

-- 22: account pin uses
ALTER TABLE account_pins ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account_pins ADD COLUMN charged_at BIGINT;

-- 23: strangers since
ALTER TABLE accounts ADD COLUMN strangers_since BIGINT;

-- 24: attempt outcomes
ALTER TABLE attempts ADD COLUMN pending BIGINT NOT NULL DEFAULT 0 CHECK (pending >= 0);
ALTER TABLE attempts ADD COLUMN lost BIGINT NOT NULL DEFAULT 0 CHECK (lost >= 0);
CREATE INDEX attempts_pending ON attempts (subject) WHERE pending > 0;

-- 25: client consents
CREATE TABLE client_consents (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL REFERENCES clients (id),
    id BYTEA NOT NULL CHECK (length(id) = 16),
    scope TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, client_id)
);
CREATE INDEX client_consents_by_client ON client_consents (client_id);

-- 26: restores
ALTER TABLE federated_identities ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sca_history ADD COLUMN asks BIGINT NOT NULL DEFAULT 0 CHECK (asks IN (0, 1));
CREATE TABLE account_information_consents (
    account_id BYTEA NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL,
    consent_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, client_id)
);
ALTER TABLE sca_history DROP COLUMN information_consent_at;

-- 27: transactions
CREATE TABLE transactions (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    origin TEXT NOT NULL CHECK (origin IN ('server', 'client')),
    client_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    issuer TEXT NOT NULL,
    create_key TEXT,
    account_id BYTEA REFERENCES accounts (id),
    device_id BYTEA CHECK (length(device_id) = 16),
    state TEXT NOT NULL
        CHECK (state IN ('created', 'claimed', 'confirmed', 'signed', 'rejected', 'failed', 'cancelled')),
    reason TEXT,
    required_factor TEXT NOT NULL,
    factor TEXT,
    sealed BYTEA NOT NULL,
    payload BYTEA,
    payload_hash TEXT,
    assertion BYTEA,
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    kept_until BIGINT NOT NULL,
    CHECK ((payload IS NULL) = (device_id IS NULL)),
    CHECK ((payload IS NULL) = (payload_hash IS NULL)),
    CHECK (device_id IS NULL OR account_id IS NOT NULL),
    CHECK ((state = 'signed') = (factor IS NOT NULL)),
    CHECK ((state = 'signed') = (assertion IS NOT NULL)),
    CHECK ((state IN ('created', 'claimed', 'confirmed')) = (ended_at IS NULL)),
    CHECK ((state IN ('rejected', 'cancelled')) = (reason IS NOT NULL)),
    CHECK (state <> 'created' OR device_id IS NULL),
    CHECK (state NOT IN ('claimed', 'confirmed', 'signed', 'rejected', 'failed') OR device_id IS NOT NULL)
);
CREATE UNIQUE INDEX transactions_by_key ON transactions (client_id, create_key) WHERE create_key IS NOT NULL;
CREATE INDEX transactions_by_client ON transactions (client_id, id);
CREATE INDEX transactions_by_brand ON transactions (brand_id, id) WHERE origin = 'client';
CREATE INDEX transactions_by_account ON transactions (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX transactions_by_device ON transactions (device_id, id) WHERE device_id IS NOT NULL;
CREATE INDEX transactions_by_end ON transactions (kept_until);
CREATE TABLE transaction_steps (
    transaction_id BYTEA NOT NULL REFERENCES transactions (id),
    number BIGINT NOT NULL CHECK (number >= 1),
    status TEXT NOT NULL,
    circumstances BYTEA,
    chain BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    link BYTEA NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (transaction_id, number)
);

-- 28: transaction addressees
ALTER TABLE transactions ADD COLUMN addressed BIGINT NOT NULL DEFAULT 0 CHECK (addressed IN (0, 1));

-- 29: apple sign-in
CREATE TABLE apple_grants (
    brand_id TEXT NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    linked_brand TEXT,
    linked_digest BYTEA,
    provider_id TEXT NOT NULL,
    sealed BYTEA,
    verified_at BIGINT NOT NULL,
    ask_at BIGINT NOT NULL,
    revoke_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    suspended_at BIGINT,
    address_reachable BIGINT CHECK (address_reachable IN (0, 1)),
    address_changed_at BIGINT,
    PRIMARY KEY (brand_id, digest),
    CHECK ((linked_brand IS NULL) = (linked_digest IS NULL)),
    CHECK ((address_reachable IS NULL) = (address_changed_at IS NULL)),
    FOREIGN KEY (linked_brand, linked_digest) REFERENCES federated_identities (brand_id, digest)
        ON DELETE SET NULL
);
CREATE INDEX apple_grants_by_link ON apple_grants (linked_brand, linked_digest);
CREATE INDEX apple_grants_to_revoke ON apple_grants (revoke_at) WHERE linked_digest IS NULL;
CREATE INDEX apple_grants_to_ask ON apple_grants (ask_at)
    WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL;
CREATE INDEX apple_grants_by_digest ON apple_grants (digest);
CREATE TABLE apple_notifications (
    digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    expires_at BIGINT NOT NULL
);
CREATE INDEX apple_notifications_by_expiry ON apple_notifications (expires_at);
CREATE TABLE apple_transfers (
    transfer BYTEA NOT NULL PRIMARY KEY CHECK (length(transfer) = 32),
    brand_id TEXT NOT NULL,
    digest BYTEA NOT NULL CHECK (length(digest) = 32),
    expires_at BIGINT NOT NULL,
    FOREIGN KEY (brand_id, digest) REFERENCES federated_identities (brand_id, digest) ON DELETE CASCADE
);
CREATE INDEX apple_transfers_by_identity ON apple_transfers (brand_id, digest);
CREATE INDEX apple_transfers_by_expiry ON apple_transfers (expires_at);
CREATE TABLE provider_integrations (
    merchant_id BIGINT NOT NULL,
    integration_id TEXT NOT NULL CHECK (length(integration_id) BETWEEN 1 AND 128),
    brand_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    card_template BIGINT,
    activation_store TEXT,
    PRIMARY KEY (merchant_id, integration_id),
    FOREIGN KEY (brand_id, provider_id) REFERENCES identity_providers (brand_id, id)
);
CREATE INDEX provider_integrations_by_provider ON provider_integrations (brand_id, provider_id);

-- 30: loyalty
CREATE TABLE loyalty_accounts (
    account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
    number BIGINT NOT NULL,
    merchant_id BIGINT NOT NULL,
    integration_id TEXT NOT NULL,
    card_template BIGINT,
    activation_store TEXT,
    enrolled_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX loyalty_accounts_by_number ON loyalty_accounts (number);
CREATE TABLE loyalty_enrollments (
    digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    account_id BYTEA REFERENCES accounts (id),
    sealed BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX loyalty_enrollments_by_account ON loyalty_enrollments (account_id);
CREATE INDEX loyalty_enrollments_by_expiry ON loyalty_enrollments (expires_at);

-- 31: session proofs
ALTER TABLE sessions ADD COLUMN requires_proof BIGINT NOT NULL DEFAULT 0 CHECK (requires_proof IN (0, 1));

-- 32: pin repeats
DROP TABLE pin_challenges;
CREATE TABLE pin_challenges (
    id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    device_id BYTEA NOT NULL REFERENCES devices (id),
    idempotency_key TEXT NOT NULL CHECK (length(idempotency_key) BETWEEN 16 AND 64),
    request_digest BYTEA NOT NULL CHECK (length(request_digest) = 32),
    request TEXT NOT NULL,
    nonce TEXT NOT NULL,
    epoch BIGINT,
    new_epoch BIGINT,
    attempts_left BIGINT,
    state TEXT NOT NULL CHECK (state IN ('open', 'used', 'failed', 'abandoned')),
    payload_digest BYTEA CHECK (length(payload_digest) = 32),
    tries_left BIGINT,
    security_version BIGINT,
    used_at BIGINT,
    ends_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CHECK ((state IN ('used', 'failed')) = (payload_digest IS NOT NULL))
);
CREATE UNIQUE INDEX pin_challenges_by_key ON pin_challenges (device_id, idempotency_key);
CREATE UNIQUE INDEX pin_challenges_one_open ON pin_challenges (device_id) WHERE state = 'open';
CREATE INDEX pin_challenges_by_expiry ON pin_challenges (expires_at);
CREATE INDEX pin_challenges_of_last_tries ON pin_challenges (ends_at)
WHERE state = 'open' AND attempts_left = 0;
ALTER TABLE pins ADD COLUMN exhausted_at BIGINT;
ALTER TABLE redeemed_codes ADD COLUMN code_digest BYTEA CHECK (length(code_digest) = 32);

-- 33: apple departures
ALTER TABLE apple_transfers ADD COLUMN team TEXT;
CREATE TABLE lost_ways_in (
    account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
    lost_at BIGINT NOT NULL
);

-- The rows.
INSERT INTO schema_migrations (version, name, applied_at) VALUES (1, 'foundation', 0),
    (2, 'devices', 0),
    (3, 'factors', 0),
    (4, 'pins', 0),
    (5, 'federation', 0),
    (6, 'audit chains', 0),
    (7, 'biometric keys', 0),
    (8, 'outbound', 0),
    (9, 'device tokens', 0),
    (10, 'pin uses', 0),
    (11, 'federation memory', 0),
    (12, 'recoveries', 0),
    (13, 'password checks', 0),
    (14, 'sca', 0),
    (15, 'device closings', 0),
    (16, 'passkeys', 0),
    (17, 'evidence', 0),
    (18, 'account pins', 0),
    (19, 'operation issuers', 0),
    (20, 'sign-in counting', 0),
    (21, 'consent_bounds', 0),
    (22, 'account pin uses', 0),
    (23, 'strangers since', 0),
    (24, 'attempt outcomes', 0),
    (25, 'client consents', 0),
    (26, 'restores', 0),
    (27, 'transactions', 0),
    (28, 'transaction addressees', 0),
    (29, 'apple sign-in', 0),
    (30, 'loyalty', 0),
    (31, 'session proofs', 0),
    (32, 'pin repeats', 0),
    (33, 'apple departures', 0);
INSERT INTO brands (id, name, settings, created_at) VALUES ('default', 'Default', '{}', 0);
INSERT INTO accounts (id, brand_id, state, security_version, password_state, email_state, created_at, closed_by, strangers_since)
VALUES (x'018f0000000070008000000000000001', 'default', 'deactivated', 1, 'none', 'none', 0, 'failures', 100),
    (x'a0a0a0a0a0a0a0a0a0a0a0a000000002', 'default', 'active', 1, 'none', 'none', 0, NULL, NULL);
INSERT INTO clients (id, name, kind, auth_method, redirect_uris, scopes, settings, state, created_at, updated_at)
VALUES ('wallet-app', 'A wallet', 'public', 'none', '[]', 'openid', '{}', 'active', 0, 0);
INSERT INTO devices (id, account_id, client_id, name, platform, signing_key, thumbprint, dpop_jkt, key_storage, state,
    instance, created_at, cooling_until, last_used_at, state_changed_at, closed_by)
VALUES (x'a0a0a0a0a0a0a0a0a0a0a0a000000058', x'018f0000000070008000000000000001', 'wallet-app', x'01', 'ios', zeroblob(64), zeroblob(32), zeroblob(32), 'software', 'deactivated',
    'exempt', 0, 0, 0, 0, 'operator');
INSERT INTO account_pins (account_id, version, hash, state, failed, spent, set_at) VALUES (x'018f0000000070008000000000000001', x'a0a0a0a0a0a0a0a0a0a0a0a000000005', x'01', 'active', 2, 7, 0);
INSERT INTO federated_identities (brand_id, digest, account_id, provider_id, subject, linked_at, tells_address)
VALUES ('default', zeroblob(32), x'018f0000000070008000000000000001', 'apple', x'01', 0, 0);
INSERT INTO apple_grants (brand_id, digest, linked_brand, linked_digest, provider_id, sealed, verified_at, ask_at, revoke_at,
    attempts)
VALUES ('default', zeroblob(32), 'default', zeroblob(32), 'apple', x'01', 0, 500, 0, 0);
INSERT INTO wallet_operations (event_id, client_id, operation_id, account_id, session_id, type, sealed, decision, findings,
    state, failed, sends, settled_at, revision, created_at, expires_at, kept_until)
VALUES (x'a0a0a0a0a0a0a0a0a0a0a0a000000003', 'shop', 'op-1', x'018f0000000070008000000000000001', zeroblob(16), 'TRANSFER', x'01', 'required', '[]', 'verified', 2, 0, 600, 1, 0, 1, 2);
INSERT INTO sca_attempts (event_id, number, method, channel, is_right, amr, at)
VALUES (x'a0a0a0a0a0a0a0a0a0a0a0a000000003', 1, 'OTP', 'SMS', 0, 'sms', 590), (x'a0a0a0a0a0a0a0a0a0a0a0a000000003', 2, 'OTP', 'SMS', 1, 'sms', 600);
INSERT INTO sca_history (account_id, low_value_sum, low_value_count, asks) VALUES (x'018f0000000070008000000000000001', 10, 1, 1);
INSERT INTO totp_coolings (account_id, cooling_until) VALUES (x'018f0000000070008000000000000001', 900);
INSERT INTO lost_ways_in (account_id, lost_at) VALUES (x'a0a0a0a0a0a0a0a0a0a0a0a000000002', 700);
