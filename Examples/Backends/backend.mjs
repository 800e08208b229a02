// A wallet's backend in JavaScript, for Node 18 or later and without packages: it lets requests in, asks for the person's consent before
// money moves, keeps the evidence, and sells by QR code.
//
//   export ISSUER=https://id.example.com CLIENT_ID=shop CLIENT_SECRET=… URL=https://api.example.com AUDIT_KEYS=audit-keys.json
//   node backend.mjs 8801              GET /me, POST /payments, GET /payments/{id}/evidence
//   node backend.mjs sell order-0042   prints a QR code's content, and waits until someone has signed
//
// docs/backend.md explains each call. The maps below stand for your database: with more than one process, and in production, use one.

import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { ISSUER, CLIENT_ID, CLIENT_SECRET, AUDIT_KEYS, URL: OWN_URL } = process.env; // OWN_URL: where apps reach this backend
const LEEWAY = 30; // Seconds that clocks may differ.
const PROOF_AGE = 240; // Seconds for which a proof counts.

class Refused extends Error {
  constructor(status, code, members = {}) {
    super(code);
    Object.assign(this, { status, code, members });
  }
}

const invalidToken = (detail) => new Refused(401, "invalid_token", { detail });
const invalidProof = (detail) => new Refused(401, "invalid_dpop_proof", { detail });

/** What to send instead, and what was wrong (RFC 6750 §3, RFC 9449 §7.1). A request without a token gets no error. */
function challenges({ code, members }) {
  if (code === "missing_token") return ['DPoP algs="ES256"', "Bearer"];
  const scope = code === "insufficient_scope" ? `, scope="${members.scope}"` : "";
  const reason = `error="${code}", error_description="${members.detail}"${scope}`;
  return [`DPoP algs="ES256", ${reason}`, `Bearer ${reason}`];
}

const TOKEN_ERRORS = ["missing_token", "invalid_token", "invalid_dpop_proof", "insufficient_scope"];

const sha256 = (data) => createHash("sha256").update(data);
const now = () => Math.floor(Date.now() / 1000);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Letting requests in

/** The header and payload of a compact JWS, by ES256 alone: a token that could choose its algorithm would choose none. */
function verifiedJWS(text, keyOf) {
  const parts = text.split(".");
  if (parts.length !== 3) throw new Error("no compact JWS");
  const [header, payload] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  if (header.alg !== "ES256") throw new Error("not signed by ES256");
  const jwk = keyOf(header);
  if (jwk?.kty !== "EC" || jwk.crv !== "P-256") throw new Error("an unknown key");
  const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y }, format: "jwk" });
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const signature = Buffer.from(parts[2], "base64url");
  if (!verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature)) throw new Error("a wrong signature");
  if (payload === null || typeof payload !== "object") throw new Error("no claims");
  return { header, payload };
}

let issuerKeys = Promise.resolve([]);
let askedAt = -Infinity;
let fetchedAt = -Infinity;

/** The issuer's public keys: fetched again after ten minutes, or where a token names a key that is new. */
async function keysFor(token) {
  const { kid } = JSON.parse(Buffer.from(token.split(".")[0], "base64url").toString());
  const age = now() - askedAt;
  if (age > 600 || (age > 30 && !(await issuerKeys).some((key) => key.kid === kid))) {
    askedAt = now(); // Also where it fails: an issuer that is down is asked twice a minute.
    const known = issuerKeys;
    issuerKeys = fetch(`${ISSUER}/.well-known/jwks.json`, { signal: AbortSignal.timeout(10_000) })
      .then(async (answer) => {
        if (!answer.ok) throw new Error(`jwks.json: ${answer.status}`);
        const { keys } = await answer.json();
        fetchedAt = now();
        return keys;
      })
      .catch((error) => {
        console.error(error.message);
        return known;
      });
  }
  const keys = await issuerKeys;
  if (now() - fetchedAt > 3600) throw new Refused(503, "temporarily_unavailable"); // A withdrawn key counts for an hour at most.
  return keys;
}

/** Each proof counts once. Several processes share this, in Redis for example (SET NX EX). */
const spentProofs = new Map();

function spendProof(proof) {
  for (const [name, until] of spentProofs) {
    if (until >= now()) break; // The oldest stand first.
    spentProofs.delete(name);
  }
  if (spentProofs.has(proof)) throw invalidProof("The DPoP proof was used before.");
  spentProofs.set(proof, now() + PROOF_AGE + 2 * LEEWAY);
}

/** Who calls: the claims of a valid access token (RFC 9068) with its proof (RFC 9449), or a refusal. */
async function requireToken(request, scope) {
  const authorization = request.headersDistinct?.authorization ?? [request.headers.authorization ?? ""];
  const [scheme, token] = authorization.length === 1 ? authorization[0].split(" ") : [];
  if (!token || !["dpop", "bearer"].includes(scheme.toLowerCase()))
    throw new Refused(401, "missing_token", { detail: "Send one access token: Authorization: DPoP TOKEN, with a proof in DPoP." });
  let verified;
  try {
    const keys = await keysFor(token);
    verified = verifiedJWS(token, (header) => keys.find((key) => key.kid === header.kid));
  } catch (error) {
    throw error instanceof Refused ? error : invalidToken("The access token is malformed, or signed by no key of the issuer.");
  }
  const { header, payload: claims } = verified;
  const bound = claims.cnf?.jkt;
  // The issuer has signed it, so its sender may know what is wrong.
  if (header.typ !== "at+jwt") throw invalidToken("This is no access token.");
  if (!(now() < claims.exp + LEEWAY)) throw invalidToken("The access token has expired.");
  if (claims.iss !== ISSUER || ![claims.aud].flat().includes(OWN_URL))
    throw invalidToken("The access token is for another audience, or from another issuer.");
  const isBearer = scheme.toLowerCase() === "bearer"; // A bound token is worthless as a bearer token, and the other way round.
  if (bound !== undefined && isBearer) throw invalidToken("The access token is bound to a key: send it as DPoP, with a proof of that key.");
  if (bound === undefined && !isBearer) throw invalidToken("The access token is bound to no key: send it as Bearer.");
  if (bound !== undefined) requireProof(request, token, bound);
  if (!(claims.scope ?? "").split(" ").includes(scope))
    throw new Refused(403, "insufficient_scope", { detail: `The access token lacks the scope ${scope}.`, scope });
  if (!claims.sid)
    throw new Refused(403, "person_required", { detail: "This is a client's own token: one from a person's sign-in is needed." });
  return claims;
}

function requireProof(request, token, bound) {
  let proof;
  try {
    proof = verifiedJWS(request.headers.dpop ?? "", (header) => header.jwk);
  } catch {
    throw invalidProof("The DPoP proof is missing or malformed, or its signature is wrong.");
  }
  const { header, payload: said } = proof;
  const { crv, kty, x, y } = header.jwk;
  const age = Number.isInteger(said.iat) ? now() - said.iat : NaN;
  const address = OWN_URL + request.url.split("?")[0];
  const members = {
    typ: header.typ === "dpop+jwt",
    jwk: sha256(JSON.stringify({ crv, kty, x, y })).digest("base64url") === bound, // RFC 7638
    htm: said.htm === request.method,
    htu: said.htu === address,
    ath: said.ath === sha256(token).digest("base64url"),
    iat: age >= -LEEWAY && age <= PROOF_AGE + LEEWAY,
    jti: typeof said.jti === "string",
  };
  const wrong = Object.keys(members).filter((name) => !members[name]).join(", ");
  if (wrong) {
    const came = JSON.stringify([said.htm, said.htu].map((value) => String(value).split("?")[0].slice(0, 200)));
    console.error(`refused a DPoP proof by its ${wrong}: ${came}, expected ${JSON.stringify([request.method, address])}`);
    throw invalidProof(`The DPoP proof is for another request, token or key, or too old: see its ${wrong}.`);
  }
  spendProof(`${bound} ${said.jti}`);
}

// Calling the server

let ownToken;
let ownTokenUntil = 0;

/** A token from client credentials, renewed before it expires. */
async function accessToken() {
  if (now() > ownTokenUntil - 30) {
    const form = new URLSearchParams({ grant_type: "client_credentials", scope: "wallet_operations transactions" });
    const basic = Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`).toString("base64");
    const headers = { Authorization: `Basic ${basic}` };
    const answer = await fetch(`${ISSUER}/oauth2/token`, { method: "POST", headers, body: form, signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) {
      const reason = `no token: ${answer.status} ${await answer.text()}`;
      if (answer.status >= 500 || answer.status === 429) throw new Error(reason);
      // For good: no repetition changes it.
      console.error(`${reason}. Check ISSUER, CLIENT_ID and CLIENT_SECRET, and the client's scopes: walletauth client show ${CLIENT_ID}`);
      throw new Refused(500, "credential_refused");
    }
    const { access_token, expires_in } = await answer.json();
    ownToken = access_token;
    ownTokenUntil = now() + expires_in;
  }
  return ownToken;
}

/** Every call may be repeated, so one whose answer was lost is: with the same id, key and content it gets the same answer. */
async function call(method, path, { key, body, wait = 0 } = {}) {
  for (const last of [false, false, true]) {
    let answer;
    try {
      const headers = { Authorization: `Bearer ${await accessToken()}` };
      if (key) headers["Idempotency-Key"] = key;
      if (body) headers["Content-Type"] = "application/json";
      const signal = AbortSignal.timeout((10 + wait) * 1000);
      answer = await fetch(ISSUER + path, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (error) {
      if (error instanceof Refused) throw error;
      console.error(error.message);
    }
    if (answer?.status === 401) ownTokenUntil = 0; // Withdrawn, or the server's keys have changed.
    else if (answer && answer.status < 500 && answer.status !== 429) return answer;
    if (!last) await pause(300);
  }
  throw new Refused(503, "temporarily_unavailable");
}

// Asking for consent before money moves

const payments = new Map(); // By operation id: who paid what, and the authentication code. Your ledger's table.
const ENDED = { FAILED: "operation_locked", EXPIRED: "operation_expired", CANCELLED: "operation_cancelled" };

const hasTexts = (value, ...names) =>
  Object.keys(value ?? {}).length === names.length && names.every((name) => typeof value[name] === "string");

const isPayment = (wanted) =>
  Object.keys(wanted ?? {}).every((name) => ["amount", "payee", "scaDetails"].includes(name)) &&
  hasTexts(wanted?.amount, "value", "currency") &&
  hasTexts(wanted.payee, "name", "account") &&
  (wanted.scaDetails === undefined || hasTexts(wanted.scaDetails, "eventId", "walletOperationId"));

async function pay(claims, key, wanted) {
  if (key.length < 16 || !isPayment(wanted))
    throw new Refused(400, "bad_request", { detail: "An Idempotency-Key of 16 characters, amount and payee are needed." });
  // One id for one payment, however often it is requested: the server refuses the same id with another amount or payee.
  const payment = sha256(`${claims.sub} ${key}`).digest("hex");
  const { value, currency } = wanted.amount;
  const { name, account } = wanted.payee;
  const operation = { type: "TRANSFER", amount: { value, currency }, payee: { name, account } };
  // Your own record comes first: an app that starts over, or in another session, hears that it has paid.
  const paid = payments.get(payment);
  if (paid && paid.operation !== JSON.stringify(operation)) throw new Refused(422, "idempotency_mismatch");
  if (paid) return { status: 200, body: JSON.stringify({ payment, status: "PAID" }) };
  const agreed = wanted.scaDetails;
  let event = agreed?.eventId;
  if (!agreed) {
    const who = { accountId: claims.sub, sessionId: claims.sid, walletOperationId: payment };
    const answer = await call("POST", "/v1/wallet-operations", { body: { ...who, ...operation } });
    const asked = await answer.json();
    if (answer.status !== 201) throw new Refused(answer.status, asked.code, { detail: asked.detail });
    const { status, eventId, walletOperationId, availableVerifications } = asked;
    if (status === "SCA_REQUIRED") throw new Refused(403, "sca_required", { eventId, walletOperationId, availableVerifications });
    if (ENDED[status]) throw new Refused(409, ENDED[status], { detail: "Start another payment, with another Idempotency-Key." });
    event = eventId; // EXEMPT has none. At VERIFIED the person has agreed; at AUTHORIZED an answer was lost.
  } else if (agreed.walletOperationId !== payment) {
    throw new Refused(409, "operation_changed");
  }
  // It succeeds once, for this account and exactly this operation. The key makes it repeatable where the answer is lost.
  const body = { accountId: claims.sub, ...operation, eventId: event };
  const consumed = await call("POST", `/v1/wallet-operations/${payment}/consume`, { key: payment, body });
  const answer = await consumed.json();
  if (consumed.status !== 200) throw new Refused(consumed.status, answer.code, { detail: answer.detail });
  // In one transaction of your database: move the money, and keep the code with it.
  if (!payments.has(payment))
    payments.set(payment, { payer: claims.sub, operation: JSON.stringify(operation), code: answer.authenticationCode });
  return { status: 201, body: JSON.stringify({ payment, status: "PAID" }) };
}

async function evidence(claims, payment) {
  // Another person's is not found either: the evidence names its account, devices and addresses.
  if (payments.get(payment)?.payer !== claims.sub) throw new Refused(404, "payment_not_found");
  const answer = await call("GET", `/v1/wallet-operations/${payment}/evidence`);
  return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.text() };
}

async function answerTo(request) {
  const claims = await requireToken(request, "payments");
  const [path] = request.url.split("?");
  const [, payment] = path.match(/^\/payments\/([0-9a-f]{64})\/evidence$/) ?? [];
  if (request.method === "GET" && path === "/me")
    return { status: 200, body: JSON.stringify({ account: claims.sub, session: claims.sid, scope: claims.scope }) };
  if (request.method === "GET" && payment) return evidence(claims, payment);
  if (request.method !== "POST" || path !== "/payments") throw new Refused(404, "not_found");
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    if ((size += chunk.length) > 16_384) throw new Refused(413, "too_large");
    chunks.push(chunk);
  }
  let wanted;
  try {
    wanted = JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Refused(400, "bad_request");
  }
  return pay(claims, request.headers["idempotency-key"] ?? "", wanted);
}

async function serve(port) {
  const server = createServer(async (request, response) => {
    let answer;
    try {
      answer = await answerTo(request);
    } catch (error) {
      if (!(error instanceof Refused)) console.error(error);
      const refused = error instanceof Refused ? error : new Refused(500, "internal_error");
      const { status, code, members } = refused;
      const body = JSON.stringify({ type: "about:blank", title: "", status, code, ...members });
      answer = { status, type: "application/problem+json", body };
      if (TOKEN_ERRORS.includes(code)) response.setHeader("WWW-Authenticate", challenges(refused));
    }
    response.writeHead(answer.status, { "Content-Type": answer.type ?? "application/json" }).end(answer.body);
  });
  server.listen(port, "127.0.0.1", () => console.log(`ready at http://127.0.0.1:${server.address().port}`));
}

// Selling by QR code

const EXPORT_AGAIN =
  "Run `walletauth audit key` on your own server again, compare that the keys you have are among its keys unchanged, and use the new file.";

/** Creates a transaction that the first person who scans its code signs, waits for its end, and returns the proof. */
async function sell(order) {
  // AUDIT_KEYS is what `walletauth audit key` printed, over a channel of your own: on the first day, and after `keys rotate audit`.
  const { keys } = JSON.parse(readFileSync(AUDIT_KEYS, "utf8"));
  const offer = {
    type: "PURCHASE",
    reference: order,
    amount: { value: "1250", currency: "EUR" },
    payee: { name: "Café Zürich", account: "DE02120300000000202051" },
  };
  // Store the key in the order's own row before the call: a repetition gets the same transaction.
  const answer = await call("POST", "/v1/transactions", { key: sha256(order).digest("hex"), body: offer });
  const created = await answer.json();
  if (answer.status !== 201) throw new Error(`${answer.status} ${created.code}: ${created.detail ?? ""}`);
  console.log(created.qrData); // For the buyer alone: anyone who has it can sign.
  let status;
  do {
    const report = await call("GET", `/v1/transactions/${created.transactionId}?wait=30`, { wait: 30 });
    if (!report.ok) throw new Error(`${report.status} ${await report.text()}`);
    status = (await report.json()).status;
    console.log(status);
  } while (["CREATED", "CLAIMED", "CONFIRMED"].includes(status));
  if (status !== "SIGNED") throw new Error(`nothing is delivered: ${order} was not signed (${status})`);
  const proof = await (await call("GET", `/v1/transactions/${created.transactionId}/evidence`)).text();
  const said = verifiedJWS(proof, (header) => {
    const key = keys.find((key) => key.kid === header.kid);
    if (!key)
      throw new Error(`nothing is delivered: ${order} is signed by the audit key ${header.kid}, which AUDIT_KEYS lacks. ${EXPORT_AGAIN}`);
    return key;
  }).payload;
  const content = said.payload ? JSON.parse(Buffer.from(said.payload, "base64url").toString()) : {};
  const isOurs = said.iss === ISSUER && said.clientId === CLIENT_ID && said.transactionId === created.transactionId;
  const isWhole =
    content.type === offer.type &&
    content.reference === order &&
    ["value", "currency"].every((name) => content.amount?.[name] === offer.amount[name]) &&
    ["name", "account"].every((name) => content.payee?.[name] === offer.payee[name]);
  if (!isOurs || !isWhole || said.status !== "SIGNED") throw new Error(`nothing is delivered: ${order} was not signed (${said.status})`);
  return proof; // Keep it byte for byte. `walletauth transaction verify` checks the device's signature in it as well.
}

/** Ends the program where a setting is missing, and not at the first request. */
function need(...names) {
  const missing = names.filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  console.error(`set ${missing.join(", ")}, as the first lines of backend.mjs show`);
  process.exit(1);
}

const [first, order] = process.argv.slice(2);
need("ISSUER", "CLIENT_ID", "CLIENT_SECRET", first === "sell" ? "AUDIT_KEYS" : "URL");
if (first === "sell" && order) {
  try {
    console.log(await sell(order));
  } catch (error) {
    console.error(error instanceof Refused ? `${order} was not sold: ${error.code}` : error.message);
    process.exitCode = 1;
  }
} else if (/^\d+$/.test(first ?? "")) await serve(Number(first));
else throw new Error("node backend.mjs PORT, or node backend.mjs sell ORDER");
