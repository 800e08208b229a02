// Receives webhooks in JavaScript, for Node 18 or later and without packages: it verifies each event, and acts on it once.
//
//   export WEBHOOK_SECRET=whsec_…     as `walletauth webhook add` printed it
//   node webhook.mjs 8802
//
// docs/webhooks.md has the events. In place of the set below, use a unique key in your database, in the transaction that acts on the event.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET } = process.env; // During a rotation, two, with a space between them.
if (!WEBHOOK_SECRET?.trim()) {
  console.error("set WEBHOOK_SECRET to the secret that `walletauth webhook add` printed");
  process.exit(1);
}
const LEEWAY = 300; // Seconds by which the clocks may differ, and for which a recorded request could be repeated.
const LARGEST = 256 * 1024; // Bytes of a body.

/** The event of a request, or null if none of the secrets signed it. `body` are the bytes as they arrived. */
function verified(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signatures = "" } = headers;
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > LEEWAY) return null;
  const expected = WEBHOOK_SECRET.trim().split(/\s+/).map((secret) =>
    createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64")).update(`${id}.${time}.`).update(body).digest()
  );
  const isSigned = signatures.split(" ").some((signature) => {
    const [version, text = ""] = signature.split(",");
    const given = Buffer.from(text, "base64");
    return version === "v1" && expected.some((one) => one.length === given.length && timingSafeEqual(one, given));
  });
  return isSigned ? JSON.parse(body) : null;
}

const seen = new Set();

async function receive(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const event = request.method === "POST" ? verified(request.headers, Buffer.concat(chunks)) : null;
  if (!event) return response.writeHead(401).end();
  const id = request.headers["webhook-id"];
  // The same event may arrive again. It is accepted each time, and counts once.
  if (!seen.has(id)) {
    seen.add(id);
    console.log(JSON.stringify({ id, type: event.type, ...event.data }));
  }
  response.writeHead(204).end();
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.writeHead(500).end());
});
server.listen(Number(process.argv[2] ?? 8802), "127.0.0.1", () => {
  console.log(`ready at http://127.0.0.1:${server.address().port}`);
});
