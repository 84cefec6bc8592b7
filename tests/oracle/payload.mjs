// Keysign payloads as bytes: protobufjs over proto/keysign.proto, which knows nothing of our own encoder.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

const proto = fileURLToPath(new URL("../../proto/keysign.proto", import.meta.url));
const root = new protobuf.Root();
root.loadSync(proto, { keepCase: true });
const Payload = root.lookupType("vultisig.keysign.v1.KeysignPayload");

/** A payload, its fields named as in the .proto, as base64. Long numbers may be text; unknown names are refused. */
export function encode(fields) {
  checkNames(Payload, fields);
  return Buffer.from(Payload.encode(Payload.fromObject(fields)).finish()).toString("base64");
}

// protobufjs passes over a name it does not know, and a misspelt field would be a silent zero.
function checkNames(type, value) {
  for (const [name, inner] of Object.entries(value)) {
    const field = type.fields[name];
    if (!field) throw new Error(`${type.name} has no field ${name}`);
    field.resolve();
    if (!field.resolvedType?.fields || inner == null) continue;
    for (const each of field.repeated ? inner : [inner]) checkNames(field.resolvedType, each);
  }
}

/** Writes one file of a folder of tests/vectors. */
export function write(kind, file, cases) {
  const folder = new URL(`../vectors/${kind}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(file, folder), JSON.stringify(cases, null, 1) + "\n");
}
