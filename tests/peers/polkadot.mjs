// Reads an extrinsic piece by piece with the types of @polkadot/types, puts together again what must have been signed,
// and checks the signature with @polkadot/util-crypto. Which pieces there are is told by the runtime's extensions.
import { TypeRegistry } from "@polkadot/types";
import { compactStripLength, hexToU8a, u8aEq, u8aToHex } from "@polkadot/util";
import { blake2AsHex, cryptoWaitReady, encodeAddress, signatureVerify } from "@polkadot/util-crypto";
import { serve } from "../../crate/nodes/scripts/lines.mjs";

await cryptoWaitReady();

const ALWAYS = ["CheckNonZeroSender", "CheckSpecVersion", "CheckTxVersion", "CheckGenesis", "CheckMortality", "CheckNonce", "CheckWeight"];

await serve(({ extrinsic, prefix, extensions, ...known }) => {
  const registry = new TypeRegistry();
  registry.setSignedExtensions([...ALWAYS, ...extensions]);
  const bytes = hexToU8a(extrinsic);
  const [length, body] = compactStripLength(bytes);
  let rest = body;
  const read = (type) => {
    const value = registry.createType(type, rest);
    const bytes = value.toU8a();
    // The library forgives what a runtime does not: numbers that are not in their shortest form.
    if (!u8aEq(bytes, rest.subarray(0, bytes.length))) throw new Error(`${type} is not canonical`);
    rest = rest.subarray(bytes.length);
    return value;
  };
  const variant = (type, name) => {
    const value = read(type);
    if (value.type !== name) throw new Error(`${type} is ${value.type}`);
    return value.value.toU8a();
  };
  const version = read("u8").toNumber();
  const signer = encodeAddress(variant("MultiAddress", "Id"), prefix);
  const signature = variant("MultiSignature", "Ed25519");
  const era = read("ExtrinsicEra");
  const nonce = read("Compact<u32>");
  const tip = read("Compact<u128>");
  const asset = extensions.includes("ChargeAssetTxPayment") ? read("Option<u32>") : undefined;
  const mode = extensions.includes("CheckMetadataHash") ? read("u8") : undefined;
  const method = u8aToHex(rest);
  const call = [read("u8").toNumber(), read("u8").toNumber()];
  const to = encodeAddress(variant("MultiAddress", "Id"), prefix);
  const amount = read("Compact<u128>");
  const payload = registry.createType("ExtrinsicPayload", {
    method, era, nonce, tip, assetId: asset?.unwrapOr(undefined), mode, metadataHash: null, ...known,
  }, { version: 4 });
  const image = payload.toU8a({ method: true });
  const { isValid, crypto } = signatureVerify(image, signature, signer);
  return {
    accepted: isValid && crypto === "ed25519" && version === 0x84 && length === bytes.length && rest.length === 0,
    id: blake2AsHex(bytes, 256),
    signer,
    call,
    to,
    amount: amount.toString(),
    nonce: nonce.toNumber(),
    era: [era.asMortalEra.period.toNumber(), era.asMortalEra.phase.toNumber()],
    tip: tip.toString(),
  };
});
